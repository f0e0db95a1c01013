//! `repertoire watch`.

use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use repertoire::registry::{Cause, Entry, Snapshot, Update};
use repertoire::skill::ChangedParts;
use repertoire::skill::text::terminal_line;
use repertoire::{FsSource, Id, Model, Skill, SkillRegistry};
use serde::Serialize;

use crate::arguments::{SourceOptions, at_least_one};
use crate::compose::{Composition, NamedFolders, reload};
use crate::context::CommandContext;
use crate::diagnostics::{DiagnosticPrinter, ReportedDiagnostic, counted};
use crate::failure::Failure;
use crate::output::{Format, write_line};
use crate::row::Winner;
use crate::signals::Signal;
use crate::source_cache::SourceCache;
use crate::{Environment, Exit};

/// Watch skills and report changes and problems as they happen.
///
/// Runs until interrupted. SIGHUP reloads the sources and the configuration file; if the file is invalid, the current state is
/// kept. With --json, prints one document per line: the initial state, then each change.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  repertoire watch\n  repertoire watch --json --changes 10")]
pub(crate) struct Watch {
    /// Search only these folders.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// Exit after N changes.
    #[arg(long, value_name = "N", value_parser = at_least_one::<NonZeroU64>)]
    changes: Option<NonZeroU64>,
}

/// The first line of JSON: the initial state.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Started<'a> {
    #[cfg_attr(feature = "schema", schemars(extend("const" = "started")))]
    event: &'static str,
    generation: u64,
    skills: Vec<Winner<'a>>,
    diagnostics: Vec<ReportedDiagnostic>,
}

/// Every other line of JSON: a change.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Changed<'a> {
    #[cfg_attr(feature = "schema", schemars(extend("const" = "changed")))]
    event: &'static str,
    generation: u64,
    causes: &'a [Cause],
    added: Vec<Winner<'a>>,
    modified: Vec<Modified<'a>>,
    removed: Vec<Gone<'a>>,
    /// The diagnostics that appeared.
    diagnostics: Vec<ReportedDiagnostic>,
    /// The diagnostics that disappeared.
    resolved: Vec<ReportedDiagnostic>,
}

/// A skill that changed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ModifiedSkill"))]
struct Modified<'a> {
    /// The parts of the winner that changed; none if only its rights or its shadows changed.
    moved: ChangedParts,
    skill: Winner<'a>,
}

/// A skill that was removed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RemovedSkill"))]
struct Gone<'a> {
    id: &'a Id,
    source: &'a str,
    location: Option<&'a str>,
}

impl Watch {
    pub(crate) async fn run(
        &self,
        options: &SourceOptions,
        model: Model,
        format: Format,
        environment: &mut Environment<'_>,
    ) -> Result<io::Result<Exit>, Failure> {
        let listening = environment.signals.listen();
        listening.map_err(|error| Failure::io("cannot listen for signals", &error))?;
        let mut cache = SourceCache::default();
        let composition = Composition::read(options, NamedFolders::Plain(&self.folders), environment, &mut cache)?;
        let registry = composition.start(environment).await?;
        let folders = composition.folders.clone();
        let mut reporter = Reporter { registry: registry.clone(), folders, model, format };
        let ended = self.follow(&mut reporter, options, &mut cache, environment).await;
        registry.close().await;
        Ok(ended.map(|()| Exit::Success))
    }

    async fn follow(
        &self,
        reporter: &mut Reporter,
        options: &SourceOptions,
        cache: &mut SourceCache,
        environment: &mut Environment<'_>,
    ) -> io::Result<()> {
        let mut updates = reporter.registry.subscribe();
        reporter.started(updates.current(), environment)?;
        let mut reported = 0;
        while self.changes.is_none_or(|changes| reported < changes.get()) {
            tokio::select! {
                biased;
                signal = environment.signals.next() => match signal {
                    Signal::Stop => break,
                    Signal::Reload => {
                        let apply = async |composition: &Composition, _: &Environment<'_>| {
                            composition.recompose(&reporter.registry).await?;
                            reporter.folders.clone_from(&composition.folders);
                            Ok(())
                        };
                        reload(options, &self.folders, cache, environment, apply).await;
                    }
                },
                Some(update) = updates.next() => {
                    reporter.changed(&update, environment)?;
                    reported += 1;
                }
                else => break,
            }
        }
        Ok(())
    }
}

struct Reporter {
    registry: SkillRegistry,
    /// The sources that search folders, by name.
    folders: Vec<(String, Arc<FsSource>)>,
    model: Model,
    format: Format,
}

impl Reporter {
    fn started(&self, view: &Snapshot<Skill>, environment: &mut Environment<'_>) -> io::Result<()> {
        let context = self.context(view, environment);
        if self.format == Format::Json {
            let skills = view.entries().iter().map(|entry| Winner::of(entry, &context)).collect();
            let event =
                Started { event: "started", generation: view.generation(), skills, diagnostics: context.diagnostics() };
            return write_line("watch", &event, &mut environment.stdout);
        }
        let skills = counted(view.len(), "skill");
        // The layer of skills that are registered in code is not a source of the user.
        let sources = counted(view.layers().len() - 1, "source");
        environment.say(&format!("note: watching {skills} from {sources}\n"));
        Ok(())
    }

    fn changed(&self, update: &Update<Skill>, environment: &mut Environment<'_>) -> io::Result<()> {
        let (view, change) = (&update.snapshot, &update.change);
        let context = self.context(view, environment);
        let [found, resolved] = [&change.diagnostics.new, &change.diagnostics.gone]
            .map(|diagnostics| diagnostics.iter().map(ReportedDiagnostic::of).collect::<Vec<_>>());
        if self.format == Format::Json {
            let event = Changed {
                event: "changed",
                generation: view.generation(),
                causes: &change.causes,
                added: change.added.iter().map(|entry| Winner::of(entry, &context)).collect(),
                modified: change
                    .modified
                    .iter()
                    .map(|id| Modified { moved: id.changed_parts(), skill: Winner::of(&id.new, &context) })
                    .collect(),
                removed: change.removed.iter().map(|entry| Gone::of(entry)).collect(),
                diagnostics: found,
                resolved,
            };
            return write_line("watch", &event, &mut environment.stdout);
        }
        let out = &mut environment.stdout;
        let (mut printer, coloured) = (DiagnosticPrinter::new(context.quotable_folders()), out.is_coloured());
        for line in change.summary().lines() {
            writeln!(out, "{}", terminal_line(&line.to_string()))?;
        }
        for diagnostic in &found {
            writeln!(out, "{}", printer.draw(diagnostic, &context.cwd, coloured))?;
        }
        for ReportedDiagnostic { diagnostic, .. } in &resolved {
            let path = diagnostic.path.as_deref().map(|path| format!(" in `{}`", context.relative_path(path)));
            let line = format!("resolved: {}[{}]{}", diagnostic.severity, diagnostic.code, path.unwrap_or_default());
            writeln!(out, "{}", terminal_line(&line))?;
        }
        out.flush()
    }

    fn context(&self, view: &Snapshot<Skill>, environment: &Environment<'_>) -> CommandContext {
        CommandContext::new(self.registry.clone(), view.clone(), self.folders.clone(), self.model.clone(), environment)
    }
}

impl<'a> Gone<'a> {
    fn of(entry: &'a Entry<Skill>) -> Gone<'a> {
        let (id, source) = (&entry.id, entry.origin().source.as_ref());
        Gone { id, source, location: entry.item().location.as_deref() }
    }
}
