//! The promises of this crate, tested through its public API.

mod approvals;
mod claude;
mod cortex;
#[cfg(target_os = "linux")]
mod helper;
mod laws;
mod output;
mod places;
#[cfg(unix)]
mod process;
#[cfg(target_os = "linux")]
mod sandbox;
mod syntax;
mod wrapper;

use repertoire_render::{
    Arguments, CapturedOutput, CompletedRun, Context, Dialect, Directive, DirectiveOutcome, Plan,
    RunEnd, Syntax,
};

/// A body with what was typed, in a dialect that is named.
fn named(dialect: Dialect, body: &str, typed: &str) -> String {
    with(&Syntax::new(dialect), body, typed)
}

/// A body with what was typed, when nothing is known of it.
fn plain(body: &str, typed: &str) -> String {
    with(&Syntax::default(), body, typed)
}

fn with(syntax: &Syntax, body: &str, typed: &str) -> String {
    let context = Context::new()
        .arguments(Arguments::new(typed))
        .skill_dir("/skills/it");
    Plan::new(body, syntax)
        .render(&context, [])
        .expect("nothing aborts")
        .text
        .into_owned()
}

/// Returns the outcome of a command that printed `stdout` and succeeded.
fn printed(stdout: &str) -> DirectiveOutcome {
    ended(RunEnd::Exit(0), stdout, "")
}

fn directives(body: &str) -> Vec<Directive> {
    Plan::new(body, &Syntax::default()).directives().to_vec()
}

fn ended(ended: RunEnd, stdout: &str, stderr: &str) -> DirectiveOutcome {
    let stream = |text: &str| CapturedOutput::new(text.as_bytes(), text.len() as u64);
    DirectiveOutcome::Ran(CompletedRun::new(ended, stream(stdout), stream(stderr)))
}
