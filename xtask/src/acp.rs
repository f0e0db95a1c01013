//! The tests of agents that speak the Agent Client Protocol.

use crate::ci::OPTIONAL_TESTS;
use crate::{Failure, step, workspace};

/// An agent without a model, which needs no account.
const ELIZA: &str = "elizacp@12.0.0";

const HEADING: &str = "agents that speak ACP";

/// Runs the tests of the feature `acp`, with a real agent if it can be installed.
///
/// # Errors
/// Fails if a test fails.
pub(crate) fn run() -> Result<(), Failure> {
    let tests = format!(
        "{} -E package(repertoire-agent-runtime)&test(acp)",
        *OPTIONAL_TESTS
    );
    step::command(HEADING, &tests)?;
    let root = tempfile::tempdir()?;
    let shown = root.path().display();
    // The folder of the build stays, so only the first run builds all of it.
    let build = workspace::root().join("target/elizacp");
    let install = format!(
        "cargo install --quiet --debug --locked {ELIZA} --root {shown} --target-dir {}",
        build.display()
    );
    if let Err(failure) = step::command("an agent that speaks ACP", &install) {
        step::skipped(
            HEADING,
            &format!("`elizacp` cannot be installed: {failure}"),
        );
        return Ok(());
    }
    let program = format!("REPERTOIRE_TEST_ELIZACP={shown}/bin/elizacp");
    step::command(HEADING, &format!("{program} {tests} --profile slow"))
}
