//! Lists of skills that agents left in transcripts, or print when asked.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

use repertoire_profiles::{AgentPlace, AgentProfile, ObservedList};

use crate::Environment;
use crate::agent_server::{self, ServerError};
use crate::failure::Failure;

/// The age up to which a transcript counts as recent.
const RECENT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// The most bytes of transcripts that are read for one agent.
const MOST_BYTES: u64 = 1 << 30;
/// The most folders between the folder of transcripts and one of them.
const DEEPEST: usize = 6;
/// The time that an agent has to print its list.
const ASKING: Duration = Duration::from_secs(30);

/// The use of skills in the transcripts of one agent.
#[derive(Debug, Default)]
pub(crate) struct Transcripts {
    /// The newest list of a session in the working folder, and its file.
    pub(crate) newest: Option<(PathBuf, ObservedList)>,
    /// The skills that recent sessions used, in any folder.
    pub(crate) used: BTreeSet<String>,
    /// `true` if a recent session was found.
    pub(crate) has_recent: bool,
}

impl Transcripts {
    /// Reads the transcripts, the newest first; `None` if the agent leaves none that can be read.
    pub(crate) fn read(profile: &AgentProfile, place: &AgentPlace) -> Option<Transcripts> {
        let folder = profile.transcripts(place)?;
        let mut files = Vec::new();
        find(&folder, DEEPEST, &mut files);
        files.sort_by(|a, b| b.cmp(a));
        let since = SystemTime::now().checked_sub(RECENT)?;
        let mut found = Transcripts::default();
        let mut room = MOST_BYTES;
        for (modified, length, path) in files {
            let is_recent = modified >= since;
            if !is_recent && found.newest.is_some() || length > room {
                break;
            }
            room -= length;
            found.add(profile, place, path, is_recent);
        }
        Some(found)
    }

    fn add(&mut self, profile: &AgentProfile, place: &AgentPlace, path: PathBuf, is_recent: bool) {
        let (Some(mut reader), Ok(file)) = (profile.transcript_reader(), File::open(&path)) else {
            return;
        };
        for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
            reader.line(&String::from_utf8_lossy(&line));
        }
        let session = reader.finish();
        if is_recent {
            self.used.extend(session.used);
            self.has_recent = true;
        }
        let is_here = session
            .folder
            .is_some_and(|folder| Path::new(&folder) == place.folder);
        if let Some(list) = session.list.filter(|_| is_here && self.newest.is_none()) {
            self.newest = Some((path, list));
        }
    }
}

fn find(folder: &Path, depth: usize, files: &mut Vec<(SystemTime, u64, PathBuf)>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else {
            continue;
        };
        if metadata.is_dir() && depth > 0 {
            find(&path, depth - 1, files);
        } else if metadata.is_file() && path.extension().is_some_and(|end| end == "jsonl") {
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            files.push((modified, metadata.len(), path));
        }
    }
}

/// Returns the list of the agent itself, and its origin. No model is asked.
///
/// 1. The server at `address`, or at the address of the profile, if the agent has a server and it runs.
/// 2. The command that prints the list, unless an address is given.
///
/// # Errors
/// The agent has neither, the server gives no list, or the command prints none in 30 seconds.
pub(crate) fn ask(
    profile: &AgentProfile,
    address: Option<&str>,
    place: &AgentPlace,
    environment: &Environment<'_>,
) -> Result<(String, ObservedList), Failure> {
    let Some(server) = profile.list_server() else {
        return run_command(profile, place, environment);
    };
    let at = address.unwrap_or(&server.address);
    let origin = format!("GET {}{}", at.trim_end_matches('/'), server.path);
    let start = format!("start a server with `{}`", server.start);
    match agent_server::read_list(server, at, &place.folder) {
        Ok(answer) => match profile.parse_served_list(&answer) {
            Some(list) => Ok((origin, list)),
            None => Err(Failure::new(format!("`{at}` sent no list of skills")).help(start)),
        },
        Err(ServerError::Failed(reason)) => {
            Err(Failure::new(format!("`{at}` {reason}")).help(start))
        }
        Err(ServerError::Absent) if address.is_none() && profile.list_command().is_some() => {
            run_command(profile, place, environment).map_err(|failure| {
                let message = format!("no server runs at `{at}`, and {}", failure.message());
                Failure::new(message).help(start)
            })
        }
        Err(ServerError::Absent) => {
            Err(Failure::new(format!("no server runs at `{at}`")).help(start))
        }
    }
}

/// Starts the agent's own command that prints its list.
fn run_command(
    profile: &AgentProfile,
    place: &AgentPlace,
    environment: &Environment<'_>,
) -> Result<(String, ObservedList), Failure> {
    let Some([program, arguments @ ..]) = profile.list_command() else {
        let message = format!(
            "no command of `{}` is known that prints its list",
            profile.name()
        );
        return Err(Failure::new(message));
    };
    let line = format!("{program} {}", arguments.join(" "));
    let cannot = |why: &str| Failure::new(format!("`{line}` {why}"));
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&place.folder)
        .env_clear();
    command.envs(
        environment
            .variables
            .iter()
            .map(|(name, value)| (name, value)),
    );
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command
        .spawn()
        .map_err(|error| cannot(&format!("does not start: {error}")))?;
    let mut stdout = child.stdout.take().ok_or_else(|| cannot("has no output"))?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.read_to_end(&mut bytes).map(|_| bytes);
        let _ = sender.send(read);
    });
    let read = receiver.recv_timeout(ASKING);
    // The output is complete, or the time is over.
    let _ = child.kill();
    let _ = child.wait();
    let bytes = read.map_err(|_| cannot("did not end in 30 seconds"))?;
    let bytes = bytes.map_err(|error| cannot(&format!("cannot be read: {error}")))?;
    let list = profile.parse_list(&String::from_utf8_lossy(&bytes));
    Ok((
        line.clone(),
        list.ok_or_else(|| cannot("printed no list of skills"))?,
    ))
}
