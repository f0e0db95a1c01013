//! Which skills there are, and which files are hidden or skipped.

use repertoire_engine::Audience;

use crate::cases::check::Want;
use crate::cases::verdict::Verdict;
use crate::cases::world::World;

pub(super) fn at_least(names: &[String], world: &World) -> Verdict {
    let offered = world.offered();
    Verdict::of(
        names.iter().all(|name| offered.contains(name)),
        format_args!("{names:?} among others"),
        format_args!("{offered:?}"),
    )
}

pub(super) fn user_list(want: &Want, world: &World) -> Verdict {
    let snapshot = world.snapshot();
    let offered = snapshot.entries().iter().filter(|entry| Audience::User.sees(&entry.candidate));
    let offered = offered.map(|entry| entry.id.to_string()).collect();
    Verdict::of(want.holds(&offered), format_args!("{want:?}"), offered)
}

pub(super) fn skips(paths: &[String], world: &World) -> Verdict {
    Verdict::all(paths.iter().map(|path| {
        let snapshot = world.snapshot();
        let mut candidates = snapshot.entries().iter().flat_map(|entry| entry.candidates());
        if let Some(candidate) =
            candidates.find(|candidate| candidate.item.location.as_deref().map(|at| world.relative(at)) == Some(path))
        {
            return Verdict::fails(format_args!("no skill from `{path}`"), format_args!("`{}`", candidate.item.id));
        }
        let reported = world.findings().iter().any(|finding| finding.path == *path);
        Verdict::of(reported, format_args!("a finding on `{path}`"), world.findings_text())
    }))
}

pub(super) fn shadowed(rows: &[(String, String)], world: &World) -> Verdict {
    let snapshot = world.snapshot();
    let mut found = Vec::new();
    for entry in snapshot.entries() {
        for shadow in &entry.shadows {
            let path = shadow.candidate.item.location.as_deref().unwrap_or_default();
            found.push((entry.id.to_string(), world.relative(path).to_owned()));
        }
    }
    found.sort();
    let mut rows = rows.to_vec();
    rows.sort();
    Verdict::same(&rows, &found)
}
