//! `repertoire plugin`.

pub(super) mod begin;
pub(super) mod decide;
pub(super) mod inspect;
pub(super) mod list;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use repertoire::{Approvals, Inspection, approvals_in};

use crate::answer::Answer;
use crate::failure::Failure;

/// Decide which plugins may run, look at one without running it, or begin one.
#[derive(Debug, Args)]
pub(crate) struct Plugin {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::List),
    Inspect(inspect::Inspect),
    Approve(decide::Approve),
    Revoke(decide::Revoke),
    New(begin::New),
}

impl Plugin {
    pub(crate) fn answer(&self, cwd: &Path, state: Option<&Path>) -> Result<Box<dyn Answer>, Failure> {
        Ok(match &self.action {
            Action::List(list) => Box::new(list.answer(&approvals(state)?)),
            Action::Inspect(inspect) => Box::new(inspect.answer(cwd, state)?),
            Action::Approve(approve) => Box::new(approve.answer(cwd, approvals(state)?)?),
            Action::Revoke(revoke) => Box::new(revoke.answer(cwd, approvals(state)?)?),
            Action::New(new) => Box::new(new.answer(cwd)?),
        })
    }
}

fn approvals(state: Option<&Path>) -> Result<Approvals, Failure> {
    let Some(state) = state else {
        let failure = Failure::new("the folder for the state of programs is not known here");
        return Err(failure.help("set `HOME` or `XDG_STATE_HOME`"));
    };
    Approvals::read(approvals_in(state)).map_err(|error| Failure::of(&error))
}

fn inspected(cwd: &Path, path: &PathBuf) -> Result<Inspection, Failure> {
    Inspection::of(&cwd.join(path)).map_err(|error| Failure::of(&error))
}
