//! `repertoire watch`.

use std::io;
use std::num::NonZeroU64;
use std::sync::Arc;

use clap::Args;
use repertoire::registry::{Cause, Entry, Snapshot, SourceDiagnostic, Update};
use repertoire::skill::ChangedParts;
use repertoire::{FsSource, Id, Model, Skill, SkillRegistry};
use serde::Serialize;

use crate::compose::{NamedFolders, SourceComposition, reload};
use crate::context::CommandContext;
use crate::diagnostics::{ReportedDiagnostic, counted};
use crate::failure::Failure;
use crate::options::{SearchedFolders, SourceOptions, at_least_one};
use crate::output::{Format, Output, write_event};
use crate::row::WinnerRow;
use crate::signals::Signal;
use crate::source_cache::SourceCache;
use crate::{Environment, Exit};

/// Watch skills and report changes and problems as they happen.
///
/// Runs until interrupted. SIGHUP reloads the configuration file and the sources; an invalid file changes nothing. With --json,
/// prints one document per line: the initial state, then each change.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  repertoire watch\n  repertoire watch --json --changes 10")]
pub(crate) struct WatchCommand {
    #[command(flatten)]
    pub(super) searched: SearchedFolders,
    /// Exit after N changes.
    #[arg(long, value_name = "N", value_parser = at_least_one::<NonZeroU64>)]
    changes: Option<NonZeroU64>,
}

/// The first line of JSON: the initial state.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct WatchStarted<'a> {
    #[cfg_attr(feature = "schema", schemars(extend("const" = "started")))]
    event: &'static str,
    generation: u64,
    skills: Vec<WinnerRow<'a>>,
    diagnostics: Vec<ReportedDiagnostic>,
}

/// Every other line of JSON: a change.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct WatchChanged<'a> {
    #[cfg_attr(feature = "schema", schemars(extend("const" = "changed")))]
    event: &'static str,
    generation: u64,
    causes: &'a [Cause],
    added: Vec<WinnerRow<'a>>,
    modified: Vec<ModifiedSkill<'a>>,
    removed: Vec<RemovedSkill<'a>>,
    /// The diagnostics that appeared.
    diagnostics: Vec<ReportedDiagnostic>,
    /// The diagnostics that disappeared.
    resolved: Vec<ReportedDiagnostic>,
}

/// A skill that changed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ModifiedSkill<'a> {
    /// The parts of the winner that changed; none if only its rights or its shadows changed.
    moved: ChangedParts,
    skill: WinnerRow<'a>,
}

/// A skill that was removed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RemovedSkill<'a> {
    id: &'a Id,
    source: &'a str,
    location: Option<&'a str>,
}

impl WatchCommand {
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
        let composition = SourceComposition::read(
            options,
            NamedFolders::Plain(&self.searched.folders),
            environment,
            &mut cache,
        )?;
        let registry = composition.start(environment).await?;
        let folders = composition.folders.clone();
        let mut reporter = Reporter {
            registry: registry.clone(),
            folders,
            model,
            format,
        };
        let ended = self
            .follow(&mut reporter, options, &mut cache, environment)
            .await;
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
                        let apply = async |composition: &SourceComposition, _: &Environment<'_>| {
                            composition.recompose(&reporter.registry).await?;
                            reporter.folders.clone_from(&composition.folders);
                            Ok(())
                        };
                        reload(options, &self.searched.folders, cache, environment, apply).await;
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
            let skills = view
                .entries()
                .iter()
                .map(|entry| WinnerRow::of(entry, &context))
                .collect();
            let event = WatchStarted {
                event: "started",
                generation: view.generation(),
                skills,
                diagnostics: context.diagnostics(),
            };
            return write_event("watch", &event, &mut environment.stdout);
        }
        let skills = counted(view.len(), "skill");
        // The layer of skills that are registered in code is not a source of the user.
        let sources = counted(view.layers().len() - 1, "source");
        environment.write_stderr(&format!("note: watching {skills} from {sources}\n"));
        Ok(())
    }

    fn changed(&self, update: &Update<Skill>, environment: &mut Environment<'_>) -> io::Result<()> {
        let (view, change) = (&update.snapshot, &update.change);
        let context = self.context(view, environment);
        let found = reported(&change.diagnostics.new);
        let resolved = reported(&change.diagnostics.gone);
        if self.format == Format::Json {
            let event = WatchChanged {
                event: "changed",
                generation: view.generation(),
                causes: &change.causes,
                added: change
                    .added
                    .iter()
                    .map(|entry| WinnerRow::of(entry, &context))
                    .collect(),
                modified: change
                    .modified
                    .iter()
                    .map(|id| ModifiedSkill {
                        moved: id.changed_parts(),
                        skill: WinnerRow::of(&id.new, &context),
                    })
                    .collect(),
                removed: change
                    .removed
                    .iter()
                    .map(|entry| RemovedSkill::of(entry))
                    .collect(),
                diagnostics: found,
                resolved,
            };
            return write_event("watch", &event, &mut environment.stdout);
        }
        let mut out = Output::new("watch", self.format, environment);
        let mut printer = context.printer(&out);
        change
            .summary()
            .lines()
            .iter()
            .for_each(|line| out.line(line.to_string()));
        found
            .iter()
            .for_each(|diagnostic| printer.write(diagnostic, &mut out));
        for ReportedDiagnostic { diagnostic, .. } in &resolved {
            let path = diagnostic
                .path
                .as_deref()
                .map(|path| format!(" in `{}`", context.relative_path(path)));
            out.line(format!(
                "resolved: {}[{}]{}",
                diagnostic.severity,
                diagnostic.code,
                path.unwrap_or_default()
            ));
        }
        out.print(environment).map(drop)
    }

    fn context(&self, view: &Snapshot<Skill>, environment: &Environment<'_>) -> CommandContext {
        CommandContext::new(
            self.registry.clone(),
            view.clone(),
            self.folders.clone(),
            self.model.clone(),
            environment,
        )
    }
}

fn reported(diagnostics: &[SourceDiagnostic]) -> Vec<ReportedDiagnostic> {
    diagnostics.iter().map(ReportedDiagnostic::of).collect()
}

impl<'a> RemovedSkill<'a> {
    fn of(entry: &'a Entry<Skill>) -> RemovedSkill<'a> {
        let (id, source) = (&entry.id, entry.origin().source.as_ref());
        RemovedSkill {
            id,
            source,
            location: entry.item().location.as_deref(),
        }
    }
}
