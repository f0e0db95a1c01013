//! `repertoire watch`.

use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use repertoire::{Id, Model, Modified, Skill, SkillRegistry, SourceDiagnostic, Update};
use serde::Serialize;

use crate::answer::{Format, json, write_line};
use crate::arguments::Places;
use crate::compose::Plan;
use crate::failure::Failure;
use crate::finding::{Finding, Sources, counted};
use crate::pool::Pool;
use crate::row::Row;
use crate::session::Session;
use crate::shown::shown;
use crate::signals::Signal;
use crate::{Environment, Exit};

/// Show changes as they happen, with what is wrong or odd about them.
///
/// Goes on until it is interrupted. A hang-up signal (SIGHUP) has the places to look read again, the configuration file with
/// them; when something is wrong with it, everything stays as it was. With `--json` each line is a document: first what there
/// is, then one for each change.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Look in these folders alone.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// End after so many changes.
    #[arg(long, value_name = "N")]
    changes: Option<NonZeroU64>,
}

/// One line.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event<'a> {
    /// What there is, before any change.
    Started { generation: u64, skills: Vec<Row<'a>>, diagnostics: Vec<Finding> },
    /// What changed since the line before.
    Changed {
        generation: u64,
        added: Vec<Row<'a>>,
        modified: Vec<Changed<'a>>,
        removed: Vec<Gone<'a>>,
        /// What is to be said now and was not before.
        found: Vec<Finding>,
        /// What was said before and is not any more.
        gone: Vec<Finding>,
    },
}

/// A skill that is another now.
#[derive(Serialize)]
struct Changed<'a> {
    /// Which parts of the winner are others; empty when only its rights, or the skills that it hides, are.
    moved: Vec<&'static str>,
    skill: Row<'a>,
}

/// A skill that is not there any more.
#[derive(Serialize)]
struct Gone<'a> {
    id: &'a Id,
    source: &'a str,
    location: Option<&'a str>,
}

impl Watch {
    /// Tells of changes until a signal or enough of them end it.
    pub(crate) async fn run(
        &self,
        places: &Places,
        model: Model<'_>,
        format: Format,
        environment: &mut Environment<'_>,
    ) -> Result<io::Result<Exit>, Failure> {
        let listening = environment.signals.listen();
        listening.map_err(|error| Failure::io("cannot listen to signals", &error))?;
        let mut pool = Pool::watching();
        let plan = Plan::read(places, &self.folders, environment, &mut pool)?;
        let registry = plan.start(environment).await?;
        let ended = self.follow(&registry, (places, pool, plan), model, format, environment).await;
        registry.close().await;
        Ok(ended.map(|()| Exit::Success))
    }

    async fn follow(
        &self,
        registry: &SkillRegistry,
        (places, mut pool, mut plan): (&Places, Pool, Plan),
        model: Model<'_>,
        format: Format,
        environment: &mut Environment<'_>,
    ) -> io::Result<()> {
        let mut updates = registry.subscribe();
        let session = Session::at(updates.current().clone(), registry.clone(), Vec::new(), model, environment);
        started(&session, format, environment)?;
        let mut told = 0;
        while self.changes.is_none_or(|changes| told < changes.get()) {
            tokio::select! {
                biased;
                signal = environment.signals.next() => match signal {
                    Signal::Stop => break,
                    Signal::Reload => {
                        match self.reload(places, registry, &mut pool, environment).await {
                            Ok(next) => plan = next,
                            Err(failure) => {
                                pool.keep();
                                let text = failure.report().draw(environment.stderr.is_coloured());
                                environment.say(&format!("{text}note: everything stays as it was\n"));
                            }
                        }
                    }
                },
                update = updates.next() => match update {
                    Some(update) => {
                        changed(&update, registry, model, format, environment)?;
                        told += 1;
                    }
                    None => break,
                },
            }
        }
        Ok(())
    }
}
