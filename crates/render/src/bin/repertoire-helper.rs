//! The helper of `repertoire_render::Runner`.
#![allow(
    clippy::disallowed_methods,
    reason = "a program reads its own arguments"
)]

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    repertoire_render::helper(std::env::args_os().skip(1))
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}
