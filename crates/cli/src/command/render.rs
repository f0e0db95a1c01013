//! `repertoire render`.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use clap::Args;
use repertoire::render::{
    Approval, Arguments, Call, Confinement, Context, Dialect, DialectBy, Directive, Gap, Outcome, Plan, Refusal,
    Runner, Sandbox, Shell, Switch, Syntax, Verdict,
};
use repertoire::{Digest, Id};
use serde::Serialize;
use serde_json::Value;

use super::body::write_text;
use super::directives::Row;
use crate::answer::{Answer, json};
use crate::approved::{Approved, Asked};
use crate::compose::patiently;
use crate::failure::Failure;
use crate::session::Session;
use crate::shown::shown;
use crate::{Environment, Signal, Signals, Stream};

/// Print the instructions of one skill as a model gets them, with what was typed in its places.
#[derive(Debug, Args)]
pub(crate) struct Render {
    /// The skill: `NAME`, or `SOURCE:NAME` whoever wins.
    name: String,
    /// What is typed behind the name: one text as it is, or several words. After `--` where one begins with a hyphen.
    #[arg(value_name = "ARGS")]
    arguments: Vec<String>,
    /// How places for arguments are spelled, where neither the source nor the skill says it.
    #[arg(long, value_name = "DIALECT", value_parser = Dialect::ALL.map(|dialect| dialect.name))]
    dialect: Option<String>,
    /// Run its commands and scripts: those that are approved, and those that you say yes to.
    #[arg(long)]
    allow_commands: bool,
    /// What runs commands.
    #[arg(long, value_enum, default_value_t)]
    shell: ShellName,
    /// Take from what runs whatever it does not need: files outside of its skill, the network, new rights. On Linux.
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        num_args = 0..=1,
        require_equals = true,
        default_value_t,
        default_missing_value = "auto"
    )]
    sandbox: When,
    /// A variable for `${KEY}`.
    #[arg(long = "var", value_name = "KEY=VALUE", value_parser = variable)]
    variables: Vec<(String, String)>,
}

/// A shell, as typed.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum ShellName {
    #[default]
    Sh,
    Bash,
}

/// When a sandbox is around what runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum When {
    /// Never.
    #[default]
    Off,
    /// As much of it as there is, which is told.
    Auto,
    /// All of it, or nothing runs.
    Require,
}

/// A body as text.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Instructions {
    id: Id,
    qualified_id: Id,
    /// Of the text.
    digest: Digest,
    dialect: &'static str,
    dialect_by: DialectBy,
    text: String,
    directives: Vec<Ended>,
    warnings: Vec<String>,
    #[serde(skip)]
    sandboxes: BTreeSet<String>,
}

/// What became of a directive.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Ended {
    #[serde(flatten)]
    row: Row,
    outcome: Fate,
    /// How it ended, or why it did not run.
    how: String,
    /// What it ran in.
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<Confined>,
}

/// Whether a sandbox was around it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Confined {
    state: State,
    /// Which rules it does not keep, where it is partial.
    without: Vec<Gap>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "kebab-case")]
enum State {
    Off,
    Active,
    Partial,
    Unavailable,
}

/// Whether it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Fate {
    Ran,
    /// It may not run.
    Refused,
    /// It may run, and could not.
    Failed,
}

fn variable(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected `KEY=VALUE`")?;
    Ok((key.to_owned(), value.to_owned()))
}

impl Render {
    pub(crate) async fn answer(
        &self,
        session: &Session<'_>,
        environment: &mut Environment<'_>,
    ) -> Result<impl Answer + use<>, Failure> {
        let asked = Asked::of(&self.name, session).await?;
        let host = self.dialect.as_deref().map(Dialect::named).transpose().map_err(|error| Failure::of(&error))?;
        let syntax = Syntax::of(&asked.claim.item, asked.dialect, host);
        let plan = Plan::new(&asked.body.text, &syntax);
        let context = self.context(&asked, session);
        let outcomes = self.run(&plan, &asked, &context, session, environment).await?;
        let rendered = plan.render(&context, outcomes).map_err(|error| Failure::of(&error))?;
        let directives = plan.directives().iter().zip(&rendered.outcomes).map(|(row, outcome)| Ended::of(row, outcome));
        let (dialect, dialect_by) = syntax.dialect();
        Ok(Instructions {
            id: asked.id.clone(),
            qualified_id: asked.claim.qualified_id(),
            digest: rendered.digest(),
            dialect: dialect.name,
            dialect_by,
            directives: directives.collect(),
            sandboxes: sandboxes(&rendered.outcomes),
            warnings: rendered.warnings.iter().map(ToString::to_string).collect(),
            text: rendered.text.into_owned(),
        })
    }

    fn context(&self, asked: &Asked<'_>, session: &Session<'_>) -> Context {
        let arguments = match self.arguments.as_slice() {
            [text] => Arguments::new(text.as_str()),
            words => Arguments::from_words(words),
        };
        let context = Context::new().arguments(arguments).project_dir(session.cwd.to_string_lossy());
        let context = match asked.folder() {
            Some(folder) => context.skill_dir(folder.to_string_lossy()),
            None => context,
        };
        self.variables.iter().fold(context, |context, (name, value)| context.variable(name, value))
    }

    /// Asks for everything first, then runs what may.
    async fn run(
        &self,
        plan: &Plan<'_>,
        asked: &Asked<'_>,
        context: &Context,
        session: &Session<'_>,
        environment: &mut Environment<'_>,
    ) -> Result<Vec<Outcome>, Failure> {
        let switch = if self.allow_commands { Switch::On } else { Switch::Off };
        let approval = match switch {
            Switch::On if !plan.directives().is_empty() => Approved::read(session)?.approvals.approval(&asked.binding),
            _ => Approval::Missing,
        };
        let permits = plan.directives().iter().map(|directive| {
            let permit = |approval| asked.rights(switch, approval).permit(directive, |_| Verdict::Allow);
            match permit(approval) {
                Err(Refusal::Unapproved | Refusal::Changed) if environment.stdin.is_some() => {
                    if ask(directive, environment) {
                        permit(Approval::Given)
                    } else {
                        Err(Refusal::Denied("you said no".into()))
                    }
                }
                permit => permit,
            }
        });
        let permits: Vec<_> = permits.collect();
        let shell = match self.shell {
            ShellName::Sh => Shell::Sh,
            ShellName::Bash => Shell::Bash,
        };
        let runner = Runner::new(std::mem::take(&mut environment.variables)).shell(shell);
        let confinement = Confinement::new(std::mem::take(&mut environment.helper));
        let runner = match self.sandbox {
            When::Off => runner,
            When::Auto => runner.confined(confinement),
            When::Require => runner.confined(confinement.required()),
        };
        let call = Call::new(asked.folder().unwrap_or(Path::new("")), context, &asked.binding);
        let mut signals = std::mem::replace(&mut environment.signals, Signals::none());
        if permits.iter().any(Result::is_ok) {
            signals.listen().map_err(|error| Failure::io("cannot listen to signals", &error))?;
        }
        let mut permits = permits.into_iter();
        let permit = |_: &Directive| permits.next().unwrap_or(Err(Refusal::Off));
        let stopped = async { while signals.next().await != Signal::Stop {} };
        tokio::select! {
            biased;
            () = stopped => Err(Failure::new("stopped, with everything that it ran")),
            outcomes = patiently("running commands", runner.run(plan.directives(), call, permit), environment) => Ok(outcomes),
        }
    }
}

/// Shows one of them, and asks.
fn ask(directive: &Directive, environment: &mut Environment<'_>) -> bool {
    let mut text = Vec::new();
    Row::of(directive).write(&mut text).expect("a vector takes every byte");
    environment.say(&String::from_utf8_lossy(&text));
    environment.ask("run it this time?").unwrap_or(false)
}

/// The sandboxes that something ran in, as a rule one.
fn sandboxes(outcomes: &[Outcome]) -> BTreeSet<String> {
    let of = |outcome: &Outcome| match outcome {
        Outcome::Ran(run) if run.sandbox != Sandbox::Off => Some(run.sandbox.to_string()),
        _ => None,
    };
    outcomes.iter().filter_map(of).collect()
}

impl Ended {
    fn of(directive: &Directive, outcome: &Outcome) -> Ended {
        let (fate, how) = match outcome {
            Outcome::Ran(run) => (Fate::Ran, run.ended.to_string()),
            Outcome::Refused { by } => (Fate::Refused, by.to_string()),
            Outcome::Failed { reason } => (Fate::Failed, reason.to_string()),
            _ => (Fate::Failed, String::new()),
        };
        let sandbox = match outcome {
            Outcome::Ran(run) => Some(Confined::of(&run.sandbox)),
            _ => None,
        };
        Ended { row: Row::of(directive), outcome: fate, how, sandbox }
    }
}

impl Confined {
    fn of(sandbox: &Sandbox) -> Confined {
        let (state, without) = match sandbox {
            Sandbox::Off => (State::Off, Vec::new()),
            Sandbox::Active => (State::Active, Vec::new()),
            Sandbox::Partial(gaps) => (State::Partial, gaps.clone()),
            Sandbox::Unavailable => (State::Unavailable, Vec::new()),
        };
        Confined { state, without }
    }
}

impl Answer for Instructions {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        write_text(&self.text, out)
    }

    fn notes(&self) -> Vec<String> {
        let sandboxes = self.sandboxes.iter().map(|sandbox| format!("sandbox: {sandbox}"));
        let idle = self.directives.iter().filter(|directive| directive.outcome != Fate::Ran);
        let idle = idle.map(|directive| format!("line {}: not run: {}", directive.row.line(), shown(&directive.how)));
        self.warnings.iter().cloned().chain(sandboxes).chain(idle).collect()
    }
}
