//! The command line with one more kind of source.
use haiku_source as _;
fn main() -> std::process::ExitCode {
    repertoire_cli::main!()
}
