//! `repertoire mcp config`.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Map, Value, json};
use toml_edit::{Array, DocumentMut, Item, Table, value};

use crate::Stream;
use crate::answer::{Answer, json as fields};

/// Print what to paste into a client's configuration, so that it starts `repertoire serve` or connects to one that runs.
///
/// What stands behind `--` is passed on to `serve`.
#[derive(Debug, Args)]
pub(crate) struct Config {
    /// The client.
    #[arg(long = "for", value_name = "CLIENT", value_enum)]
    client: ClientName,
    /// The address of a server that runs, as in `http://127.0.0.1:8321/mcp`, in place of one that the client starts.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The environment variable with the token of that server.
    #[arg(long, value_name = "VARIABLE", requires = "url")]
    token_env: Option<String>,
    /// The program that the client starts.
    #[arg(long, value_name = "PATH", default_value = "repertoire")]
    program: String,
    /// What the client calls the server.
    #[arg(long, value_name = "NAME", default_value = "repertoire")]
    name: String,
    /// Arguments of `serve`.
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}
