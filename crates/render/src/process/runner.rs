//! Running everything that a body asks for.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use repertoire_core::ResourcePath;
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
/// On Unix that reaches its process group; on Linux also who left the group and still has the variable `REPERTOIRE_RUN` in its
/// environment. A process that leaves the group *and* clears its environment is not found. Nor does anybody end anything if
/// the host itself is killed.
///
/// Needs a tokio runtime with I/O and time.
#[derive(Debug, Clone)]
pub struct Runner {
    shell: Shell,
    limits: Limits,
    environment: Vec<(OsString, OsString)>,
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
        Runner { shell: Shell::default(), limits: Limits::default(), environment, confinement: None }
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

    /// The same runner, confining what it runs. Each [`Run`](crate::Run) tells what the kernel enforced of it.
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
        let words = call.context.arguments.words();
        let (line, input) = match &directive.action {
            Action::Command { command } => {
                let line = self.shell.command_line(command, words);
                (line.into_iter().map(OsString::from).collect(), None)
            }
            Action::Script { path, arguments } => match script(call, path) {
                Ok(mut line) => {
                    line.extend(words.iter().map(OsString::from));
                    (line, Some(input(call.context, arguments)))
                }
                Err(outcome) => return outcome,
            },
        };
        let failed = |reason| Outcome::Failed { reason };
        // Where a helper confines it, that one tells.
        let known = match &self.confinement {
            None => Some(Sandbox::Off),
            Some(rules) if !rules.has_helper() => Some(Sandbox::Unavailable),
            Some(_) => None,
        };
        let is_met = |sandbox: &Sandbox| self.confinement.as_ref().is_none_or(|rules| rules.is_met_by(sandbox));
        if let Some(sandbox) = known.as_ref().filter(|sandbox| !is_met(sandbox)) {
            return failed(Failure::NotConfined(sandbox.clone()));
        }
        let run = async {
            let line = match (&self.confinement, &known) {
                (Some(rules), None) => rules.around(line, call.folder)?,
                _ => line,
            };
            Start { line, environment, folder: call.folder, sandbox: known, input }.run(time, &self.limits).await
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

/// The command line of a script, if it is the one that was approved.
fn script(call: Call<'_>, path: &ResourcePath) -> Result<Vec<OsString>, Outcome> {
    let script = Script::open(call.folder, path).map_err(|reason| Outcome::Failed { reason })?;
    // It may be changed between this look and its start; who can do that can as well change what it runs later.
    match call.binding.files.get(path) {
        Some(bound) if *bound == script.digest => Ok(script.line),
        _ => Err(Outcome::Refused { by: Refusal::Changed }),
    }
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
