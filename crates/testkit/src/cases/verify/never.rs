//! `never` lines.

use globset::Glob;

use super::command::{scan, with_run};
use crate::cases::check::Never;
use crate::cases::process::is_running;
use crate::cases::test_env::TestEnv;
use crate::cases::verdict::Verdict;

pub(super) fn never(never: &Never, env: &TestEnv) -> Verdict {
    match never {
        Never::Text(text) => {
            // Diagnostics and the catalog are always included.
            env.diagnostics();
            env.print(&env.catalog());
            Verdict::of(
                !env.has_printed(text),
                format_args!("no text with {text:?}"),
                "a text with it",
            )
        }
        Never::File(glob) => no_file(glob, env),
        Never::ProcessLeft(lines) => {
            let left: Vec<_> = lines.iter().filter(|line| is_running(line)).collect();
            Verdict::of(left.is_empty(), "no such process", format_args!("{left:?}"))
        }
        Never::ChildDuring(commands) => {
            Verdict::all(commands.iter().map(|command| no_child(command, env)))
        }
        Never::Skill { names, field } => no_skill(names, field.as_deref(), env),
        Never::FailedScan => scan(env, None, |ended| {
            Verdict::of(
                ended.code == 0,
                "exit 0",
                format_args!(
                    "exit {}: {}",
                    ended.code,
                    String::from_utf8_lossy(&ended.stderr)
                ),
            )
        }),
        Never::Panic => Verdict::of(env.panics().is_empty(), "no panic", env.panics().join("; ")),
        Never::Plain(words) => Verdict::fails("a known form, or a linked test", words),
    }
}

fn no_file(glob: &str, env: &TestEnv) -> Verdict {
    let matcher = match Glob::new(glob) {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => return Verdict::fails("a glob", error),
    };
    let everything = env.fixture().everything();
    let found: Vec<_> = everything
        .iter()
        .filter(|path| path.file_name().is_some_and(|name| matcher.is_match(name)))
        .collect();
    Verdict::of(
        found.is_empty(),
        format_args!("no file `{glob}`"),
        format_args!("{found:?}"),
    )
}

fn no_skill(names: &[String], field: Option<&str>, env: &TestEnv) -> Verdict {
    let snapshot = env.snapshot();
    // Compares the listed id, which includes a namespace.
    let mut rows = snapshot.entries().iter().flat_map(|entry| {
        entry
            .candidates()
            .map(move |candidate| (&entry.id, &candidate.item))
    });
    let meant = rows.find(|(id, skill)| {
        names.iter().any(|name| name == id.as_str())
            && field.is_none_or(|field| skill.field(field).is_some())
    });
    let such = field
        .map(|field| format!(" with `{field}`"))
        .unwrap_or_default();
    let found = meant.map(|(id, _)| id.to_string()).unwrap_or_default();
    Verdict::of(
        meant.is_none(),
        format_args!("no skill named one of {names:?}{such}"),
        found,
    )
}

fn no_child(command: &str, env: &TestEnv) -> Verdict {
    let run = match command {
        "watch" => env.while_edited(|| {
            env.command(&["watch", "--changes", "1"].map(str::to_owned), None, None)
        }),
        command => env.command(&[command.to_owned()], None, None),
    };
    with_run(run, env, |ended| {
        let stderr = String::from_utf8_lossy(&ended.stderr);
        Verdict::all([
            Verdict::of(
                ended.code != 2,
                format_args!("a command `{command}`"),
                stderr,
            ),
            Verdict::of(
                !ended.had_children,
                format_args!("no process started by `{command}`"),
                "one",
            ),
        ])
    })
}
