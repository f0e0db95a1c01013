//! The program in which a plugin runs alone.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use repertoire_core::{Digest, SourceError};
use repertoire_plugin_sdk::message::Failure;
use rustix::process::{Resource, Rlimit, Signal, getpgrp, getpid, kill_process_group, setrlimit};

use crate::PluginError;
use crate::file::PluginFile;
use crate::frame::{self, Frame};
use crate::guest::{Door, Guest};
use crate::library::{Instance, Library};

/// Loads the plugin that the arguments name and answers what comes in on standard input: the whole of the program
/// `repertoire-plugin-host`, and of any other whose first argument is `plugin-host`.
///
/// The other arguments: the file, its digest, bytes of address space, and seconds of processor time. Ends when its input
/// does, and takes its process group with it.
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

/// What a program of several uses is told by: its first argument.
pub(crate) const PLUGIN_HOST: &str = "plugin-host";

/// What the process may use.
struct Limits {
    memory: u64,
    cpu: u64,
}

fn parsed(arguments: &[OsString]) -> Option<(&Path, Digest, Limits)> {
    let [word, file, digest, memory, cpu] = arguments else { return None };
    if word != PLUGIN_HOST {
        return None;
    }
    let limits = Limits { memory: memory.to_str()?.parse().ok()?, cpu: cpu.to_str()?.parse().ok()? };
    Some((file.as_ref(), digest.to_str()?.parse().ok()?, limits))
}

type Output = Arc<Mutex<File>>;

fn serve(path: &Path, digest: Digest, limits: Limits) -> io::Result<()> {
    let limit = |resource, most, hard| setrlimit(resource, Rlimit { current: Some(most), maximum: Some(hard) });
    limit(Resource::As, limits.memory, limits.memory)?;
    // The first ends with a signal that tells why; the second cannot be ignored.
    limit(Resource::Cpu, limits.cpu, limits.cpu.saturating_add(1))?;
    limit(Resource::Core, 0, 0)?;
    let (mut input, output) = take_streams()?;
    let output = Arc::new(Mutex::new(output));
    let Some(first) = frame::read(&mut input, |_| Door::Body.limit())? else { return Ok(()) };
    let instance = match open(path, digest, &first) {
        Ok(instance) => Arc::new(instance),
        Err(error) => return reply(&output, first.call, Err(&error)),
    };
    reply(&output, first.call, Ok(instance.features().as_bytes()))?;
    // As in the host's own process: one call at a time, and one that waits beside it.
    let calls = clerk("calls", instance.clone(), output.clone())?;
    let waits = clerk("waits", instance, output)?;
    while let Some(frame) = frame::read(&mut input, |_| Door::Body.limit())? {
        let desk = if frame.tag == Door::Wait as u32 { &waits } else { &calls };
        if desk.send(frame).is_err() {
            break;
        }
    }
    // The host is gone, or wants this to be: whatever the plugin started goes too. A group of others is left alone.
    if getpgrp() == getpid() {
        kill_process_group(getpgrp(), Signal::KILL)?;
    }
    Ok(())
}

/// Standard input and output, which the plugin cannot reach any more: what it prints goes to standard error.
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

fn open(path: &Path, expected: Digest, first: &Frame) -> Result<Instance, SourceError> {
    let file = PluginFile::read(path)?;
    if file.digest != expected {
        let (path, found) = (file.path, file.digest);
        return Err(PluginError::Changed { path, approved: expected, found, pinned: true }.into());
    }
    Instance::create(Library::load(&file)?, &first.message)
}

/// A thread that answers one call after another.
fn clerk(name: &str, instance: Arc<Instance>, output: Output) -> io::Result<mpsc::Sender<Frame>> {
    let (desk, frames) = mpsc::channel::<Frame>();
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        for frame in frames {
            let door = Door::ALL.into_iter().find(|door| *door as u32 == frame.tag);
            let answer = match door {
                Some(door) => instance.call(door, &frame.message),
                None => Err(SourceError::invalid("the host asks for what this process does not know")),
            };
            let answer = answer.as_deref();
            if reply(&output, frame.call, answer).is_err() {
                break;
            }
        }
    })?;
    Ok(desk)
}

fn reply(output: &Output, call: u32, answer: Result<&[u8], &SourceError>) -> io::Result<()> {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    match answer {
        Ok(message) => frame::write(&mut *output, call, 0, message),
        Err(error) => frame::write(&mut *output, call, frame::ERROR, &serde_json::to_vec(&Failure::of(error))?),
    }
}
