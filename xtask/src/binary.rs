//! The programs and libraries of the workspace that tasks run, built by cargo.

use std::path::PathBuf;

use crate::{Failure, step, workspace};

/// The profile of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// The profile of tests.
    Debug,
    /// The profile of programs whose time a check compares.
    Measured,
    /// The profile of releases.
    Release,
}

impl Profile {
    /// Builds a target of a package, such as `--bin NAME`, and returns the folder that it is in.
    pub(crate) fn build(self, package: &str, target: &str) -> Result<PathBuf, Failure> {
        let selected = match self {
            // With the features of `xtask`, every dependency is as the tests compiled it.
            Profile::Debug => "-p xtask",
            Profile::Measured => "--profile measured",
            Profile::Release => "--release",
        };
        let line = format!("cargo build --quiet {selected} -p {package} {target}");
        step::run(&line).map_err(|failure| format!("`{line}` {failure}"))?;
        self.folder()
    }

    /// Returns the folder of everything that is built.
    pub(crate) fn folder(self) -> Result<PathBuf, Failure> {
        let name = match self {
            Profile::Debug => "debug",
            Profile::Measured => "measured",
            Profile::Release => "release",
        };
        Ok(workspace::target()?.join(name))
    }

    /// Builds the command line, and returns its path.
    pub(crate) fn command_line(self) -> Result<PathBuf, Failure> {
        let folder = self.build("repertoire-cli", "--bin repertoire")?;
        Ok(folder
            .join("repertoire")
            .with_extension(std::env::consts::EXE_EXTENSION))
    }
}
