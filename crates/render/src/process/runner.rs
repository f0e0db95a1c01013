//! Running everything that a body asks for.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::child::Start;
use super::verified_copy::{NotCopied, VerifiedCopy, names_files};
use super::{Confinement, Limits, Shell, interpreter};
use crate::{Action, Binding, Context, Directive, Failure, Outcome, Refusal, Run, Sandbox};

/// The variables of the host's environment that a command gets to see, if they are set. No other one: they hold secrets, or
/// change what programs do.
pub const ENVIRONMENT: [&str; 14] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TZ",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SystemRoot",
];

/// The variables that a command gets from the runner itself.
///
/// Bytecode is code that no reader of a skill sees: Python looks for it where there is none, and leaves none behind.
const OWN: [(&str, &str); 3] =
    [("TERM", "dumb"), ("PYTHONPYCACHEPREFIX", "/dev/null"), ("PYTHONDONTWRITEBYTECODE", "1")];

/// Runs commands and scripts, Unix first.
///
/// Each gets the folder of its skill as working folder, no standard input (a script: its context as JSON), an environment of
/// [few variables](ENVIRONMENT), and a process group of its own. What was typed comes as positional parameters and in the
/// environment, and is never part of a command.
///
/// A script, and a command that names a file or the folder of its skill, runs in a private copy of the files that the
/// [binding](Binding) lists, each compared with its digest. The copy is its working folder and its `SKILL_DIR`, and is removed
/// afterwards, with what was written there. In what it prints, the path of the copy is replaced by that of the skill. Any
/// other command runs in the folder itself.
///
/// Python reads and writes no bytecode. Of `PATH`, absolute folders count alone.
///
/// When one ends, whatever it left running ends too; when its [time](Limits) is over, it is asked to end and then made to.
/// Who is reached by that is told as [`Run::sweep`](crate::Run::sweep), for each run:
///
/// - On Linux, with a [helper](Runner::helper), everything that it started, however it was started and whatever it did to its
///   session, its group and its environment; also if the host itself is killed.
/// - Without a helper, on Unix, its process group; on Linux also who left the group and still has the variable
///   `REPERTOIRE_RUN` in its environment. If the host is killed nobody ends anything.
///
/// A helper is a process of the same user. A command may kill it, as it may kill the host, unless it is
/// [confined](Runner::confined); then the run is ended as if there were no helper. So is one that goes on starting processes
/// faster than the helper ends them, for three seconds, or that has processes of another user (`sudo`), which nobody may end.
///
/// Needs a tokio runtime with I/O and time.
#[derive(Debug, Clone)]
pub struct Runner {
    shell: Shell,
    limits: Limits,
    environment: Vec<(OsString, OsString)>,
    helper: Vec<OsString>,
    confinement: Option<Confinement>,
}

/// Whose directives are run, and with what.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    folder: &'a Path,
    context: &'a Context,
    binding: &'a Binding,
}

impl<'a> Call<'a> {
    /// The skill in `folder`, with what was typed and set in `context`. Its files run if their content is the one in `binding`.
    pub fn new(folder: &'a Path, context: &'a Context, binding: &'a Binding) -> Call<'a> {
        Call { folder, context, binding }
    }
}

impl Runner {
    /// A runner that takes what a command may see from `environment`, a host's own as a rule.
    pub fn new(environment: impl IntoIterator<Item = (OsString, OsString)>) -> Runner {
        let may_see = |name: &OsString| ENVIRONMENT.iter().any(|known| name == known);
        let environment = environment.into_iter().filter(|(name, _)| may_see(name));
        let environment = environment.filter_map(|(name, value)| match name == "PATH" {
            true => Some((name, absolute(&value)?)),
            false => Some((name, value)),
        });
        let environment = environment.collect();
        Runner {
            shell: Shell::default(),
            limits: Limits::default(),
            environment,
            helper: Vec::new(),
            confinement: None,
        }
    }

    /// The same runner with another shell.
    #[must_use]
    pub fn shell(mut self, shell: Shell) -> Runner {
        self.shell = shell;
        self
    }

    /// The same runner with other limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Runner {
        self.limits = limits;
        self
    }

    /// The same runner with a helper, which stays with each run and ends all of it; on Linux, elsewhere there is none.
    ///
    /// It is a program by its whole path, and its arguments: `repertoire-helper`, or one that calls `helper` of this crate, as the host itself can
    /// do when it is started with a certain argument. A process can have what it starts for life, and can give up rights, only
    /// for itself, so none of this is for the host's own process.
    #[must_use]
    pub fn helper<P: Into<OsString>>(mut self, helper: impl IntoIterator<Item = P>) -> Runner {
        self.helper = helper.into_iter().map(Into::into).collect();
        self
    }

    /// The same runner, confining what it runs, for which it needs a [helper](Runner::helper). Each [`Run`](crate::Run) tells what the kernel enforced of it.
    #[must_use]
    pub fn confined(mut self, confinement: Confinement) -> Runner {
        self.confinement = Some(confinement);
        self
    }

    /// What becomes of each directive. `permit` is asked for each of them before any runs; see
    /// [`Rights::permit`](crate::Rights::permit).
    ///
    /// # Cancel safety
    /// Dropped, it ends whatever still runs.
    pub async fn run(
        &self,
        directives: &[Directive],
        call: Call<'_>,
        mut permit: impl FnMut(&Directive) -> Result<(), Refusal>,
    ) -> Vec<Outcome> {
        let mut permits = Vec::with_capacity(directives.len());
        for (number, directive) in directives.iter().enumerate() {
            let many = Refusal::TooMany(self.limits.directives);
            permits.push(if number < self.limits.directives { permit(directive) } else { Err(many) });
        }
        let deadline = Instant::now() + self.limits.total;
        let own = Place { folder: call.folder.to_owned(), context: call.context.clone(), shown: None };
        let is_copied = |directive: &Directive| names_files(directive, call.binding);
        let needs_copy = directives.iter().zip(&permits).any(|(one, permit)| permit.is_ok() && is_copied(one));
        // Held until the last of them has ended.
        let copy = if needs_copy { Some(copied(call).await) } else { None };
        let copied = match &copy {
            None => Ok(&own),
            Some(Ok((_, place))) => Ok(place),
            Some(Err(outcome)) => Err(outcome),
        };
        // Collected, because a closure that lives on in the stream would keep this future from being `Send`.
        let runs: Vec<_> = directives
            .iter()
            .zip(permits)
            .map(|(directive, permit)| {
                let place = if is_copied(directive) { copied } else { Ok(&own) };
                async move {
                    match (permit, place) {
                        (Err(by), _) => Outcome::Refused { by },
                        (Ok(()), Err(outcome)) => outcome.clone(),
                        (Ok(()), Ok(place)) => self.one(directive, call, place, deadline).await,
                    }
                }
            })
            .collect();
        stream::iter(runs).buffered(self.limits.concurrent.max(1)).collect().await
    }

    async fn one(&self, directive: &Directive, call: Call<'_>, place: &Place, deadline: Instant) -> Outcome {
        let time = self.limits.timeout.min(deadline.saturating_duration_since(Instant::now()));
        if time == Duration::ZERO {
            return Outcome::Refused { by: Refusal::Late };
        }
        let failed = |reason| Outcome::Failed { reason };
        let words = place.context.arguments.words();
        let (line, input) = match &directive.action {
            Action::Command { command } => {
                let line = self.shell.command_line(command, words);
                (line.into_iter().map(OsString::from).collect(), None)
            }
            Action::Script { path, arguments } => {
                let is_bound = call.binding.files.contains_key(path);
                // What is not bound is not in the copy. Where it is missing, that is what the caller should know.
                match interpreter::command_line(if is_bound { &place.folder } else { call.folder }, path) {
                    Ok(line) if is_bound => {
                        let words = words.iter().map(OsString::from);
                        (line.into_iter().chain(words).collect(), Some(input(&place.context, arguments)))
                    }
                    Ok(_) => return Outcome::Refused { by: Refusal::Changed },
                    Err(reason) => return failed(reason),
                }
            }
        };
        let helper = if cfg!(target_os = "linux") { self.helper.as_slice() } else { &[] };
        // Where a helper confines it, that one tells.
        let known = match &self.confinement {
            None => Some(Sandbox::Off),
            Some(_) if helper.is_empty() => Some(Sandbox::Unavailable),
            Some(_) => None,
        };
        let is_met = |sandbox: &Sandbox| self.confinement.as_ref().is_none_or(|rules| rules.is_met_by(sandbox));
        if let Some(sandbox) = known.as_ref().filter(|sandbox| !is_met(sandbox)) {
            return failed(Failure::NotConfined(sandbox.clone()));
        }
        let run = async {
            let line = match (&self.confinement, &known) {
                (Some(rules), None) => rules.around(helper, line, &place.folder)?,
                _ => line,
            };
            let environment = self.environment(&place.context);
            Start { line, environment: &environment, folder: &place.folder, helper, sandbox: known, input }
                .run(time, &self.limits)
                .await
        };
        match run.await {
            // The helper did not become the command.
            Ok(run) if !is_met(&run.sandbox) => failed(Failure::NotConfined(run.sandbox)),
            Ok(run) => Outcome::Ran(place.shown(run)),
            Err(error) => failed(Failure::NotStarted(error.to_string().into())),
        }
    }

    /// Variables, then what the host lets through, which they cannot replace, then what was typed.
    fn environment(&self, context: &Context) -> Vec<(OsString, OsString)> {
        let variables = context.variables().into_iter().filter(|(name, value)| is_name(name) && !value.contains('\0'));
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let arguments = [("SKILL_ARGUMENTS".to_owned(), context.arguments.raw().to_owned())];
        let words = context.arguments.words().iter().enumerate();
        let words = words.map(|(number, word)| (format!("SKILL_ARG_{}", number + 1), word.clone()));
        let own = |(name, value): (String, String)| (name.into(), value.into());
        let typed = arguments.into_iter().chain(words).map(own);
        variables
            .map(own)
            .chain(self.environment.iter().cloned())
            .chain(OWN.map(|(name, value)| (name.into(), value.into())))
            .chain(typed)
            .collect()
    }
}

/// Where a directive runs, and what it is given there.
#[derive(Debug)]
struct Place {
    folder: PathBuf,
    context: Context,
    /// A path in what is printed, and what is shown in its place.
    shown: Option<(String, String)>,
}

impl Place {
    fn shown(&self, mut run: Run) -> Run {
        if let Some((from, to)) = &self.shown {
            run.stdout = run.stdout.renamed(from, to);
            run.stderr = run.stderr.renamed(from, to);
        }
        run
    }
}

/// Copies the files of a skill to where they run.
async fn copied(call: Call<'_>) -> Result<(VerifiedCopy, Place), Outcome> {
    let not_started = |error: io::Error| Outcome::Failed { reason: Failure::NotStarted(error.to_string().into()) };
    let (folder, binding) = (call.folder.to_owned(), call.binding.clone());
    let copying = tokio::task::spawn_blocking(move || {
        let copy = VerifiedCopy::of(&folder, &binding)?;
        let real = folder.canonicalize().map_err(NotCopied::Failed)?;
        Ok((copy, real))
    });
    let (copy, real) = match copying.await.map_err(io::Error::other).map_err(not_started)? {
        Ok(copied) => copied,
        Err(NotCopied::Changed) => return Err(Outcome::Refused { by: Refusal::Changed }),
        Err(NotCopied::Failed(error)) => return Err(not_started(error)),
    };
    let place = copy.path().to_string_lossy().into_owned();
    let (context, real) = match call.context.get(Context::SKILL_DIR) {
        Some(known) => (call.context.clone().skill_dir(place.as_str()), known.to_owned()),
        None => (call.context.clone(), real.to_string_lossy().into_owned()),
    };
    let place = Place { folder: copy.path().to_owned(), context, shown: Some((place, real)) };
    Ok((copy, place))
}

/// Returns the absolute folders of a search path, if there are any. Others would make a file of the skill a program.
fn absolute(path: &OsStr) -> Option<OsString> {
    let folders: Vec<_> = std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect();
    if folders.is_empty() { None } else { std::env::join_paths(folders).ok() }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// The context of a script, in the words of Cortex, whose scripts get it as an argument.
fn input(context: &Context, arguments: &Map<String, Value>) -> Vec<u8> {
    let document = json!({
        "skillDir": context.get(Context::SKILL_DIR),
        "sessionId": context.get("SESSION_ID"),
        "projectDir": context.get("PROJECT_DIR"),
        "args": context.arguments.words(),
        "rawArgs": context.arguments.raw(),
        "scriptArgs": arguments,
        "variables": context.variables(),
    });
    document.to_string().into_bytes()
}
