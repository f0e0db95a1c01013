//! `repertoire watch`.

use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use repertoire::{Cause, Entry, FsSource, Id, Model, Moved, Skill, SkillRegistry, Snapshot, SourceDiagnostic, Update};
use serde::Serialize;

use crate::answer::{Format, json, write_line};
use crate::arguments::{Places, at_least_one};
use crate::compose::{Named, Plan, reload};
use crate::failure::Failure;
use crate::finding::{Finding, Sources, counted};
use crate::pool::Pool;
use crate::row::Winner;
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
    /// Look in these folders, in place of the standard ones and the built-in skills.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// End after so many changes.
    #[arg(long, value_name = "N", value_parser = at_least_one::<NonZeroU64>)]
    changes: Option<NonZeroU64>,
}

/// The first line of JSON: what there is, before any change.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Started<'a> {
    event: IsStarted,
    generation: u64,
    skills: Vec<Winner<'a>>,
    diagnostics: Vec<Finding>,
}

/// Every other line: what changed since the one before.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Changed<'a> {
    event: IsChanged,
    generation: u64,
    causes: &'a [Cause],
    added: Vec<Winner<'a>>,
    modified: Vec<Modified<'a>>,
    removed: Vec<Gone<'a>>,
    /// What is wrong or odd now and was not before.
    diagnostics: Vec<Finding>,
    /// What was wrong or odd before and is not any more.
    resolved: Vec<Finding>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "kebab-case")]
enum IsStarted {
    Started,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "kebab-case")]
enum IsChanged {
    Changed,
}

/// A skill that is not as it was.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ModifiedSkill"))]
struct Modified<'a> {
    /// Which parts of the winner; none when only its rights, or the skills that it hides, are others.
    moved: Moved,
    skill: Winner<'a>,
}

/// A skill that is not there any more.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RemovedSkill"))]
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
        let plan = Plan::read(places, Named::Alone(&self.folders), environment, &mut pool)?;
        let registry = plan.start(environment).await?;
        let folders = plan.folders.clone();
        let mut teller = Teller { registry: registry.clone(), folders, model, format };
        let ended = self.follow(&mut teller, places, &mut pool, environment).await;
        registry.close().await;
        Ok(ended.map(|()| Exit::Success))
    }

    async fn follow(
        &self,
        teller: &mut Teller<'_>,
        places: &Places,
        pool: &mut Pool,
        environment: &mut Environment<'_>,
    ) -> io::Result<()> {
        let mut updates = teller.registry.subscribe();
        teller.started(updates.current(), environment)?;
        let mut told = 0;
        while self.changes.is_none_or(|changes| told < changes.get()) {
            tokio::select! {
                biased;
                signal = environment.signals.next() => match signal {
                    Signal::Stop => break,
                    Signal::Reload => {
                        let take = async |plan: &Plan, _: &Environment<'_>| {
                            plan.recompose(&teller.registry).await?;
                            teller.folders.clone_from(&plan.folders);
                            Ok(())
                        };
                        reload(places, &self.folders, pool, environment, take).await;
                    }
                },
                Some(update) = updates.next() => {
                    teller.changed(&update, environment)?;
                    told += 1;
                }
                else => break,
            }
        }
        Ok(())
    }
}

/// Tells of a registry, to people or in JSON.
struct Teller<'a> {
    registry: SkillRegistry,
    /// The sources that search folders, by name.
    folders: Vec<(String, Arc<FsSource>)>,
    model: Model<'a>,
    format: Format,
}

impl Teller<'_> {
    fn started(&self, view: &Snapshot<Skill>, environment: &mut Environment<'_>) -> io::Result<()> {
        let session = self.session(view, environment);
        if self.format == Format::Json {
            let skills = view.entries().iter().map(|entry| Winner::of(entry, &session)).collect();
            let event = Started {
                event: IsStarted::Started,
                generation: view.generation(),
                skills,
                diagnostics: session.findings(),
            };
            return write_line("watch", json(&event), &mut environment.stdout);
        }
        let skills = counted(view.len(), "skill");
        // The one for what is registered in code is none that anybody named.
        let sources = counted(view.layers().len() - 1, "source");
        environment.say(&format!("note: watching {skills} from {sources}\n"));
        Ok(())
    }

    fn changed(&self, update: &Update<Skill>, environment: &mut Environment<'_>) -> io::Result<()> {
        let (view, change) = (&update.snapshot, &update.change);
        let session = self.session(view, environment);
        let findings = |found: &[SourceDiagnostic]| found.iter().map(Finding::of).collect::<Vec<_>>();
        let (found, resolved) = (findings(&change.diagnostics.new), findings(&change.diagnostics.gone));
        if self.format == Format::Json {
            let event = Changed {
                event: IsChanged::Changed,
                generation: view.generation(),
                causes: &change.causes,
                added: change.added.iter().map(|entry| Winner::of(entry, &session)).collect(),
                modified: change
                    .modified
                    .iter()
                    .map(|id| Modified { moved: id.moved(), skill: Winner::of(&id.new, &session) })
                    .collect(),
                removed: change.removed.iter().map(|entry| Gone::of(entry)).collect(),
                diagnostics: found,
                resolved,
            };
            return write_line("watch", json(&event), &mut environment.stdout);
        }
        let out = &mut environment.stdout;
        let (mut sources, coloured) = (Sources::new(session.bases()), out.is_coloured());
        for line in change.summary().lines() {
            writeln!(out, "{}", shown(&line.to_string()))?;
        }
        for finding in &found {
            writeln!(out, "{}", sources.draw(finding, &session.cwd, coloured))?;
        }
        for Finding { diagnostic, .. } in &resolved {
            let path = diagnostic.path.as_deref().map(|path| format!(" in `{}`", session.near(path)));
            let line = format!("resolved: {}[{}]{}", diagnostic.severity, diagnostic.code, path.unwrap_or_default());
            writeln!(out, "{}", shown(&line))?;
        }
        out.flush()
    }

    fn session(&self, view: &Snapshot<Skill>, environment: &Environment<'_>) -> Session<'_> {
        Session::at(view.clone(), self.registry.clone(), self.folders.clone(), self.model, environment)
    }
}

impl<'a> Gone<'a> {
    fn of(entry: &'a Entry<Skill>) -> Gone<'a> {
        let (id, source) = (&entry.id, entry.origin().source.as_ref());
        Gone { id, source, location: entry.item().location.as_deref() }
    }
}
