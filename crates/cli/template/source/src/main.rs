//! The command line `repertoire` with the source type `acme`.

use acme_crate as _;

fn main() -> std::process::ExitCode {
    repertoire_cli::main!()
}
