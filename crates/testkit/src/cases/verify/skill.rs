//! One skill: its front matter, its body, its files.

use std::sync::Arc;

use repertoire_core::{ResourcePath, Skill};
use repertoire_registry::Entry;
use serde_json::Value;

use crate::cases::check::{Field, ReadWant, Subject, Want};
use crate::cases::verdict::Verdict;
use crate::cases::world::World;

pub(super) fn field(subject: &Subject, field: &Field, want: &Want, world: &World) -> Verdict {
    with_entry(subject, world, |entry| match value(field, entry, world) {
        Some(found) => Verdict::of(want.holds(&found), format_args!("{want:?}"), found),
        None => Verdict::fails(format_args!("{want:?}"), "no such field"),
    })
}

fn value(field: &Field, entry: &Entry<Skill>, world: &World) -> Option<Value> {
    let skill = entry.item();
    let written = |path: &str| {
        let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
        let value = skill.field(key)?;
        rest.map_or(Some(value), |rest| value.at(rest))
    };
    let texts = |texts: &[Arc<str>]| texts.iter().map(|text| Value::from(text.as_ref())).collect();
    match field {
        Field::Description => Some(skill.description.as_ref().into()),
        Field::AllowedTools => Some(texts(skill.allowed_tools.as_deref().unwrap_or_default())),
        Field::DisableModelInvocation => Some(skill.disable_model_invocation.into()),
        Field::UserInvocable => Some(skill.user_invocable.into()),
        Field::ArgumentHint => skill.argument_hint().map(|hint| (*hint).into()),
        Field::License => written("license")?.as_text().map(Value::from),
        Field::Source => Some(world.scope(entry.origin()).into()),
        Field::Written(path) => written(path).map(repertoire_core::Value::json),
        Field::WrittenText(path) => written(path)?.as_text().map(Value::from),
    }
}

pub(super) fn body(name: &str, want: &Want, world: &World) -> Verdict {
    with_entry(&Subject::Named(name.to_owned()), world, |entry| match world.body(entry) {
        Ok(text) => Verdict::of(want.holds(&text.as_str().into()), format_args!("{want:?}"), format_args!("{text:?}")),
        Err(error) => Verdict::fails(format_args!("{want:?}"), error),
    })
}

pub(super) fn read(name: &str, path: &str, want: &ReadWant, world: &World) -> Verdict {
    with_entry(&Subject::Named(name.to_owned()), world, |entry| {
        let read = match ResourcePath::new(path) {
            Ok(path) => world.resource(entry, &path),
            Err(error) => Err(error.to_string()),
        };
        match (want, read) {
            (ReadWant::Ok, Ok(_)) | (ReadWant::Error, Err(_)) => Verdict::Holds,
            (ReadWant::Text(want), Ok(text)) => {
                Verdict::of(want.holds(&text.as_str().into()), format_args!("{want:?}"), format_args!("{text:?}"))
            }
            (want, Ok(text)) => Verdict::fails(format_args!("{want:?}"), format_args!("{text:?}")),
            (want, Err(error)) => Verdict::fails(format_args!("{want:?}"), error),
        }
    })
}

pub(super) fn resources(name: &str, want: &Want, world: &World) -> Verdict {
    with_entry(&Subject::Named(name.to_owned()), world, |entry| match world.resources(entry) {
        Ok(paths) => {
            let paths = Value::from(paths);
            Verdict::of(want.holds(&paths), format_args!("{want:?}"), paths)
        }
        Err(error) => Verdict::fails(format_args!("{want:?}"), error),
    })
}

/// Hands the meant entry to `check`; fails if there is none.
pub(super) fn with_entry(subject: &Subject, world: &World, check: impl FnOnce(&Entry<Skill>) -> Verdict) -> Verdict {
    let snapshot = world.snapshot();
    let entry = match subject {
        Subject::Named(name) => snapshot.get(name),
        Subject::Only => match snapshot.entries() {
            [only] => Some(only),
            _ => None,
        },
    };
    match (entry, subject) {
        (Some(entry), _) => check(entry),
        (None, Subject::Named(name)) => {
            Verdict::fails(format_args!("a skill `{name}`"), format_args!("{:?}", world.offered()))
        }
        (None, Subject::Only) => Verdict::fails("one skill", format_args!("{:?}", world.offered())),
    }
}
