//! The command line with one more kind of source.

use stranger as _;

fn main() -> std::process::ExitCode {
    repertoire_cli::main!()
}
