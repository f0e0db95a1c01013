//! Running the commands and scripts of a body: feature `process`.
#![allow(
    clippy::disallowed_methods,
    reason = "this module, and no other of the crate, starts processes and reads files"
)]

mod interpreter;
mod run;
mod runner;
mod sandbox;
mod verified_copy;

pub use interpreter::CommandShell;
pub use run::RunLimits;
pub use runner::{Call, DirectiveRunner};
pub use sandbox::Confinement;

#[cfg(all(target_os = "linux", feature = "sandbox"))]
pub use {helper::helper, repertoire_process::SUPERVISE};

#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod helper {
    use std::error::Error;
    use std::ffi::OsString;
    use std::io::Write;
    use std::process::ExitCode;

    use close_fds::CloseFdsBuilder;
    use repertoire_process::{RUN, SUPERVISE, run, supervise};

    use super::sandbox::{CONFINE, confine};

    /// Executes the main function of a helper program, for the arguments of the program without its name.
    ///
    /// The first argument selects the task:
    ///
    /// - `run`: runs a command for a [`DirectiveRunner`](crate::DirectiveRunner) and ends everything that it started.
    /// - `confine`: gives up rights and becomes the command.
    /// - [`SUPERVISE`], bytes of address space or `-`, a program and its arguments: runs the program, which inherits the standard
    ///   streams. Everything that it started ends when it does, when the other end of standard input closes, or on the signal
    ///   `TERM`. Returns its exit code.
    pub fn helper(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
        dispatch(&mut arguments.into_iter()).unwrap_or_else(|error| {
            let _ = writeln!(std::io::stderr(), "{error}");
            // The exit code of a shell for a command that it cannot run.
            ExitCode::from(127)
        })
    }

    fn dispatch(arguments: &mut dyn Iterator<Item = OsString>) -> Result<ExitCode, Box<dyn Error>> {
        // The command inherits the standard streams and no other open file of the host.
        CloseFdsBuilder::new().cloexecfrom(3);
        match arguments.next() {
            Some(task) if task == RUN => run(arguments).map(|()| ExitCode::SUCCESS),
            Some(task) if task == SUPERVISE => supervise(arguments),
            Some(task) if task == CONFINE => confine(arguments).map(|never| match never {}),
            _ => {
                Err(format!("expected `{RUN}`, `{SUPERVISE}` or `{CONFINE}`, and a command").into())
            }
        }
    }
}
