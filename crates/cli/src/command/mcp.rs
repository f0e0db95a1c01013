//! `repertoire mcp`.

pub(super) mod config;

use clap::{Args, Subcommand};

use crate::answer::Answer;
use crate::failure::Failure;

/// Print what an MCP client has to be told of this server.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Config(config::Config),
}

impl Mcp {
    pub(crate) fn answer(&self, clients: &[String]) -> Result<impl Answer + use<>, Failure> {
        let Action::Config(config) = &self.action;
        config.answer(clients)
    }
}
