//! One skill: its fields, body, files and rendered body.

use std::time::Instant;

use repertoire_core::{ResourcePath, Skill};
use repertoire_registry::Entry;
use serde_json::Value;

use crate::cases::check::{Field, ReadWant, RenderLine, RenderWant, Subject, Want};
use crate::cases::test_env::TestEnv;
use crate::cases::verdict::Verdict;

pub(super) fn field(subject: &Subject, field: &Field, want: &Want, env: &TestEnv) -> Verdict {
    with_entry(subject, env, |entry| match value(field, entry, env) {
        Some(found) => want.check(found),
        None => Verdict::fails(format_args!("{want:?}"), "no such field"),
    })
}

fn value(field: &Field, entry: &Entry<Skill>, env: &TestEnv) -> Option<Value> {
    let skill = entry.item();
    match field {
        Field::Description => Some(skill.description.as_ref().into()),
        Field::AllowedTools => Some(
            skill
                .allowed_tools
                .iter()
                .flat_map(|tools| tools.iter())
                .map(|tool| Value::from(tool.as_ref()))
                .collect(),
        ),
        Field::DisableModelInvocation => Some(skill.disable_model_invocation.into()),
        Field::UserInvocable => Some(skill.user_invocable.into()),
        Field::ArgumentHint => skill.argument_hint().map(|hint| (*hint).into()),
        Field::License => written(skill, "license")?.as_text().map(Value::from),
        Field::Source => Some(env.scope(entry.origin()).into()),
        Field::Written(path) => written(skill, path).map(repertoire_core::Value::json),
        Field::WrittenText(path) => written(skill, path)?.as_text().map(Value::from),
    }
}

fn written<'a>(skill: &'a Skill, path: &str) -> Option<&'a repertoire_core::Value> {
    match path.split_once('.') {
        None => skill.field(path),
        Some((key, rest)) => skill.field(key)?.at(rest),
    }
}

pub(super) fn body(name: &str, want: &Want, env: &TestEnv) -> Verdict {
    with_entry(&Subject::Named(name.to_owned()), env, |entry| {
        match env.body(entry) {
            Ok(text) => want.check(text),
            Err(error) => Verdict::fails(format_args!("{want:?}"), error),
        }
    })
}

pub(super) fn read(name: &str, path: &str, want: &ReadWant, env: &TestEnv) -> Verdict {
    with_entry(&Subject::Named(name.to_owned()), env, |entry| {
        let read = match ResourcePath::new(path) {
            Ok(path) => env.resource(entry, &path),
            Err(error) => Err(error.to_string()),
        };
        match (want, read) {
            (ReadWant::Ok, Ok(_)) | (ReadWant::Error, Err(_)) => Verdict::Holds,
            (ReadWant::Text(want), Ok(text)) => want.check(text),
            (want, Ok(text)) => Verdict::fails(format_args!("{want:?}"), format_args!("{text:?}")),
            (want, Err(error)) => Verdict::fails(format_args!("{want:?}"), error),
        }
    })
}

pub(super) fn resources(name: &str, want: &Want, env: &TestEnv) -> Verdict {
    with_entry(&Subject::Named(name.to_owned()), env, |entry| {
        match env.resources(entry) {
            Ok(paths) => want.check(paths),
            Err(error) => Verdict::fails(format_args!("{want:?}"), error),
        }
    })
}

pub(super) fn with_entry(
    subject: &Subject,
    env: &TestEnv,
    check: impl FnOnce(&Entry<Skill>) -> Verdict,
) -> Verdict {
    let snapshot = env.snapshot();
    let entry = match subject {
        Subject::Named(name) => snapshot.get(name),
        Subject::Only => match snapshot.entries() {
            [only] => Some(only),
            _ => None,
        },
    };
    match (entry, subject) {
        (Some(entry), _) => check(entry),
        (None, Subject::Named(name)) => Verdict::fails(
            format_args!("a skill `{name}`"),
            format_args!("{:?}", env.offered()),
        ),
        (None, Subject::Only) => Verdict::fails("one skill", format_args!("{:?}", env.offered())),
    }
}

pub(super) fn render(line: &RenderLine, env: &TestEnv) -> Verdict {
    with_entry(&Subject::Named(line.name.clone()), env, |entry| {
        let start = Instant::now();
        let rendered = env.render(entry, line);
        let took = start.elapsed();
        if let Some(limit) = line.within.filter(|limit| took > *limit) {
            return Verdict::fails(format_args!("within {limit:?}"), format_args!("{took:?}"));
        }
        let want = match &line.want {
            RenderWant::Text(want) => want.clone(),
            RenderWant::PathOf { path, followed_by } => {
                Want::Has(format!("{}{followed_by}", env.absolute(path)))
            }
        };
        match rendered {
            Ok(text) => want.check(text),
            Err(error) => Verdict::fails(format_args!("{want:?}"), error),
        }
    })
}
