//! The program in which a plugin runs alone.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::thread;

use parking_lot::Mutex;
use repertoire_core::{Digest, SourceError};
use repertoire_plugin_sdk::message::FailureReply;
use rustix::process::{Resource, Rlimit, Signal, getpgrp, getpid, kill_process_group, setrlimit};

use crate::backend::{PluginBackend, PluginMethod};
use crate::file::PluginFile;
use crate::frame::{self, PluginFrame};
use crate::library::{Library, LoadedInstance};

/// Loads the plugin that the arguments name, and answers the requests on standard input until that ends.
///
/// This is the whole of the program `repertoire-plugin-host`, and of each other program whose first argument is `plugin-host`.
/// The other arguments are the file, its digest, bytes of address space, and seconds of processor time. At the end it kills its
/// process group.
pub fn plugin_host() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let Some((file, digest, limits)) = parsed(&arguments) else {
        eprintln!(
            "usage: {PLUGIN_HOST} FILE DIGEST BYTES SECONDS\n\nStarted by hosts, for plugins of the kind `process`."
        );
        return ExitCode::from(2);
    };
    match serve(file, digest, limits) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The first argument.
pub(crate) const PLUGIN_HOST: &str = "plugin-host";

struct HostLimits {
    memory: u64,
    cpu: u64,
}

fn parsed(arguments: &[OsString]) -> Option<(&Path, Digest, HostLimits)> {
    let [word, file, digest, memory, cpu] = arguments else {
        return None;
    };
    if word != PLUGIN_HOST {
        return None;
    }
    let limits = HostLimits {
        memory: memory.to_str()?.parse().ok()?,
        cpu: cpu.to_str()?.parse().ok()?,
    };
    Some((file.as_ref(), digest.to_str()?.parse().ok()?, limits))
}

type Output = Arc<Mutex<File>>;

fn serve(path: &Path, digest: Digest, limits: HostLimits) -> io::Result<()> {
    // At the soft limit of processor time a signal ends the process by name; the hard limit cannot be ignored.
    for (resource, soft, hard) in [
        (Resource::As, limits.memory, limits.memory),
        (Resource::Cpu, limits.cpu, limits.cpu.saturating_add(1)),
        (Resource::Core, 0, 0),
    ] {
        setrlimit(
            resource,
            Rlimit {
                current: Some(soft),
                maximum: Some(hard),
            },
        )?;
    }
    let (mut input, output) = take_streams()?;
    let output = Arc::new(Mutex::new(output));
    let Some(first) = frame::read(&mut input, |_| PluginMethod::Body.limit())? else {
        return Ok(());
    };
    let instance = match open(path, digest, &first) {
        Ok(instance) => Arc::new(instance),
        Err(error) => return send(&output, first.call, Err(&error)),
    };
    send(&output, first.call, Ok(instance.features().as_bytes()))?;
    // As in the host's own process: one call at a time, and a `wait` call beside it.
    let calls = spawn_call_thread("calls", instance.clone(), output.clone())?;
    let waits = spawn_call_thread("waits", instance, output)?;
    while let Some(frame) = frame::read(&mut input, |_| PluginMethod::Body.limit())? {
        let thread = if frame.tag == PluginMethod::Wait as u32 {
            &waits
        } else {
            &calls
        };
        if thread.send(frame).is_err() {
            break;
        }
    }
    // The host is gone or closed the input. The group may be another program's, which must stay.
    if getpgrp() == getpid() {
        kill_process_group(getpgrp(), Signal::KILL)?;
    }
    Ok(())
}

/// Returns standard input and output, and gives the plugin others: it reads nothing, and prints to standard error.
fn take_streams() -> io::Result<(File, File)> {
    let input: OwnedFd = rustix::io::dup(rustix::stdio::stdin())?;
    let output: OwnedFd = rustix::io::dup(rustix::stdio::stdout())?;
    for kept in [&input, &output] {
        rustix::io::fcntl_setfd(kept, rustix::io::FdFlags::CLOEXEC)?;
    }
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok((input.into(), output.into()))
}

fn open(path: &Path, expected: Digest, first: &PluginFrame) -> Result<LoadedInstance, SourceError> {
    let file = PluginFile::read(path)?.with_digest(expected)?;
    LoadedInstance::create(Library::load(&file)?, &first.message)
}

fn spawn_call_thread(
    name: &str,
    instance: Arc<LoadedInstance>,
    output: Output,
) -> io::Result<mpsc::Sender<PluginFrame>> {
    let (sender, frames) = mpsc::channel::<PluginFrame>();
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            for frame in frames {
                let method = PluginMethod::ALL
                    .into_iter()
                    .find(|method| *method as u32 == frame.tag);
                let reply = match method {
                    Some(method) => instance.call(method, &frame.message),
                    None => Err(SourceError::invalid("the host called an unknown method")),
                };
                if send(&output, frame.call, reply.as_deref()).is_err() {
                    break;
                }
            }
        })?;
    Ok(sender)
}

fn send(output: &Output, call: u32, reply: Result<&[u8], &SourceError>) -> io::Result<()> {
    let mut output = output.lock();
    match reply {
        Ok(message) => frame::write(&mut *output, call, 0, message),
        Err(error) => frame::write(
            &mut *output,
            call,
            frame::ERROR,
            &serde_json::to_vec(&FailureReply::new(error))?,
        ),
    }
}
