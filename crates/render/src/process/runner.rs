//! The runner of all commands and scripts of a body.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use repertoire_process::Start;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::interpreter::{self, CommandShell};
use super::run::{RunLimits, run};
use super::sandbox::Confinement;
use super::verified_copy::{NotCopied, VerifiedCopy, names_files};
use crate::{
    Binding, CompletedRun, Context, Directive, DirectiveAction, DirectiveOutcome, Refusal, Sandbox,
};

/// Other variables of the host may hold secrets, or change the effect of programs.
const ENVIRONMENT: [&str; 14] = [
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

/// With these, Python neither reads nor writes bytecode, which is code that no reader of a skill sees.
const OWN: [(&str, &str); 3] = [
    ("TERM", "dumb"),
    ("PYTHONPYCACHEPREFIX", "/dev/null"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
];

/// A runner of commands and scripts.
///
/// Each run has:
///
/// - the folder of its skill as working folder
/// - no standard input; a script gets its context as JSON
/// - an environment of [few variables](DirectiveRunner::new), and of `PATH` the absolute folders only
/// - the arguments as positional parameters and in the environment, never as part of a command
///
/// A script, and a command that names a file or the folder of its skill, runs in a private copy of the files of the
/// [binding](Binding), each compared with its digest. The copy is the working folder and `SKILL_DIR`, and is removed
/// afterwards. In the output, the path of the copy is replaced by that of the skill. Each other command runs in the folder itself.
///
/// When a run ends, its remaining processes are killed. When its [time](RunLimits) is over, it gets the signal `TERM`, then `KILL`.
/// [`CompletedRun::cleanup`] reports which processes were killed:
///
/// - On Linux with a [helper](DirectiveRunner::helper): everything that the run started, also if the host is killed.
/// - On Unix without a helper: the process group, and on Linux also processes elsewhere with the variable `REPERTOIRE_RUN`. If
///   the host is killed, they continue.
///
/// A helper is a process of the same user, so a run ends as without a helper in three cases:
///
/// - A command that is not [confined](DirectiveRunner::confined) kills it.
/// - For three seconds, a command starts processes faster than they end.
/// - A process belongs to another user (`sudo`).
///
/// Needs a tokio runtime with I/O and time.
#[derive(Debug, Clone)]
pub struct DirectiveRunner {
    shell: CommandShell,
    limits: RunLimits,
    environment: Vec<(OsString, OsString)>,
    helper: Vec<OsString>,
    confinement: Option<Confinement>,
}

/// The skill whose directives run, and their context.
///
/// ```
/// use std::path::Path;
///
/// use repertoire_core::{Digest, Manifest};
/// use repertoire_render::{Binding, Call, Context, DirectiveRunner, Plan, Syntax};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), repertoire_core::InvalidValue> {
/// let body = "No commands here.\n";
/// let binding = Binding::new("home:clock".parse()?, Digest::of(body.as_bytes()), &Manifest::default());
/// let context = Context::new();
/// let call = Call::new(Path::new("/skills/clock"), &context, &binding);
/// let plan = Plan::new(body, &Syntax::default());
/// let runner = DirectiveRunner::new(std::env::vars_os());
/// let outcomes = runner.run(plan.directives(), call, |_| Ok(())).await;
/// assert!(outcomes.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    folder: &'a Path,
    context: &'a Context,
    binding: &'a Binding,
}

impl<'a> Call<'a> {
    /// Creates a call of the skill in `folder`. Its files run only with the content in `binding`.
    pub fn new(folder: &'a Path, context: &'a Context, binding: &'a Binding) -> Call<'a> {
        Call {
            folder,
            context,
            binding,
        }
    }
}

impl DirectiveRunner {
    /// Creates a runner for `environment`, which should be the host's own.
    ///
    /// Of it, commands get `PATH`, `HOME`, `USER`, `LOGNAME`, `TZ`, `TMPDIR`, `TEMP`, `TMP`, `SystemRoot` and those of the language.
    pub fn new(environment: impl IntoIterator<Item = (OsString, OsString)>) -> DirectiveRunner {
        let environment = environment
            .into_iter()
            .filter(|(name, _)| ENVIRONMENT.iter().any(|known| name == known));
        let environment = environment.filter_map(|(name, value)| match name == "PATH" {
            true => Some((name, absolute(&value)?)),
            false => Some((name, value)),
        });
        let (environment, helper) = (environment.collect(), Vec::new());
        let (shell, limits) = (CommandShell::default(), RunLimits::default());
        DirectiveRunner {
            shell,
            limits,
            environment,
            helper,
            confinement: None,
        }
    }

    /// Returns the same runner with this shell.
    #[must_use]
    pub fn shell(mut self, shell: CommandShell) -> DirectiveRunner {
        self.shell = shell;
        self
    }

    /// Returns the same runner with these limits.
    #[must_use]
    pub fn limits(mut self, limits: RunLimits) -> DirectiveRunner {
        self.limits = limits;
        self
    }

    /// Returns the same runner with a helper, which supervises each run on Linux.
    ///
    /// A helper is the absolute path of a program and its arguments: `repertoire-helper`, or a program that calls `helper` of this
    /// crate. It is a process of its own because a process can become a subreaper and give up rights only for itself.
    #[must_use]
    pub fn helper<P: Into<OsString>>(
        mut self,
        helper: impl IntoIterator<Item = P>,
    ) -> DirectiveRunner {
        self.helper = helper.into_iter().map(Into::into).collect();
        self
    }

    /// Returns the same runner, which confines each run by a [helper](DirectiveRunner::helper). [`CompletedRun::sandbox`]
    /// reports what the kernel enforced.
    #[must_use]
    pub fn confined(mut self, confinement: Confinement) -> DirectiveRunner {
        self.confinement = Some(confinement);
        self
    }

    /// Runs the directives and returns their outcomes. `permit` is called for each of them before any runs; see
    /// [`ApprovalState::permit`](crate::ApprovalState::permit).
    ///
    /// # Cancel safety
    /// Dropped, it ends all processes that still run.
    pub async fn run(
        &self,
        directives: &[Directive],
        call: Call<'_>,
        mut permit: impl FnMut(&Directive) -> Result<(), Refusal>,
    ) -> Vec<DirectiveOutcome> {
        let mut permits = Vec::with_capacity(directives.len());
        for (number, directive) in directives.iter().enumerate() {
            let many = Refusal::TooMany(self.limits.directives);
            permits.push(if number < self.limits.directives {
                permit(directive)
            } else {
                Err(many)
            });
        }
        let deadline = Instant::now() + self.limits.total;
        let own = WorkingFolder {
            path: call.folder.to_owned(),
            context: call.context.clone(),
            shown: None,
        };
        let mut pairs = directives.iter().zip(&permits);
        let needs_copy =
            pairs.any(|(directive, permit)| permit.is_ok() && names_files(directive, call.binding));
        // Removed when the last run has ended.
        let copy = if needs_copy {
            Some(copied(call).await)
        } else {
            None
        };
        let mut runs = Vec::with_capacity(directives.len());
        for (directive, permit) in directives.iter().zip(permits) {
            let folder = match &copy {
                Some(copied) if names_files(directive, call.binding) => {
                    copied.as_ref().map(|(_, folder)| folder)
                }
                _ => Ok(&own),
            };
            runs.push(async move {
                match (permit, folder) {
                    (Err(by), _) => DirectiveOutcome::Refused { by },
                    (Ok(()), Err(outcome)) => outcome.clone(),
                    (Ok(()), Ok(folder)) => self.run_one(directive, call, folder, deadline).await,
                }
            });
        }
        stream::iter(runs)
            .buffered(self.limits.concurrent.max(1))
            .collect()
            .await
    }

    async fn run_one(
        &self,
        directive: &Directive,
        call: Call<'_>,
        folder: &WorkingFolder,
        deadline: Instant,
    ) -> DirectiveOutcome {
        let time = self
            .limits
            .timeout
            .min(deadline.saturating_duration_since(Instant::now()));
        if time == Duration::ZERO {
            return DirectiveOutcome::Refused { by: Refusal::Late };
        }
        let (line, input) = match self.command_line(directive, call, folder) {
            Ok(line) => line,
            Err(outcome) => return outcome,
        };
        let helper = if cfg!(target_os = "linux") {
            self.helper.as_slice()
        } else {
            &[]
        };
        // A helper that confines the run reports it.
        let known = match &self.confinement {
            None => Some(Sandbox::Off),
            Some(_) if helper.is_empty() => Some(Sandbox::Unavailable),
            Some(_) => None,
        };
        if let Some(sandbox) = known.as_ref().filter(|sandbox| !self.accepts(sandbox)) {
            return failed(sandbox.failure());
        }
        let running = async {
            let line = match (&self.confinement, &known) {
                (Some(rules), None) => rules.around(helper, line, &folder.path)?,
                _ => line,
            };
            let environment = self.environment(&folder.context);
            let (supervisor, input) = (helper, input.as_deref());
            let start = Start {
                line,
                environment: &environment,
                folder: &folder.path,
                supervisor,
                input,
            };
            run(start, known, time, &self.limits).await
        };
        match running.await {
            // The helper did not become the command.
            Ok(run) if !self.accepts(&run.sandbox) => failed(run.sandbox.failure()),
            Ok(run) => DirectiveOutcome::Ran(folder.shown(run)),
            Err(error) => failed(error.to_string()),
        }
    }

    /// Returns the command line, and the input of a script.
    #[expect(
        clippy::result_large_err,
        reason = "the error is the outcome of the directive"
    )]
    fn command_line(
        &self,
        directive: &Directive,
        call: Call<'_>,
        folder: &WorkingFolder,
    ) -> Result<(Vec<OsString>, Option<Vec<u8>>), DirectiveOutcome> {
        let words = folder.context.arguments.words();
        match &directive.action {
            DirectiveAction::Command { command } => {
                let line = self.shell.command_line(command, words);
                Ok((line.into_iter().map(OsString::from).collect(), None))
            }
            DirectiveAction::Script { path, arguments } => {
                let is_bound = call.binding.files.contains_key(path);
                // A file that is not bound is not in the copy. If it does not exist either, that is the error.
                let line = interpreter::command_line(
                    if is_bound { &folder.path } else { call.folder },
                    path,
                );
                let mut line = line.map_err(failed)?;
                if !is_bound {
                    return Err(DirectiveOutcome::Refused {
                        by: Refusal::Changed,
                    });
                }
                line.extend(words.iter().map(OsString::from));
                Ok((line, Some(input(&folder.context, arguments))))
            }
        }
    }

    fn accepts(&self, sandbox: &Sandbox) -> bool {
        self.confinement
            .as_ref()
            .is_none_or(|rules| rules.is_met_by(sandbox))
    }

    /// Returns the environment. Later entries override earlier ones: the variables of the context come first.
    fn environment(&self, context: &Context) -> Vec<(OsString, OsString)> {
        let variables = context
            .variables()
            .into_iter()
            .filter(|(name, value)| is_name(name) && !value.contains('\0'));
        let mut environment: Vec<(OsString, OsString)> = variables
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        environment.extend(self.environment.iter().cloned());
        environment.extend(OWN.map(|(name, value)| (name.into(), value.into())));
        environment.push(("SKILL_ARGUMENTS".into(), context.arguments.raw().into()));
        let words = context.arguments.words().iter().enumerate();
        environment.extend(
            words.map(|(number, word)| (format!("SKILL_ARG_{}", number + 1).into(), word.into())),
        );
        environment
    }
}

#[derive(Debug)]
struct WorkingFolder {
    path: PathBuf,
    context: Context,
    /// A path in the output, and its replacement.
    shown: Option<(String, String)>,
}

impl WorkingFolder {
    fn shown(&self, mut run: CompletedRun) -> CompletedRun {
        if let Some((from, to)) = &self.shown {
            run.stdout = run.stdout.renamed(from, to);
            run.stderr = run.stderr.renamed(from, to);
        }
        run
    }
}

fn failed(reason: String) -> DirectiveOutcome {
    DirectiveOutcome::Failed {
        reason: reason.into(),
    }
}

async fn copied(call: Call<'_>) -> Result<(VerifiedCopy, WorkingFolder), DirectiveOutcome> {
    let (folder, binding) = (call.folder.to_owned(), call.binding.clone());
    let copying = tokio::task::spawn_blocking(move || {
        let copy = VerifiedCopy::new(&folder, &binding)?;
        Ok((copy, folder.canonicalize()?))
    });
    let (copy, real) = match copying.await.map_err(|error| failed(error.to_string()))? {
        Ok(copied) => copied,
        Err(NotCopied::Changed) => {
            return Err(DirectiveOutcome::Refused {
                by: Refusal::Changed,
            });
        }
        Err(NotCopied::Failed(error)) => return Err(failed(error.to_string())),
    };
    let path = copy.path().to_string_lossy().into_owned();
    let (context, real) = match call.context.get(Context::SKILL_DIR) {
        Some(known) => (
            call.context.clone().skill_dir(path.as_str()),
            known.to_owned(),
        ),
        None => (call.context.clone(), real.to_string_lossy().into_owned()),
    };
    let folder = WorkingFolder {
        path: copy.path().to_owned(),
        context,
        shown: Some((path, real)),
    };
    Ok((copy, folder))
}

/// Returns the absolute folders of a search path. A relative one would make files of the skill programs.
fn absolute(path: &OsStr) -> Option<OsString> {
    let folders: Vec<_> = std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .collect();
    if folders.is_empty() {
        None
    } else {
        std::env::join_paths(folders).ok()
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// Returns the context of a script.
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
