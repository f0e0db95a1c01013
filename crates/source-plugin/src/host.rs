//! The program in which a plugin runs alone.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use repertoire_core::{Digest, SourceError};
use repertoire_plugin_sdk::message::Failure;
use rustix::process::{Resource, Rlimit, Signal, getpgrp, kill_process_group, setrlimit};

use crate::PluginError;
use crate::file::PluginFile;
use crate::frame::{self, Frame};
use crate::guest::{Door, Guest};
use crate::library::{Instance, Library};

/// Loads the plugin that the arguments name and answers what comes in on standard input: the whole of a program
/// `repertoire-plugin-host`.
///
/// Arguments: the file, its digest, and how many bytes of address space there are. Ends when its input does, and takes its
/// process group with it.
pub fn plugin_host() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let texts: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let parsed = match texts.as_slice() {
        [_, digest, memory] => digest.parse::<Digest>().ok().zip(memory.parse::<u64>().ok()),
        _ => None,
    };
    let Some((digest, memory)) = parsed else {
        eprintln!(
            "usage: repertoire-plugin-host FILE DIGEST BYTES\n\nStarted by hosts, for plugins of the kind `process`."
        );
        return ExitCode::from(2);
    };
    match serve(arguments[0].as_ref(), digest, memory) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

type Output = Arc<Mutex<File>>;

fn serve(path: &Path, digest: Digest, memory: u64) -> io::Result<()> {
    let limit = |resource, most| setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    limit(Resource::As, memory)?;
    limit(Resource::Core, 0)?;
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
    // The host is gone, or wants this to be: whatever the plugin started goes too.
    kill_process_group(getpgrp(), Signal::KILL)?;
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
