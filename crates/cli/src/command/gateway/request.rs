//! Requests to a gateway that runs in a different process.

use std::path::Path;
use std::time::{Duration, Instant};

use repertoire_gateway::GatewayState;

use super::gateway_output::{GatewayOutput, SavedState};
use super::state_folder::StateFolder;
use crate::failure::Failure;

/// A signal to a gateway.
#[derive(Debug, Clone, Copy)]
enum Request {
    Stop,
    Reload,
    Pause,
    Resume,
}

/// The time that a command waits for the gateway.
const PATIENCE: Duration = Duration::from_secs(60);

/// The interval at which a command reads the state.
const POLL: Duration = Duration::from_millis(20);

/// Makes the gateway of `folder` reload, and returns its state afterwards.
pub(super) async fn request_reload(folder: &Path) -> Result<GatewayOutput, Failure> {
    let saved = running(folder)?;
    // A reload in progress may have begun before the file was edited.
    let wanted = saved.finished + 1 + u64::from(saved.is_reloading);
    signal(&saved, Request::Reload)?;
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

/// Pauses the gateway of `folder`, and returns its state afterwards.
pub(super) async fn request_pause(folder: &Path) -> Result<GatewayOutput, Failure> {
    request_state(folder, Request::Pause, GatewayState::Paused).await
}

/// Ends the pause of the gateway of `folder`, and returns its state afterwards.
pub(super) async fn request_resume(folder: &Path) -> Result<GatewayOutput, Failure> {
    request_state(folder, Request::Resume, GatewayState::Running).await
}

async fn request_state(
    folder: &Path,
    request: Request,
    wanted: GatewayState,
) -> Result<GatewayOutput, Failure> {
    let saved = running(folder)?;
    signal(&saved, request)?;
    let (begun, wanted) = (Instant::now(), wanted.to_string());
    while begun.elapsed() < PATIENCE {
        let now = running(folder)?;
        if now.output.state.as_ref() == Some(&wanted) {
            return Ok(now.output);
        }
        tokio::time::sleep(POLL).await;
    }
    Err(Failure::new(format!(
        "the gateway is not {wanted} after a minute"
    )))
}

/// Stops the gateway of `folder`, and waits for its end.
pub(super) async fn request_stop(folder: &Path) -> Result<(), Failure> {
    let saved = running(folder)?;
    signal(&saved, Request::Stop)?;
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
fn signal(saved: &SavedState, request: Request) -> Result<(), Failure> {
    use rustix::process::{Pid, Signal, kill_process};

    let signal = match request {
        Request::Stop => Signal::TERM,
        Request::Reload => Signal::HUP,
        Request::Pause => Signal::USR1,
        Request::Resume => Signal::USR2,
    };
    let process = saved.output.process.and_then(|id| i32::try_from(id).ok());
    let Some(process) = process.and_then(Pid::from_raw) else {
        return Err(Failure::new("the gateway is starting"));
    };
    kill_process(process, signal)
        .map_err(|error| Failure::io("cannot signal the gateway", &error.into()))
}

#[cfg(not(unix))]
fn signal(_: &SavedState, _: Request) -> Result<(), Failure> {
    Err(Failure::new(
        "this system has no signals; stop the process instead",
    ))
}
