//! The helper: another program, or the host's own, that does for one run what the host cannot do in its process.

use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use close_fds::CloseFdsBuilder;

use super::confinement::CONFINE;
use super::told::{HOLD, KEEP};
use super::{confined, keeper};

/// Does what the main function of a helper program does: takes the arguments that a [`Runner`](crate::Runner) gave it, without
/// the program's name, and keeps or confines the command that they name.
///
/// With the arguments [`HOLD`], bytes of address space or `-`, a program and its arguments it runs that program, which has its
/// standard streams. All that the program started ends with it: when it ends by itself, when the other end of its standard
/// input is closed, and when this process gets the signal `TERM`. It ends as the program did.
pub fn helper(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    help(&mut arguments.into_iter()).unwrap_or_else(|error| {
        let _ = writeln!(std::io::stderr(), "{error}");
        // What a shell says of a command that it cannot run.
        ExitCode::from(127)
    })
}

fn help(arguments: &mut dyn Iterator<Item = OsString>) -> Result<ExitCode, Box<dyn Error>> {
    // What the host was started with, or opened, is not for the command. The standard streams are.
    CloseFdsBuilder::new().cloexecfrom(3);
    match arguments.next() {
        Some(task) if task == KEEP => keeper::keep(arguments).map(|()| ExitCode::SUCCESS),
        Some(task) if task == HOLD => keeper::hold(arguments),
        Some(task) if task == CONFINE => confined::confine(arguments).map(|never| match never {}),
        _ => Err(format!("expected `{KEEP}`, `{HOLD}` or `{CONFINE}`, and a command").into()),
    }
}
