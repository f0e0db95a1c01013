//! How a run ended.

use std::process::ExitCode;

/// How a run ended; the number is the process's exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Exit {
    /// Done, and nothing to object to.
    Success = 0,
    /// `check` found an error, or with `--strict` a warning; `verify` found a difference; `fmt` left a file as it is, or
    /// without writing would have changed one.
    Findings = 1,
    /// What was asked could not be done: wrong use, a missing folder, an unknown name, a broken configuration.
    Failure = 2,
}

impl Exit {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
