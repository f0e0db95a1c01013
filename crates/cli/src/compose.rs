//! Composes a registry from the options of the command line.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use repertoire::config::{Configuration, ConfiguredSource};
use repertoire::registry::{Authority, Builder, Registry, RegistryError, RuleSet, RuleStack};
use repertoire::search::IndexSettings;
use repertoire::skill::text::terminal_line;
use repertoire::{FsSource, Model, Renderer, Skill, SkillRegistry};
use tokio::runtime::Handle;

use crate::agents::Agents;
use crate::configuration_file::host_settings;
use crate::context::{CommandContext, SourceRendering, UntrustedFolder};
use crate::denied_content::DeniedContent;
use crate::diagnostics::counted;
use crate::environment::Verbosity;
use crate::failure::Failure;
use crate::folder_sources::FolderSources;
#[cfg(feature = "install")]
use crate::new_content::NewContent;
use crate::options::SourceOptions;
#[cfg(not(feature = "gateway"))]
use crate::source_cache::CachedSource;
use crate::source_cache::SourceCache;
use crate::{Environment, prompt_files};

/// The time after which a progress line appears.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);

/// The folders given as arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NamedFolders<'a> {
    /// Each folder is one source of all skills below it.
    Plain(&'a [PathBuf]),
    /// Each folder is a source, and so is each skill folder of an agent and each plugin below it.
    WithLayout(&'a [PathBuf]),
}

/// The sources and settings of a registry, read from the options of the command line.
pub(crate) struct SourceComposition {
    builder: Builder<Skill>,
    /// The levels of the rules, the first above all others.
    pub(crate) rules: Vec<RuleSet>,
    config: Option<Configuration>,
    /// The sources that search folders, by name.
    pub(crate) folders: Vec<(String, Arc<FsSource>)>,
    rendering: SourceRendering,
    untrusted: Vec<UntrustedFolder>,
}

pub(crate) async fn compose(
    options: &SourceOptions,
    named: NamedFolders<'_>,
    model: Model,
    mut cache: SourceCache,
    environment: &mut Environment<'_>,
) -> Result<CommandContext, Failure> {
    let composition = SourceComposition::read(options, named, environment, &mut cache)?;
    let SourceComposition {
        builder,
        config,
        folders,
        rendering,
        untrusted,
        rules,
    } = composition;
    let search = config.as_ref().map(Configuration::search).cloned();
    let registry = with_progress("reading skills", builder.load(), environment)
        .await
        .map_err(|error| locate_error(config.as_ref(), &error))?;
    #[cfg(feature = "install")]
    if let Some(new) = NewContent::of(&registry.snapshot(), environment).level() {
        registry.set_rules(&RuleStack::new(std::iter::once(new).chain(rules)));
    }
    let snapshot = registry.snapshot();
    if environment.verbosity == Verbosity::Verbose {
        for layer in snapshot.layers() {
            let count = counted(layer.listing.len(), "skill");
            let source = terminal_line(&layer.origin.source);
            environment.write_stderr(&format!("note: the source `{source}` lists {count}\n"));
        }
        let faults = folders
            .iter()
            .filter_map(|(_, source)| source.saved_scan_fault());
        for fault in faults {
            environment.write_stderr(&format!("note: the cache {fault}\n"));
        }
    }
    let context = CommandContext::new(registry, snapshot, folders, model, environment);
    let context = context.with_search(search.unwrap_or_default());
    #[cfg(feature = "gateway")]
    let context = match &config {
        Some(config) => context.with_servers(&config.registries().mcp_servers),
        None => context,
    };
    Ok(context.with_rendering(rendering).with_untrusted(untrusted))
}

impl SourceComposition {
    /// Reads the options and the files that they name.
    ///
    /// The order in the user tier is:
    ///
    /// 1. the folders of `--root`,
    /// 2. the sources of `--source`,
    /// 3. the folders given as arguments,
    /// 4. the sources of the configuration file, then the skills of its project if it defines a gateway,
    /// 5. the standard folders and the built-in skills, if 3 is empty and there is no such file.
    ///
    /// `--no-defaults` leaves out 5.
    pub(crate) fn read(
        options: &SourceOptions,
        named: NamedFolders<'_>,
        environment: &Environment<'_>,
        cache: &mut SourceCache,
    ) -> Result<SourceComposition, Failure> {
        if !options.no_cache {
            cache.save_scans(environment);
        }
        let cwd = &environment.cwd;
        let settings = host_settings(environment);
        let config = options
            .config
            .as_ref()
            .map(|path| Configuration::read(path, &settings))
            .transpose();
        let config = config.map_err(|error| Failure::of_configuration(&error))?;
        let extra = options
            .sources
            .iter()
            .map(|source| ConfiguredSource::from_argument(source, &settings));
        let extra = extra
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| Failure::of_configuration(&error))?;
        let configured = config.as_ref().map_or(&[][..], Configuration::sources);
        let all = || extra.iter().chain(configured);

        let agents = Agents::of(environment);
        #[cfg(feature = "gateway")]
        let project = match &config {
            Some(config) => cache.project(config),
            None => Ok(None),
        };
        #[cfg(feature = "gateway")]
        let project = project.map_err(|error| Failure::of_configuration(&error))?;
        #[cfg(not(feature = "gateway"))]
        let project: Option<CachedSource> = None;
        let names = project
            .iter()
            .map(|project| &*project.mount.origin().source);
        let names = all().map(ConfiguredSource::name).chain(names);
        let mut folders = FolderSources::new(names, cache);
        let roots = folders.named(&options.roots, cwd)?;
        let named = match named {
            NamedFolders::Plain(named) => folders.named(named, cwd)?,
            NamedFolders::WithLayout([]) => Vec::new(),
            NamedFolders::WithLayout(named) => {
                folders.named_with_layout(named, cwd, &agents.all_folders())?
            }
        };
        let standard = if named.is_empty() && config.is_none() && !options.no_defaults {
            folders.standard(options, &agents.folders(&options.agents)?, environment)
        } else {
            Vec::new()
        };
        let extra_mounts = folders.configured(&extra)?;
        let configured_mounts = folders.configured(configured)?;
        let project = project.map(|project| folders.built(project));
        let mounts = [
            roots,
            extra_mounts,
            named,
            configured_mounts,
            project.into_iter().collect(),
            standard,
        ];
        let mounts = mounts.into_iter().flatten();

        let mut builder = mounts.fold(Registry::builder(), Builder::mount);
        if let Some(config) = &config {
            builder = config.configure(builder);
        }
        let of_user = DeniedContent::of_user(environment)?;
        let of_user = of_user.as_ref().map(DeniedContent::level);
        let rules = rules(options, config.as_ref(), of_user);
        let builder = builder.rules(RuleStack::new(rules.iter().cloned()));
        let dialects = all()
            .filter_map(|source| Some((source.name().to_owned(), source.dialect()?)))
            .collect();
        Ok(SourceComposition {
            builder,
            rules,
            config,
            folders: folders.sources,
            rendering: SourceRendering {
                dialects,
                plugins: folders.plugins,
            },
            untrusted: folders.untrusted,
        })
    }

    /// Composes a registry that follows changes of its sources with tasks of the current runtime.
    pub(crate) async fn start(
        &self,
        environment: &mut Environment<'_>,
    ) -> Result<SkillRegistry, Failure> {
        let runtime = Handle::current();
        let starting = self.builder.clone().start(&runtime);
        let started = with_progress("reading skills", starting, environment).await;
        started.map_err(|error| locate_error(self.config.as_ref(), &error))
    }

    /// Reads the example prompts and synonyms that the configuration adds to the search index.
    pub(crate) fn index_settings(&self, cwd: &Path) -> Result<IndexSettings, Failure> {
        let files = self.config.as_ref().map(Configuration::search);
        let (_, settings) = prompt_files::read_settings(&files.cloned().unwrap_or_default(), cwd)?;
        Ok(settings)
    }

    pub(crate) fn renderer(&self, registry: &SkillRegistry) -> Renderer {
        self.rendering.renderer(registry)
    }

    /// Replaces the composition of `registry`.
    pub(crate) async fn recompose(&self, registry: &SkillRegistry) -> Result<(), Failure> {
        let composed = registry.recompose(self.builder.clone()).await;
        composed
            .map(drop)
            .map_err(|error| locate_error(self.config.as_ref(), &error))
    }
}

/// Reads the options again and passes the composition to `apply`.
///
/// Sources that did not change are reused. A failure is reported, and the registry is not changed.
pub(crate) async fn reload(
    options: &SourceOptions,
    named: &[PathBuf],
    cache: &mut SourceCache,
    environment: &mut Environment<'_>,
    apply: impl AsyncFnOnce(&SourceComposition, &Environment<'_>) -> Result<(), Failure>,
) {
    cache.begin_reload();
    let applied =
        match SourceComposition::read(options, NamedFolders::Plain(named), environment, cache) {
            Ok(composition) => apply(&composition, environment).await,
            Err(failure) => Err(failure),
        };
    match applied {
        Ok(()) => {
            cache.finish_reload();
            environment.write_stderr("note: sources reloaded\n");
        }
        Err(failure) => {
            let text = failure.report().draw(environment.stderr.is_coloured());
            environment.write_stderr(&format!(
                "{text}note: reload failed; keeping the current sources\n"
            ));
        }
    }
}

fn rules(
    options: &SourceOptions,
    config: Option<&Configuration>,
    user: Option<RuleSet>,
) -> Vec<RuleSet> {
    let typed = RuleSet::new("command line", Authority::Full);
    let typed = options
        .disabled
        .iter()
        .cloned()
        .fold(typed, RuleSet::disable);
    let configured = config.map(|config| config.rules().clone());
    user.into_iter().chain(configured).chain([typed]).collect()
}

fn locate_error(config: Option<&Configuration>, error: &RegistryError) -> Failure {
    config.map_or_else(
        || Failure::of(error),
        |config| Failure::of_configuration(&config.locate(error)),
    )
}

/// Awaits `work`, and shows a progress line while it runs.
///
/// The line appears on a terminal only, after [`PROGRESS_DELAY`].
pub(crate) async fn with_progress<F: Future>(
    what: &str,
    work: F,
    environment: &mut Environment<'_>,
) -> F::Output {
    let mut work = pin!(work);
    if !environment.stderr.is_terminal() {
        return work.await;
    }
    match tokio::time::timeout(PROGRESS_DELAY, &mut work).await {
        Ok(done) => done,
        Err(_) => {
            environment.write_stderr(&format!("{what} ..."));
            let done = work.await;
            environment.write_stderr(&format!("\r{:1$}\r", "", what.len() + 4));
            done
        }
    }
}

#[cfg(test)]
mod tests;
