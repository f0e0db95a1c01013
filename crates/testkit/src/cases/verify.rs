//! Evaluates checks.

mod catalog;
mod command;
mod delivery;
mod listing;
mod mcp;
mod never;
mod skill;

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::check::Check;
use super::test_env::TestEnv;
use super::verdict::Verdict;

/// Evaluates `check`. A panic of the tested code is a failure.
pub(crate) fn verify(check: &Check, env: &TestEnv) -> Verdict {
    catch(|| ended(check, env)).unwrap_or_else(|panic| {
        env.panicked(&panic);
        Verdict::fails("no panic", panic)
    })
}

pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        format!("a panic: {}", text.unwrap_or("without a message"))
    })
}

fn ended(check: &Check, env: &TestEnv) -> Verdict {
    match check {
        Check::Loads(names) => Verdict::same(names, &env.offered()),
        Check::LoadsAtLeast(names) => listing::at_least(names, env),
        Check::LoadCount(count) => Verdict::same(count, &env.offered().len()),
        Check::Skips(paths) => listing::skips(paths, env),
        Check::Shadowed(rows) => listing::shadowed(rows, env),
        Check::Field(subject, field, want) => skill::field(subject, field, want, env),
        Check::Body(name, want) => skill::body(name, want, env),
        Check::Read { name, path, want } => skill::read(name, path, want, env),
        Check::Resources(name, want) => skill::resources(name, want, env),
        Check::Diagnostic { level, path, has } => {
            listing::diagnostic(*level, path, has.as_deref(), env)
        }
        Check::NoDiagnostic(path) => listing::no_diagnostic(path.as_deref(), env),
        Check::SaysDropped(what) => listing::reports_dropped(what, env),
        Check::Catalog { budget, want } => catalog::catalog(*budget, want, env),
        Check::CatalogAtEveryBudget(budgets) => catalog::at_every_budget(budgets.clone(), env),
        Check::UserList(want) => listing::user_list(want, env),
        Check::Render(line) => skill::render(line, env),
        Check::Command(line) => command::command(line, env),
        Check::Within(limit) => command::scan_within(*limit, env),
        Check::Memory(limit) => command::scan_below(*limit, env),
        Check::Activate(activation) => delivery::activate(activation, env),
        Check::Session(line) => delivery::session(line, env),
        Check::Tools(names) => delivery::tools(names, env),
        Check::ToolsEnum(names) => delivery::tools_enum(names, env),
        Check::Disabled(names, check) => delivery::disabled(names, check, env),
        Check::Either(checks) => Verdict::any(checks.iter().map(|check| verify(check, env))),
        Check::Never(things) => Verdict::all(things.iter().map(|thing| never::never(thing, env))),
        // Lines of an existing step are evaluated after that step.
        Check::After { step, .. } => Verdict::fails("an existing step", step),
        Check::CatalogUnchanged => catalog::unchanged(env),
        Check::Watches(limit) => env.watches_at_most(*limit),
        Check::Mcp(line) => mcp::mcp(line, env),
    }
}
