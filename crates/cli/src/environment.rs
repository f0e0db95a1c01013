//! The environment of a run besides the file system.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, BufRead, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::mpsc::Sender;

use anstream::{AutoStream, ColorChoice};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::failure::Failure;
use crate::signals::{Signal, Signals};

/// The argument, in place of a command, that starts this program as the supervisor of commands that skills run.
pub(crate) const HELPER: &str = "__helper";

/// The name and version of a program that has this command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
}

impl Program {
    /// The program of this package.
    pub(crate) const OWN: Program = Program {
        name: "repertoire",
        version: env!("CARGO_PKG_VERSION"),
    };

    /// Returns `text` with the name of this program in the commands that it mentions.
    pub(crate) fn in_commands(self, text: &str) -> Cow<'_, str> {
        if self.name == Program::OWN.name || !text.contains("repertoire ") {
            return text.into();
        }
        // A command is at the start of a line, or in backticks.
        let mut renamed = String::with_capacity(text.len());
        for (at, part) in text.split("repertoire ").enumerate() {
            if at > 0 {
                let is_command =
                    renamed.is_empty() || renamed.ends_with(['`', '\n']) || renamed.ends_with("  ");
                renamed.push_str(if is_command {
                    self.name
                } else {
                    Program::OWN.name
                });
                renamed.push(' ');
            }
            renamed.push_str(part);
        }
        renamed.into()
    }
}

/// The amount of notes for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

/// The time at which colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` or a similar variable is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The environment of a run besides the file system. Only [`from_process`](Environment::from_process) reads the process.
pub struct Environment<'a> {
    pub(crate) program: Program,
    pub(crate) cwd: PathBuf,
    pub(crate) home: Option<PathBuf>,
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) helper: Vec<OsString>,
    /// The file of the running program.
    executable: Option<PathBuf>,
    pub(crate) stdin: Option<Box<dyn BufRead + 'a>>,
    pub(crate) stdout: Stream<'a>,
    pub(crate) stderr: Stream<'a>,
    /// The width of the terminal, if the output goes to one.
    terminal_columns: Option<u16>,
    pub(crate) signals: Signals,
    pub(crate) verbosity: Verbosity,
    /// Whether a long run logs to the standard error of the process.
    pub(crate) is_logging: bool,
}

impl Environment<'static> {
    /// Returns the environment of this process. Colours follow `NO_COLOR` and similar variables.
    ///
    /// # Errors
    /// If the working folder does not exist or is not accessible.
    pub fn from_process() -> io::Result<Environment<'static>> {
        let (stdout, stderr) = (io::stdout(), io::stderr());
        Ok(Environment {
            program: Program::OWN,
            cwd: std::env::current_dir()?,
            home: std::env::home_dir().filter(|home| home.is_absolute()),
            variables: std::env::vars_os().collect(),
            helper: own_program()
                .map(|own| vec![own.into(), HELPER.into()])
                .unwrap_or_default(),
            executable: std::env::current_exe().ok(),
            stdin: io::stdin()
                .is_terminal()
                .then(|| Box::new(io::stdin().lock()) as _),
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
            terminal_columns: terminal_size::terminal_size_of(io::stdout())
                .map(|(width, _)| width.0),
            signals: Signals::Process(None),
            verbosity: Verbosity::Normal,
            is_logging: true,
        })
    }
}

impl<'a> Environment<'a> {
    /// Returns an environment with nothing but a working folder: paths are relative to it, and the search for project folders
    /// starts there. Output is discarded.
    pub fn new(cwd: impl Into<PathBuf>) -> Environment<'a> {
        Environment {
            program: Program::OWN,
            cwd: cwd.into(),
            home: None,
            variables: Vec::new(),
            helper: Vec::new(),
            executable: None,
            stdin: None,
            stdout: Stream::new(io::sink()),
            stderr: Stream::new(io::sink()),
            terminal_columns: None,
            signals: Signals::Nowhere,
            verbosity: Verbosity::Normal,
            is_logging: false,
        }
    }

    /// Sets the name and version of the program: for `--version`, help, messages and clients of the MCP server.
    #[must_use]
    pub fn program(self, name: &'static str, version: &'static str) -> Environment<'a> {
        Environment {
            program: Program { name, version },
            ..self
        }
    }

    /// Sets the home folder.
    #[must_use]
    pub fn home(self, folder: impl Into<PathBuf>) -> Environment<'a> {
        Environment {
            home: Some(folder.into()),
            ..self
        }
    }

    /// Sets the environment variables. `XDG_STATE_HOME` is the folder of approvals, and `COLUMNS` the width of screens. Commands
    /// of skills get a few of the others.
    #[must_use]
    pub fn variables(
        self,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Environment<'a> {
        Environment {
            variables: variables.into_iter().collect(),
            ..self
        }
    }

    /// Sets the command line of the supervisor of commands that skills run: `helper` of `repertoire-render`.
    ///
    /// Without it there is no sandbox, and detached processes may outlive a command.
    #[must_use]
    pub fn helper(self, command_line: impl IntoIterator<Item = OsString>) -> Environment<'a> {
        Environment {
            helper: command_line.into_iter().collect(),
            ..self
        }
    }

    /// Sets the input for prompts: one answer per line. Without it there is no user to ask.
    #[must_use]
    pub fn stdin(self, answers: impl BufRead + 'a) -> Environment<'a> {
        Environment {
            stdin: Some(Box::new(answers)),
            ..self
        }
    }

    /// Sets the stream for results.
    #[must_use]
    pub fn stdout(self, stdout: Stream<'a>) -> Environment<'a> {
        Environment { stdout, ..self }
    }

    /// Sets the stream for notes and errors.
    #[must_use]
    pub fn stderr(self, stderr: Stream<'a>) -> Environment<'a> {
        Environment { stderr, ..self }
    }

    /// Sets the source of signals for `serve`, `watch` and commands that run programs. Dropping the sender stops the run.
    #[must_use]
    pub fn signals(self, signals: UnboundedReceiver<Signal>) -> Environment<'a> {
        Environment {
            signals: Signals::Sent(signals),
            ..self
        }
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        find_variable(&self.variables, name)
    }

    /// Returns the width of screens: `COLUMNS`, else the width of the terminal, else 80.
    pub(crate) fn columns(&self) -> usize {
        let variable = self.variable("COLUMNS").and_then(OsStr::to_str);
        let columns = variable.and_then(|columns| columns.parse().ok());
        let columns = columns.or(self.terminal_columns).unwrap_or(80);
        usize::from(columns).max(40)
    }

    pub(crate) fn state(&self) -> Option<PathBuf> {
        self.absolute("XDG_STATE_HOME")
    }

    pub(crate) fn own_state(&self) -> Option<PathBuf> {
        self.own_folder("XDG_STATE_HOME", ".local/state")
    }

    /// Returns the folder of the scans that this program saves.
    pub(crate) fn saved_scans(&self) -> Option<PathBuf> {
        Some(self.own_folder("XDG_CACHE_HOME", ".cache")?.join("scans"))
    }

    /// Returns a text that differs between builds of this program.
    pub(crate) fn build(&self) -> String {
        let Program { name, version } = self.program;
        let running = self.executable.as_ref();
        let file = running.and_then(|running| running.metadata().ok());
        let file = file.map(|file| (file.len(), file.modified().ok()));
        format!("{name} {version} {file:?}")
    }

    /// Returns the folder of the user's data of this program.
    pub(crate) fn own_data(&self) -> Option<PathBuf> {
        self.own_folder("XDG_DATA_HOME", ".local/share")
    }

    /// Returns the folder of the user's configuration of this program.
    pub(crate) fn own_config(&self) -> Option<PathBuf> {
        self.own_folder("XDG_CONFIG_HOME", ".config")
    }

    /// Returns the folder of this program in the folder that a variable names, or else in `below_home`.
    fn own_folder(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let folder = self
            .absolute(variable)
            .or_else(|| Some(self.home.as_ref()?.join(below_home)))?;
        Some(folder.join("repertoire"))
    }

    fn absolute(&self, variable: &str) -> Option<PathBuf> {
        let path = self.variable(variable).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    }

    /// Returns the path of this program: the one in `PATH` that leads to the running file, else that file, else the name.
    ///
    /// A path in `PATH` is often a link that stays when the program is updated.
    pub(crate) fn program_path(&self) -> PathBuf {
        let file = format!("{}{}", self.program.name, std::env::consts::EXE_SUFFIX);
        let Some(running) = &self.executable else {
            return file.into();
        };
        let real = running.canonicalize().ok();
        let folders = std::env::split_paths(self.variable("PATH").unwrap_or_default());
        let mut paths = folders
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(&file));
        let found = paths.find(|path| real.is_some() && path.canonicalize().ok() == real);
        found.unwrap_or_else(|| running.clone())
    }

    pub(crate) fn approvals(&self) -> Option<PathBuf> {
        Some(self.own_state()?.join("approvals.json"))
    }

    /// Returns the command line of the supervisor, to put before that of a program; empty without a helper.
    pub(crate) fn supervisor(&self) -> Vec<OsString> {
        #[cfg(all(target_os = "linux", feature = "process"))]
        if !self.helper.is_empty() {
            return self
                .helper
                .iter()
                .cloned()
                .chain([repertoire::render::SUPERVISE.into()])
                .collect();
        }
        Vec::new()
    }

    pub(crate) fn write_stderr(&mut self, text: &str) {
        let text = self.program.in_commands(text);
        let _ = self
            .stderr
            .write_all(text.as_bytes())
            .and_then(|()| self.stderr.flush());
    }

    /// Asks a question. Fails with `refused` after a no, and with `unanswered` if there is no terminal to ask on.
    pub(crate) fn confirm(
        &mut self,
        question: &str,
        refused: &str,
        unanswered: Failure,
    ) -> Result<(), Failure> {
        match self.ask(question) {
            Some(true) => Ok(()),
            Some(false) => Err(Failure::new(refused)),
            None => Err(unanswered),
        }
    }

    pub(crate) fn ask(&mut self, question: &str) -> Option<bool> {
        self.stdin.as_ref()?;
        self.write_stderr(&format!("{question} [y/N] "));
        let mut line = String::new();
        let read = self.stdin.as_mut()?.read_line(&mut line);
        if !matches!(read, Ok(length) if length > 0) {
            return None;
        }
        Some(matches!(line.trim(), "y" | "Y" | "yes"))
    }
}

fn own_program() -> io::Result<PathBuf> {
    // The running file, even if a different one has replaced it.
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() {
        Ok(running)
    } else {
        std::env::current_exe()
    }
}

pub(crate) fn find_variable<'v>(
    variables: &'v [(OsString, OsString)],
    name: &str,
) -> Option<&'v OsStr> {
    // Names of variables are case-insensitive on Windows.
    let is_named =
        |known: &OsStr| known == name || cfg!(windows) && known.eq_ignore_ascii_case(name);
    variables
        .iter()
        .find(|(known, _)| is_named(known))
        .map(|(_, value)| value.as_os_str())
}

impl fmt::Debug for Environment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
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
        Stream {
            writer: Box::new(writer),
            terminal: false,
            coloured: false,
        }
    }

    /// Returns a stream that sends each complete line, without its ending. A closed receiver counts as a closed pipe.
    pub fn lines(lines: Sender<String>) -> Stream<'a> {
        Stream::new(Lines {
            partial: Vec::new(),
            lines,
        })
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

    pub(crate) fn set_colours(&mut self, when: ColorWhen) {
        match when {
            ColorWhen::Auto => {}
            ColorWhen::Always => self.coloured = true,
            ColorWhen::Never => self.coloured = false,
        }
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
            let line = String::from_utf8_lossy(&line)
                .trim_end_matches(['\n', '\r'])
                .to_owned();
            self.lines
                .send(line)
                .map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("terminal", &self.terminal)
            .field("coloured", &self.coloured)
            .finish()
    }
}
