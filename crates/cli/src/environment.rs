//! What a run sees of the world besides files.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::mpsc::Sender;

use anstream::{AutoStream, ColorChoice};

use crate::log::Log;
use crate::signals::Signals;

/// What this program is told, in place of a command, to help another process of it with what skills run.
pub(crate) const HELPER: &str = "__helper";

/// What a run sees of the world besides files. Only the edge of a binary reads it from the process.
#[derive(Debug)]
pub struct Environment<'a> {
    /// The folder that relative paths are meant from, and where the search for project folders starts.
    pub cwd: PathBuf,
    /// The home folder, where known.
    pub home: Option<PathBuf>,
    /// The folder in which programs keep their state, where it is not the usual one: `XDG_STATE_HOME`.
    pub state: Option<PathBuf>,
    /// The variables of the process; commands of skills get to see a few of them.
    pub variables: Vec<(OsString, OsString)>,
    /// The command line of a program that ends what commands of skills start, and confines them: `helper` of
    /// `repertoire-render`. Without one there is no sandbox, and who hides well may outlive a command.
    pub helper: Vec<OsString>,
    /// The answers of whoever called, where somebody is there to be asked.
    pub stdin: Option<Answers<'a>>,
    /// For data.
    pub stdout: Stream<'a>,
    /// For talk.
    pub stderr: Stream<'a>,
    /// What is asked of a run that goes on.
    pub signals: Signals,
    /// Where a run that goes on writes its log.
    pub log: Log,
}

impl Environment<'static> {
    /// The environment of this process. Colours follow `NO_COLOR` and its relatives.
    ///
    /// # Errors
    /// When the working folder is gone or may not be entered.
    pub fn of_process() -> io::Result<Environment<'static>> {
        let colour = |choice| choice != ColorChoice::Never;
        let (stdout, stderr) = (io::stdout(), io::stderr());
        Ok(Environment {
            cwd: std::env::current_dir()?,
            home: std::env::home_dir().filter(|home| home.is_absolute()),
            state: std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|state| state.is_absolute()),
            variables: std::env::vars_os().collect(),
            helper: own_program().map(|own| vec![own.into(), HELPER.into()]).unwrap_or_default(),
            stdin: io::stdin().is_terminal().then(|| Answers::new(io::stdin().lock())),
            stdout: Stream {
                terminal: stdout.is_terminal(),
                coloured: colour(AutoStream::choice(&stdout)),
                writer: Box::new(BufWriter::new(stdout)),
            },
            stderr: Stream {
                terminal: stderr.is_terminal(),
                coloured: colour(AutoStream::choice(&stderr)),
                writer: Box::new(stderr),
            },
            signals: Signals::of_process(),
            log: Log::of_process(),
        })
    }
}

impl<'a> Environment<'a> {
    /// In the folder `cwd`, and nothing else is known; what is said is thrown away.
    pub fn quiet(cwd: impl Into<PathBuf>) -> Environment<'a> {
        let nowhere = || Stream::new(io::sink());
        Environment {
            cwd: cwd.into(),
            home: None,
            state: None,
            variables: Vec::new(),
            helper: Vec::new(),
            stdin: None,
            stdout: nowhere(),
            stderr: nowhere(),
            signals: Signals::none(),
            log: Log::none(),
        }
    }

    /// The folder in which this program keeps its state.
    pub(crate) fn own_state(&self) -> Option<PathBuf> {
        let usual = || self.home.as_ref().map(|home| home.join(".local/state"));
        Some(self.state.clone().or_else(usual)?.join("repertoire"))
    }

    /// The file of what the user let run; `None` where there is neither a home nor a folder for state.
    pub(crate) fn approvals(&self) -> Option<PathBuf> {
        Some(self.own_state()?.join("approvals.json"))
    }

    /// Returns the command line of a program that runs the one behind it and ends whatever that started; empty without a helper.
    pub(crate) fn keeper(&self) -> Vec<OsString> {
        #[cfg(target_os = "linux")]
        if !self.helper.is_empty() {
            return self.helper.iter().cloned().chain([repertoire::render::HOLD.into()]).collect();
        }
        Vec::new()
    }

    /// Talks to the person who called. If nobody listens there is nobody to tell.
    pub(crate) fn say(&mut self, text: &str) {
        let _ = self.stderr.write_all(text.as_bytes()).and_then(|()| self.stderr.flush());
    }

    /// Asks the person who called for a yes or no; `None` if nobody is there. Whatever is no yes is a no.
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

/// This program, to be started again.
fn own_program() -> io::Result<PathBuf> {
    // As it is now, whatever has been put in its place since it was started.
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() { Ok(running) } else { std::env::current_exe() }
}

/// Lines that a person types when asked.
pub struct Answers<'a>(Box<dyn BufRead + 'a>);

impl<'a> Answers<'a> {
    /// Answers that come from `reader`, one a line.
    pub fn new(reader: impl BufRead + 'a) -> Answers<'a> {
        Answers(Box::new(reader))
    }
}

impl fmt::Debug for Answers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answers")
    }
}

/// A place to write to, and what reads there.
pub struct Stream<'a> {
    writer: Box<dyn Write + 'a>,
    terminal: bool,
    coloured: bool,
}

impl<'a> Stream<'a> {
    /// A file or a pipe: no colours, no progress.
    pub fn new(writer: impl Write + 'a) -> Stream<'a> {
        Stream { writer: Box::new(writer), terminal: false, coloured: false }
    }

    /// Whoever listens at the other end of `lines`: each line is handed over once it is whole, without what ends it.
    /// Nobody listening any more is a closed pipe.
    pub fn lines(lines: Sender<String>) -> Stream<'a> {
        Stream::new(Lines { begun: Vec::new(), whole: lines })
    }

    /// The same place, read by a person at a terminal.
    #[must_use]
    pub fn at_terminal(mut self) -> Stream<'a> {
        self.terminal = true;
        self
    }

    /// The same place, where colours are welcome.
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

/// Hands over what is written, a line at a time.
struct Lines {
    begun: Vec<u8>,
    whole: Sender<String>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        while let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.begun.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
            self.whole.send(line).map_err(|_| io::ErrorKind::BrokenPipe)?;
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
