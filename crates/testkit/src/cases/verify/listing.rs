//! Listed, shadowed and skipped skills, and diagnostics.

use repertoire_core::Severity;
use repertoire_permission::Audience;

use crate::cases::check::Want;
use crate::cases::test_env::TestEnv;
use crate::cases::verdict::Verdict;

pub(super) fn at_least(names: &[String], env: &TestEnv) -> Verdict {
    let offered = env.offered();
    Verdict::of(
        names.iter().all(|name| offered.contains(name)),
        format_args!("{names:?} among others"),
        format_args!("{offered:?}"),
    )
}

pub(super) fn user_list(want: &Want, env: &TestEnv) -> Verdict {
    let snapshot = env.snapshot();
    let offered = snapshot
        .entries()
        .iter()
        .filter(|entry| Audience::User.hidden_reason(&entry.candidate).is_none());
    let offered: Vec<_> = offered.map(|entry| entry.id.to_string()).collect();
    want.check(offered)
}

pub(super) fn skips(paths: &[String], env: &TestEnv) -> Verdict {
    Verdict::all(paths.iter().map(|path| {
        let snapshot = env.snapshot();
        let mut candidates = snapshot
            .entries()
            .iter()
            .flat_map(|entry| entry.candidates());
        if let Some(candidate) = candidates.find(|candidate| {
            candidate
                .item
                .location
                .as_deref()
                .map(|at| env.relative(at))
                == Some(path)
        }) {
            return Verdict::fails(
                format_args!("no skill from `{path}`"),
                format_args!("`{}`", candidate.item.id),
            );
        }
        let reported = env
            .diagnostics()
            .iter()
            .any(|diagnostic| diagnostic.path == *path);
        Verdict::of(
            reported,
            format_args!("a diagnostic for `{path}`"),
            env.diagnostics_text(),
        )
    }))
}

pub(super) fn shadowed(rows: &[(String, String)], env: &TestEnv) -> Verdict {
    let snapshot = env.snapshot();
    let mut found = Vec::new();
    for entry in snapshot.entries() {
        for shadow in &entry.shadows {
            let path = shadow
                .candidate
                .item
                .location
                .as_deref()
                .unwrap_or_default();
            found.push((entry.id.to_string(), env.relative(path).to_owned()));
        }
    }
    found.sort();
    let mut rows = rows.to_vec();
    rows.sort();
    Verdict::same(&rows, &found)
}

pub(super) fn diagnostic(
    level: Option<Severity>,
    path: &str,
    has: Option<&str>,
    env: &TestEnv,
) -> Verdict {
    let part = has.unwrap_or_default().to_lowercase();
    let found = env.diagnostics().iter().any(|diagnostic| {
        diagnostic.path == path
            && level.is_none_or(|level| diagnostic.severity == level)
            && diagnostic.text.to_lowercase().contains(&part)
    });
    let level = level.map_or_else(|| "diagnostic".to_owned(), |level| level.to_string());
    let part = has
        .map(|part| format!(" that has {part:?}"))
        .unwrap_or_default();
    Verdict::of(
        found,
        format_args!("{level} on `{path}`{part}"),
        env.diagnostics_text(),
    )
}

pub(super) fn no_diagnostic(path: Option<&str>, env: &TestEnv) -> Verdict {
    let loud: Vec<_> = env
        .diagnostics()
        .into_iter()
        .filter(|diagnostic| {
            diagnostic.severity > Severity::Info && path.is_none_or(|path| diagnostic.path == path)
        })
        .map(|diagnostic| diagnostic.to_string())
        .collect();
    Verdict::of(loud.is_empty(), "no diagnostic above info", loud.join("; "))
}

pub(super) fn reports_dropped(what: &str, env: &TestEnv) -> Verdict {
    let is_reported = env.diagnostics().iter().any(|diagnostic| {
        let text = diagnostic.text.to_lowercase();
        diagnostic.severity > Severity::Info
            && text.contains(what)
            && ["dropped", "left out", "ignored"]
                .iter()
                .any(|word| text.contains(word))
    });
    Verdict::of(
        is_reported,
        format_args!("a diagnostic that says that `{what}` was dropped"),
        env.diagnostics_text(),
    )
}
