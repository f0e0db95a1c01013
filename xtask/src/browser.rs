//! `cargo xtask browser`: opens the page of the gateway in Chromium.

use std::fs;
use std::process::Command;

use clap::Args;

use crate::binary::Profile;
use crate::{Failure, step, venv, workspace};

/// The options of the check.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Also write the pictures of the documentation, into `docs/book/src/pictures`.
    #[arg(long)]
    pictures: bool,
}

/// Installs axe-core, builds the gateway and runs the tests of `tests/browser`.
///
/// # Errors
/// Fails without a browser, and if a test fails.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    for program in ["chromium", "chromedriver"] {
        if !step::succeeds(&format!("{program} --version")) {
            let advice = "`apt-get install chromium chromium-driver` installs it on Debian";
            return Err(format!("`{program}` does not start; {advice}").into());
        }
    }
    let target = workspace::target()?;
    let (scratch, tests) = (
        target.join("browser"),
        workspace::root().join("tests/browser"),
    );
    let pictures = scratch.join("pictures");
    fs::create_dir_all(&pictures)?;
    step::step("node", "python3 -m venv; venv/bin/npm install", || {
        venv::venv(&scratch, &tests.join("requirements.txt"))?;
        venv::npm(&scratch, &tests.join("package.json"))
    })?;
    let program = Profile::Debug.command_line()?;
    // One at a time: each starts a browser of its own.
    let line = workspace::outside("test", "tests/browser", "-- --test-threads 1");
    step::step("tests in Chromium", &line, || {
        let mut words = line.split_whitespace();
        let mut cargo = Command::new(words.next().expect("the line names a program"));
        cargo
            .args(words)
            .current_dir(workspace::root())
            .env("REPERTOIRE", program)
            .env("AXE", scratch.join("node_modules/axe-core/axe.min.js"))
            .env("PICTURES", &pictures);
        if options.pictures {
            let documented = workspace::root().join("docs/book/src/pictures");
            fs::create_dir_all(&documented)?;
            cargo.env("DOCUMENTED_PICTURES", documented);
        }
        venv::call(&mut cargo)
    })
}
