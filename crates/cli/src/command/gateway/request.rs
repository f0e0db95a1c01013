//! Requests to a gateway that runs in a different process.

use std::path::Path;
use std::time::{Duration, Instant};

use super::state_folder::StateFolder;
use super::{GatewayOutput, SavedState};
use crate::failure::Failure;
use crate::signals::Signal;

/// The time that `reload` and `stop` wait for the gateway.
const PATIENCE: Duration = Duration::from_secs(60);

/// The interval at which `reload` reads the state.
const POLL: Duration = Duration::from_millis(20);

/// Makes the gateway of `folder` reload, and returns its state afterwards.
pub(super) async fn request_reload(folder: &Path) -> Result<GatewayOutput, Failure> {
    let saved = running(folder)?;
    // A reload in progress may have begun before the file was edited.
    let wanted = saved.finished + 1 + u64::from(saved.is_reloading);
    signal(&saved, Signal::Reload)?;
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let now = running(folder)?;
        if now.finished >= wanted {
            return Ok(now.output);
        }
        tokio::time::sleep(POLL).await;
    }
    Err(Failure::new("the gateway has not reloaded within a minute"))
}

/// Stops the gateway of `folder`, and waits for its end.
pub(super) async fn request_stop(folder: &Path) -> Result<(), Failure> {
    let saved = running(folder)?;
    signal(&saved, Signal::Stop)?;
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if StateFolder::read(folder)?.is_none() {
            return Ok(());
        }
        tokio::time::sleep(POLL).await;
    }
    Err(Failure::new("the gateway has not stopped within a minute"))
}

fn running(folder: &Path) -> Result<SavedState, Failure> {
    StateFolder::read(folder)?.ok_or_else(|| {
        let failure = Failure::new(format!("no gateway uses `{}`", folder.display()));
        failure.help("start one with `repertoire gateway start`")
    })
}

#[cfg(unix)]
fn signal(saved: &SavedState, signal: Signal) -> Result<(), Failure> {
    use rustix::process::{Pid, Signal as Number, kill_process};

    let number = match signal {
        Signal::Stop => Number::TERM,
        Signal::Reload => Number::HUP,
    };
    let process = saved.output.process.and_then(|id| i32::try_from(id).ok());
    let Some(process) = process.and_then(Pid::from_raw) else {
        return Err(Failure::new("the gateway is starting"));
    };
    kill_process(process, number)
        .map_err(|error| Failure::io("cannot signal the gateway", &error.into()))
}

#[cfg(not(unix))]
fn signal(_: &SavedState, _: Signal) -> Result<(), Failure> {
    Err(Failure::new(
        "this system has no signals; stop the process instead",
    ))
}
