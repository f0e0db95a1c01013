//! Checks against what a case turned out to be.

mod catalog;
mod command;
mod door;
mod finding;
mod listing;
mod mcp;
mod never;
mod render;
mod skill;
mod watches;

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::check::Check;
use super::verdict::Verdict;
use super::world::World;

/// How `check` ends. A panic of what is tested is a failure of the check.
pub(crate) fn verify(check: &Check, world: &World) -> Verdict {
    catch(|| ended(check, world)).unwrap_or_else(|panic| {
        world.panicked(&panic);
        Verdict::fails("no panic", panic)
    })
}

/// What `work` gives, or what its panic said.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        format!("a panic: {}", text.unwrap_or("without a message"))
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
        Check::UserList(want) => listing::user_list(want, world),
        Check::Render(line) => render::render(line, world),
        Check::Command(line) => command::command(line, world),
        Check::Within(limit) => command::scan_within(*limit, world),
        Check::Memory(limit) => command::scan_below(*limit, world),
        Check::Activate(activation) => door::activate(activation, world),
        Check::Tools(names) => door::tools(names, world),
        Check::ToolsEnum(names) => door::tools_enum(names, world),
        Check::Disabled(names, check) => door::disabled(names, check, world),
        Check::Either(checks) => Verdict::any(checks.iter().map(|check| verify(check, world))),
        Check::Never(things) => Verdict::all(things.iter().map(|thing| never::never(thing, world))),
        // Those of a step that there is are checked one by one, after it.
        Check::After { step, .. } => Verdict::fails("a step that there is", step),
        Check::CatalogUnchanged => catalog::unchanged(world),
        Check::Watches(limit) => watches::at_most(*limit, world),
        Check::Mcp(line) => mcp::mcp(line, world),
        Check::Missing(feature) => Verdict::missing(feature),
    }
}
