//! The command line `repertoire`.
fn main() -> std::process::ExitCode {
    repertoire_cli::main!()
}
