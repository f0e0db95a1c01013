//! What the operator is told.

use repertoire_core::Severity;

use crate::cases::verdict::Verdict;
use crate::cases::world::World;

pub(super) fn finding(level: Option<Severity>, path: &str, has: Option<&str>, world: &World) -> Verdict {
    let part = has.unwrap_or_default().to_lowercase();
    let found = world.findings().iter().any(|finding| {
        finding.path == path
            && level.is_none_or(|level| finding.severity == level)
            && finding.text.to_lowercase().contains(&part)
    });
    let level = level.map_or_else(|| "finding".to_owned(), |level| level.to_string());
    let part = has.map(|part| format!(" that has {part:?}")).unwrap_or_default();
    Verdict::of(found, format_args!("{level} on `{path}`{part}"), world.findings_text())
}

pub(super) fn none(path: Option<&str>, world: &World) -> Verdict {
    let loud: Vec<_> = world
        .findings()
        .into_iter()
        .filter(|finding| finding.severity > Severity::Info && path.is_none_or(|path| finding.path == path))
        .map(|finding| finding.to_string())
        .collect();
    Verdict::of(loud.is_empty(), "no finding above info", loud.join("; "))
}

/// A finding above info that names `what` and one of the words for leaving something out.
pub(super) fn says_dropped(what: &str, world: &World) -> Verdict {
    let says = world.findings().iter().any(|finding| {
        let text = finding.text.to_lowercase();
        finding.severity > Severity::Info
            && text.contains(what)
            && ["dropped", "left out", "ignored"].iter().any(|word| text.contains(word))
    });
    Verdict::of(says, format_args!("a finding that says `{what}` was dropped"), world.findings_text())
}
