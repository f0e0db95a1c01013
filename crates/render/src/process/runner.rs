//! Running everything that a body asks for.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::child::Start;
use super::interpreter::Script;
use super::{Confinement, Limits, Shell};
use crate::{Action, Binding, Context, Directive, Failure, Outcome, Refusal, Sandbox};

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

/// Runs commands and scripts, Unix first.
///
/// Each gets the folder of its skill as working folder, no standard input (a script: its context as JSON), an environment of
/// [few variables](ENVIRONMENT), and a process group of its own. What was typed comes as positional parameters and in the
/// environment, and is never part of a command.
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
    /// The skill in `folder`, with what was typed and set in `context`. A script runs if its content is the one in `binding`.
    pub fn new(folder: &'a Path, context: &'a Context, binding: &'a Binding) -> Call<'a> {
        Call { folder, context, binding }
    }
}

impl Runner {
    /// A runner that takes what a command may see from `environment`, a host's own as a rule.
    pub fn new(environment: impl IntoIterator<Item = (OsString, OsString)>) -> Runner {
        let may_see = |name: &OsString| ENVIRONMENT.iter().any(|known| name == known);
        let environment = environment.into_iter().filter(|(name, _)| may_see(name)).collect();
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
        let environment = self.environment(call.context);
        // Collected, because a closure that lives on in the stream would keep this future from being `Send`.
        let runs: Vec<_> = directives
            .iter()
            .zip(permits)
            .map(|(directive, permit)| {
                let environment = &environment;
                async move {
                    match permit {
                        Ok(()) => self.one(directive, call, environment, deadline).await,
                        Err(by) => Outcome::Refused { by },
                    }
                }
            })
            .collect();
        stream::iter(runs).buffered(self.limits.concurrent.max(1)).collect().await
    }

    async fn one(
        &self,
        directive: &Directive,
        call: Call<'_>,
        environment: &[(OsString, OsString)],
        deadline: Instant,
    ) -> Outcome {
        let time = self.limits.timeout.min(deadline.saturating_duration_since(Instant::now()));
        if time == Duration::ZERO {
            return Outcome::Refused { by: Refusal::Late };
        }
        let failed = |reason| Outcome::Failed { reason };
        let words = call.context.arguments.words();
        let (line, input) = match &directive.action {
            Action::Command { command } => {
                let line = self.shell.command_line(command, words);
                (line.into_iter().map(OsString::from).collect(), None)
            }
            Action::Script { path, arguments } => match Script::open(call.folder, path) {
                // It may be changed between this look and its start; who can do that can as well change what it runs later.
                Ok(script) if call.binding.files.get(path) == Some(&script.digest) => {
                    let words = words.iter().map(OsString::from);
                    (script.line.into_iter().chain(words).collect(), Some(input(call.context, arguments)))
                }
                Ok(_) => return Outcome::Refused { by: Refusal::Changed },
                Err(reason) => return failed(reason),
            },
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
                (Some(rules), None) => rules.around(helper, line, call.folder)?,
                _ => line,
            };
            Start { line, environment, folder: call.folder, helper, sandbox: known, input }
                .run(time, &self.limits)
                .await
        };
        match run.await {
            // The helper did not become the command.
            Ok(run) if !is_met(&run.sandbox) => failed(Failure::NotConfined(run.sandbox)),
            Ok(run) => Outcome::Ran(run),
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
            .chain([("TERM".into(), "dumb".into())])
            .chain(typed)
            .collect()
    }
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
