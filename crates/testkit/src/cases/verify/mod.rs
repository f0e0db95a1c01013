//! Checks against what a case turned out to be.

mod catalog;
mod command;
mod finding;
mod listing;
mod never;
mod skill;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::check::Check;
use super::verdict::Verdict;
use super::world::World;

/// How `check` ends. Never panics: a panic of what is tested is a failure, and the text of it is printed text.
pub(crate) fn verify(check: &Check, world: &World) -> Verdict {
    let ended = catch_unwind(AssertUnwindSafe(|| ended(check, world)));
    ended.unwrap_or_else(|panic| {
        let message = message(panic.as_ref());
        world.panicked(&message);
        Verdict::fails("no panic", message)
    })
}

fn ended(check: &Check, world: &World) -> Verdict {
    match check {
        Check::Loads(names) => Verdict::same(names, &world.offered()),
        Check::LoadsAtLeast(names) => listing::at_least(names, world),
        Check::LoadCount(count) => Verdict::same(count, &world.offered().len()),
        Check::Skips(paths) => listing::skips(paths, world),
        Check::Shadowed(rows) => listing::shadowed(rows, world),
        Check::Field(subject, field, want) => skill::field(subject, field, want, world),
        Check::Body(name, want) => skill::body(name, want, world),
        Check::Read { name, path, want } => skill::read(name, path, want, world),
        Check::Resources(name, want) => skill::resources(name, want, world),
        Check::Finding { level, path, has } => finding::finding(*level, path, has.as_deref(), world),
        Check::NoFinding(path) => finding::none(path.as_deref(), world),
        Check::SaysDropped(what) => finding::says_dropped(what, world),
        Check::Catalog { budget, want } => catalog::catalog(*budget, want, world),
        Check::CatalogAtEveryBudget(budgets) => catalog::at_every_budget(budgets.clone(), world),
        Check::Command(line) => command::command(line, world),
        Check::Within(limit) => command::scan_within(*limit, world),
        Check::Memory(limit) => command::scan_below(*limit, world),
        Check::Either(checks) => Verdict::any(checks.iter().map(|check| verify(check, world))),
        Check::Never(never) => never::never(never, world),
        Check::Missing(feature) => Verdict::missing(feature),
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a panic: {}", text.unwrap_or("without a message"))
}
