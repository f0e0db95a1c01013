//! The command line `repertoire`, as a library.
//!
//! ```
//! use repertoire_cli::{Environment, Exit, Stream, run};
//!
//! let mut kinds = Vec::new();
//! let environment = Environment::new("/").stdout(Stream::new(&mut kinds));
//! assert_eq!(run(["repertoire", "kinds"], environment), Exit::Success);
//! assert!(String::from_utf8(kinds)?.contains("fs"));
//! # Ok::<(), std::string::FromUtf8Error>(())
//! ```
//!
//! # Embedding
//! [`run`] runs one command line in your process, for tests and tools. It reads files, writes those that the command is
//! documented to write, and accesses nothing else but its [`Environment`]. Results go to `stdout`; notes and errors go to
//! `stderr`. The [`Exit`] distinguishes problems from failures. With `--json` the output is one document, described by
//! `docs/schema/repertoire-1.json`; fields are only added within its version.
//!
//! # Custom source types
//! Link your own source types into a binary of three lines. Configuration files can then use the types that the linked crates
//! submitted.
//!
//! ```text
//! use haiku_source as _;
//!
//! fn main() -> std::process::ExitCode {
//!     repertoire_cli::main!()
//! }
//! ```
//!
//! # Features
//! | feature | content |
//! |---|---|
//! | `gateway` | the commands `gateway` and `workflow`; enables `mcp` |
//! | `install` | the commands `accept`, `add`, `installed`, `outdated`, `remove`, `store`, `sync` and `update`, and the kinds `http` and `oci` of sources |
//! | `mcp` | the commands `serve` and `mcp`, and the kind `mcp` of sources; enables `process` |
//! | `notify` | the option `watch = { by = "notify" }` on Linux |
//! | `oauth` | `[gateway.oauth]` of the configuration file; enables `gateway` |
//! | `otlp` | traces for a collector of OpenTelemetry, by the variables `OTEL_*`; enables `mcp` |
//! | `plugin` | the command `plugin`, and the kinds `plugin` and `process` |
//! | `process` | the commands `directives` and `approve`, and the programs that skills run |
//! | `render` | the commands `render` and `simulate`; enables `process` |
//! | `watch` | `status --watch` |
//!
//! All but `oauth` and `otlp` are enabled by default. A binary with a kind of its own builds faster without those that it does not need.
//!
//! # Contributing
//! A command is a file in `src/command`: its arguments, and an output that is printed for people and as JSON. The JSON consists
//! of the serialized fields of the output; its schema is derived from the same fields with the feature `schema`, which only
//! `cargo xtask gen` enables. A new command needs a branch in `command.rs` and a line in the test that checks every output
//! against the schema.
//!
//! Text from other people is escaped before it goes to a terminal. `report.rs` draws every failure and diagnostic. The working
//! folder and the home folder come from the environment: only `Environment::from_process` reads the process.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Some items serve only commands that a feature adds.
#![cfg_attr(
    not(feature = "default"),
    allow(dead_code, unused_imports, unused_variables)
)]

#[cfg(feature = "install")]
mod accepted_content;
mod agent_server;
mod agent_views;
mod agents;
mod arguments;
mod builtin;
mod command;
#[cfg(feature = "process")]
mod command_approval;
mod completion;
mod compose;
mod configuration_file;
mod context;
mod denied_content;
mod diagnostics;
mod environment;
mod failure;
#[cfg(feature = "install")]
mod fetching;
mod fields;
mod file_slot;
mod folder_sources;
#[cfg(any(feature = "mcp", feature = "watch"))]
mod followed_files;
#[cfg(feature = "mcp")]
mod followed_policy;
mod host_probe;
mod http_answer;
#[cfg(feature = "install")]
mod install_plan;
#[cfg(feature = "install")]
mod install_policy;
#[cfg(feature = "install")]
mod installation;
mod lock;
#[cfg(feature = "mcp")]
mod log;
#[cfg(feature = "install")]
mod new_content;
mod observed_agent;
mod options;
#[cfg(feature = "install")]
mod other_lock;
mod output;
mod prompt_files;
mod provenance;
mod relative_path;
mod report;
mod row;
mod run;
mod sarif;
#[cfg(feature = "schema")]
mod schema;
mod screen_text;
#[cfg(feature = "watch")]
mod settings_entry;
#[cfg(any(feature = "mcp", feature = "watch"))]
mod settings_file;
mod signals;
mod source_cache;
mod styled_line;
mod table;
mod text_file;
#[cfg(feature = "otlp")]
mod trace_export;
mod transcripts;
mod utc;

pub use environment::{Environment, Stream};
pub use output::Exit;
pub use run::{main, run};
#[cfg(feature = "schema")]
pub use schema::schemas;
pub use signals::Signal;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
