//! The program in which a plugin runs alone.
fn main() -> std::process::ExitCode {
    #[cfg(unix)]
    return repertoire_source_plugin::plugin_host();
    #[cfg(not(unix))]
    std::process::ExitCode::FAILURE
}
