//! The environment of a run besides the file system.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::mpsc::Sender;

use anstream::{AutoStream, ColorChoice};

use crate::log::Log;
use crate::signals::Signals;

/// The argument, in place of a command, that starts this program as the supervisor of commands that skills run.
pub(crate) const HELPER: &str = "__helper";

/// The environment of a run besides the file system. Only [`of_process`](Environment::of_process) reads the process.
#[derive(Debug)]
pub struct Environment<'a> {
    /// The folder that paths are relative to, and where the search for project folders starts.
    pub cwd: PathBuf,
    /// The home folder; `None` if unknown.
    pub home: Option<PathBuf>,
    /// `XDG_STATE_HOME`, if it is set.
    pub state: Option<PathBuf>,
    /// The environment variables; commands of skills get a few of them.
    pub variables: Vec<(OsString, OsString)>,
    /// The command line of the supervisor of commands that skills run: `helper` of `repertoire-render`. Without it there is no
    /// sandbox, and detached processes may outlive a command.
    pub helper: Vec<OsString>,
    /// The input for prompts; `None` if there is no user to ask.
    pub stdin: Option<ScriptedInput<'a>>,
    /// The stream for results.
    pub stdout: Stream<'a>,
    /// The stream for notes and errors.
    pub stderr: Stream<'a>,
    /// The signals that stop or reload a long run.
    pub signals: Signals,
    /// The log of a long run.
    pub log: Log,
}

impl Environment<'static> {
    /// Returns the environment of this process. Colours follow `NO_COLOR` and similar variables.
    ///
    /// # Errors
    /// If the working folder does not exist or is not accessible.
    pub fn of_process() -> io::Result<Environment<'static>> {
        let (stdout, stderr) = (io::stdout(), io::stderr());
        Ok(Environment {
            cwd: std::env::current_dir()?,
            home: std::env::home_dir().filter(|home| home.is_absolute()),
            state: std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|state| state.is_absolute()),
            variables: std::env::vars_os().collect(),
            helper: own_program().map(|own| vec![own.into(), HELPER.into()]).unwrap_or_default(),
            stdin: io::stdin().is_terminal().then(|| ScriptedInput::new(io::stdin().lock())),
            stdout: Stream {
                terminal: stdout.is_terminal(),
                coloured: AutoStream::choice(&stdout) != ColorChoice::Never,
                writer: Box::new(BufWriter::new(stdout)),
            },
            stderr: Stream {
                terminal: stderr.is_terminal(),
                coloured: AutoStream::choice(&stderr) != ColorChoice::Never,
                writer: Box::new(stderr),
            },
            signals: Signals::of_process(),
            log: Log::of_process(),
        })
    }
}

impl<'a> Environment<'a> {
    /// Returns an environment with a working folder and nothing else. Output is discarded.
    pub fn quiet(cwd: impl Into<PathBuf>) -> Environment<'a> {
        Environment {
            cwd: cwd.into(),
            home: None,
            state: None,
            variables: Vec::new(),
            helper: Vec::new(),
            stdin: None,
            stdout: Stream::new(io::sink()),
            stderr: Stream::new(io::sink()),
            signals: Signals::none(),
            log: Log::none(),
        }
    }

    pub(crate) fn own_state(&self) -> Option<PathBuf> {
        let state = self.state.clone().or_else(|| Some(self.home.as_ref()?.join(".local/state")))?;
        Some(state.join("repertoire"))
    }

    pub(crate) fn approvals(&self) -> Option<PathBuf> {
        Some(self.own_state()?.join("approvals.json"))
    }

    /// Returns the command line of the supervisor, to put before that of a program; empty without a helper.
    pub(crate) fn supervisor(&self) -> Vec<OsString> {
        #[cfg(target_os = "linux")]
        if !self.helper.is_empty() {
            return self.helper.iter().cloned().chain([repertoire::render::SUPERVISE.into()]).collect();
        }
        Vec::new()
    }

    pub(crate) fn say(&mut self, text: &str) {
        let _ = self.stderr.write_all(text.as_bytes()).and_then(|()| self.stderr.flush());
    }

    pub(crate) fn ask(&mut self, question: &str) -> Option<bool> {
        self.stdin.as_ref()?;
        self.say(&format!("{question} [y/N] "));
        let mut line = String::new();
        let read = self.stdin.as_mut()?.0.read_line(&mut line);
        if !matches!(read, Ok(length) if length > 0) {
            return None;
        }
        Some(matches!(line.trim(), "y" | "Y" | "yes"))
    }
}

fn own_program() -> io::Result<PathBuf> {
    // The running file, even if a different one has replaced it.
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() { Ok(running) } else { std::env::current_exe() }
}

/// The input for prompts.
pub struct ScriptedInput<'a>(Box<dyn BufRead + 'a>);

impl<'a> ScriptedInput<'a> {
    /// Returns input from `reader`: one answer per line.
    pub fn new(reader: impl BufRead + 'a) -> ScriptedInput<'a> {
        ScriptedInput(Box::new(reader))
    }
}

impl fmt::Debug for ScriptedInput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScriptedInput")
    }
}

/// An output stream, and the properties of its reader.
pub struct Stream<'a> {
    writer: Box<dyn Write + 'a>,
    terminal: bool,
    coloured: bool,
}

impl<'a> Stream<'a> {
    /// Returns a stream to a file or a pipe: no colours, no progress.
    pub fn new(writer: impl Write + 'a) -> Stream<'a> {
        Stream { writer: Box::new(writer), terminal: false, coloured: false }
    }

    /// Returns a stream that sends each complete line, without its ending. A closed receiver counts as a closed pipe.
    pub fn lines(lines: Sender<String>) -> Stream<'a> {
        Stream::new(Lines { partial: Vec::new(), lines })
    }

    /// Marks the stream as a terminal.
    #[must_use]
    pub fn at_terminal(mut self) -> Stream<'a> {
        self.terminal = true;
        self
    }

    /// Marks the stream as supporting colours.
    #[must_use]
    pub fn coloured(mut self) -> Stream<'a> {
        self.coloured = true;
        self
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    pub(crate) fn is_coloured(&self) -> bool {
        self.coloured
    }
}

impl Write for Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

struct Lines {
    partial: Vec<u8>,
    lines: Sender<String>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.partial.extend_from_slice(bytes);
        while let Some(end) = self.partial.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.partial.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
            self.lines.send(line).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("terminal", &self.terminal).field("coloured", &self.coloured).finish()
    }
}
