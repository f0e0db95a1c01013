//! What must not happen.

use globset::Glob;

use super::command::{NOT_BUILT, no_panic, scan};
use crate::cases::check::Never;
use crate::cases::process::is_running;
use crate::cases::verdict::Verdict;
use crate::cases::world::World;

pub(super) fn never(never: &Never, world: &World) -> Verdict {
    match never {
        Never::Text(text) => {
            // Whatever else the case asked for, these are what people and models get to see first.
            world.findings();
            world.print(&world.catalog());
            Verdict::of(!world.has_printed(text), format_args!("nothing that has {text:?}"), "a text that has it")
        }
        Never::File(glob) => no_file(glob, world),
        Never::ProcessLeft(lines) => {
            let left: Vec<_> = lines.iter().filter(|line| is_running(line)).collect();
            Verdict::of(left.is_empty(), "no such process", format_args!("{left:?}"))
        }
        Never::ChildDuring(commands) => Verdict::all(commands.iter().map(|command| no_child(command, world))),
        Never::Skill { names, field } => no_skill(names, field.as_deref(), world),
        Never::FailedScan => scan(world, None, |ended| {
            Verdict::of(
                ended.code == 0,
                "exit 0",
                format_args!("exit {}: {}", ended.code, String::from_utf8_lossy(&ended.stderr)),
            )
        }),
        Never::Panic => Verdict::of(world.panics().is_empty(), "no panic", world.panics().join("; ")),
        Never::Plain(words) => Verdict::fails("a mechanical reading, or a named test that the line is bound to", words),
    }
}

fn no_file(glob: &str, world: &World) -> Verdict {
    let matcher = match Glob::new(glob) {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => return Verdict::fails("a glob", error),
    };
    let everything = world.fixture().everything();
    let found: Vec<_> =
        everything.iter().filter(|path| path.file_name().is_some_and(|name| matcher.is_match(name))).collect();
    Verdict::of(found.is_empty(), format_args!("no file `{glob}`"), format_args!("{found:?}"))
}

fn no_skill(names: &[String], field: Option<&str>, world: &World) -> Verdict {
    let snapshot = world.snapshot();
    // By the id in lists, which has the prefix of a source that has one.
    let mut rows = snapshot
        .entries()
        .iter()
        .flat_map(|entry| entry.candidates().map(move |candidate| (&entry.id, &candidate.item)));
    let meant = rows.find(|(id, skill)| {
        names.iter().any(|name| name == id.as_str()) && field.is_none_or(|field| skill.field(field).is_some())
    });
    let such = field.map(|field| format!(" with `{field}`")).unwrap_or_default();
    let found = meant.map(|(id, _)| id.to_string()).unwrap_or_default();
    Verdict::of(meant.is_none(), format_args!("no skill named one of {names:?}{such}"), found)
}

fn no_child(command: &str, world: &World) -> Verdict {
    let ran = match command {
        "watch" => world.while_edited(|| world.command(&["watch", "--changes", "1"].map(str::to_owned), None, None)),
        command => world.command(&[command.to_owned()], None, None),
    };
    match ran {
        None => Verdict::missing(NOT_BUILT),
        Some(Err(error)) => Verdict::fails("a run", error),
        Some(Ok(ended)) => {
            no_panic(&ended, world);
            let known = ended.code != 2;
            Verdict::all([
                Verdict::of(known, format_args!("a command `{command}`"), String::from_utf8_lossy(&ended.stderr)),
                Verdict::of(!ended.had_children, format_args!("no process started by `{command}`"), "one"),
            ])
        }
    }
}
