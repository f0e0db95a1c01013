//! The command line `repertoire`, as a library.
//!
//! Anyone links own kinds of sources to it: a binary of three lines, and configuration files know the kind.
//!
//! ```no_run
//! // use haiku_source as _;
//! fn main() -> std::process::ExitCode {
//!     repertoire_cli::main()
//! }
//! ```
//!
//! Tests and tools call [`run`] in the same process; it reads files and nothing else of the world but its [`Environment`].
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

mod answer;
mod arguments;
mod builtin;
mod command;
mod compose;
mod config;
mod environment;
mod exit;
mod failure;
mod file;
mod finding;
mod lock;
mod page;
mod pool;
mod provenance;
mod replace;
mod report;
mod row;
mod run;
mod sarif;
mod session;
mod shown;
mod signals;
mod table;

pub use environment::{Environment, Stream};
pub use exit::Exit;
pub use run::{main, run};
pub use signals::{Signal, Signals};
