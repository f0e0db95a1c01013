//! `repertoire render`.

mod instructions;

use std::path::Path;

use clap::Args;
use repertoire::render::{
    Approval, Arguments, Call, Confinement, Context, Dialect, Directive, Outcome, Plan, Refusal, Runner, Shell, Switch,
    Syntax, Verdict,
};

pub(super) use self::instructions::Instructions;
use super::directives::Row;
use crate::answer::Answer;
use crate::approved::{Approved, Asked};
use crate::compose::patiently;
use crate::failure::Failure;
use crate::session::Session;
use crate::{Environment, Signal, Signals};

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
    #[command(flatten)]
    sandbox: SandboxArgs,
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

/// The option that confines the commands and scripts of skills.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct SandboxArgs {
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
}

#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum When {
    /// Never.
    #[default]
    Off,
    /// As much of it as there is, which is told.
    Auto,
    /// All of it, or nothing runs.
    Require,
}

impl SandboxArgs {
    /// Returns `runner` with the sandbox around what it runs.
    pub(super) fn around(self, runner: Runner) -> Runner {
        match self.sandbox {
            When::Off => runner,
            When::Auto => runner.confined(Confinement::default()),
            When::Require => runner.confined(Confinement::default().required()),
        }
    }
}

fn variable(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected `KEY=VALUE`")?;
    if Context::is_built_in(key) {
        return Err(format!("`{key}` is built in, and nothing overrides it"));
    }
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
        Ok(Instructions::of(&asked, &plan, &syntax, rendered))
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
        let context = session.context(&asked.claim.origin.source, context);
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
        let runner = runner.helper(std::mem::take(&mut environment.helper));
        let runner = self.sandbox.around(runner);
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
