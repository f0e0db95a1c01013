//! The command line `repertoire`, as a library.
//!
//! ```
//! use repertoire_cli::{Environment, Exit, Stream, run};
//!
//! let mut kinds = Vec::new();
//! let environment = Environment { stdout: Stream::new(&mut kinds), ..Environment::quiet("/") };
//! assert_eq!(run(["repertoire", "kinds"], environment), Exit::Success);
//! assert!(String::from_utf8(kinds)?.contains("fs"));
//! # Ok::<(), std::string::FromUtf8Error>(())
//! ```
//!
//! # For hosts
//! [`run`] is one command line in your process, for tests and tools: it reads files, writes those that a command is there to
//! write, and sees nothing else of the world but its [`Environment`]. Data goes to `stdout` and talk to `stderr`. The [`Exit`]
//! tells findings from failures. With `--json` an answer is one document; `docs/schema/repertoire-1.json` describes it, and
//! within its version fields are only added.
//!
//! # For authors of sources
//! Anyone links own kinds of sources: a binary of three lines, and configuration files know the kind that its crate submitted.
//!
//! ```no_run
//! // use haiku_source as _;
//! fn main() -> std::process::ExitCode {
//!     repertoire_cli::main()
//! }
//! ```
//!
//! # For whoever changes this crate
//! A command is a file in `src/command`: its arguments, and an answer that is said twice, for people and as JSON. The JSON is
//! the answer's own fields, serialised; its schema is derived from the same fields with the feature `schema`, which nothing but
//! `cargo xtask gen` switches on. A new command takes a branch in `command.rs` and a line in the test that holds every answer
//! to the schema.
//!
//! Every text that is not ours passes through `shown` on its way to a terminal. Failures and findings are drawn in one place,
//! `report.rs`, with the line that they are about. Where the working folder or the home folder is needed, it comes from the
//! environment that was handed in: only `Environment::of_process` asks the process.

mod answer;
mod approved;
mod arguments;
mod bodies;
mod builtin;
mod command;
mod compose;
mod config;
mod environment;
mod exit;
mod failure;
mod fields;
mod finding;
mod lock;
mod log;
mod machine;
mod page;
mod pool;
mod provenance;
mod replace;
mod report;
mod row;
mod run;
mod sarif;
#[cfg(feature = "schema")]
mod schema;
mod session;
mod shown;
mod signals;
mod table;

pub use environment::{Answers, Environment, Stream};
pub use exit::Exit;
pub use log::Log;
pub use run::{main, run};
#[cfg(feature = "schema")]
pub use schema::schemas;
pub use signals::{Signal, Signals};
