//! Composes a registry from the options of the command line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use repertoire::config::{Configuration, ConfiguredSource, HostSettings};
use repertoire::registry::{
    Authority, Builder, ConfigError, Registry, RegistryError, RuleSet, RuleStack,
};
use repertoire::search::IndexSettings;
use repertoire::source::fs::{
    Client, FsOptions, InstalledPlugin, InstalledPluginOptions, InstalledPlugins, discover,
    is_text_link,
};
use repertoire::{FsSource, Id, Model, Mount, Renderer, Skill, SkillRegistry, Trust};
use tokio::runtime::Handle;

use crate::arguments::SourceOptions;
use crate::context::{CommandContext, SourceRendering, UntrustedFolder};
use crate::diagnostics::joined;
use crate::failure::Failure;
use crate::source_cache::{CachedSource, SourceCache};
use crate::{Environment, builtin, prompt_files};

/// The time after which a progress line appears.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);

/// The folders given as arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NamedFolders<'a> {
    /// Searched as agents search a folder.
    Plain(&'a [PathBuf]),
    /// Searched together with the skill folders of agents and the plugins below them, each as its own source.
    WithLayout(&'a [PathBuf]),
}

/// The parsed options, ready to compose.
pub(crate) struct SourceComposition {
    builder: Builder<Skill>,
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
    } = composition;
    let search = config.as_ref().map(Configuration::search).cloned();
    let registry = with_progress("reading skills", builder.load(), environment)
        .await
        .map_err(|error| locate_error(config.as_ref(), &error))?;
    let snapshot = registry.snapshot();
    let context = CommandContext::new(registry, snapshot, folders, model, environment);
    let context = context.with_search(search.unwrap_or_default());
    Ok(context.with_rendering(rendering).with_untrusted(untrusted))
}

impl SourceComposition {
    /// Reads the options and the files that they name.
    ///
    /// The order in the user tier is: `--root`, `--source`, then the folders given as arguments, else the configuration file,
    /// else the standard folders and the built-in skills.
    pub(crate) fn read(
        options: &SourceOptions,
        named: NamedFolders<'_>,
        environment: &Environment<'_>,
        cache: &mut SourceCache,
    ) -> Result<SourceComposition, Failure> {
        let cwd = &environment.cwd;
        let mut settings = HostSettings::new(cwd);
        settings.home = environment.home.clone();
        settings.state = environment.own_state();
        settings.variables = environment.variables.as_slice().into();
        settings.supervisor = environment.supervisor().into();
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

        let mut folders = FolderSources::new(all().map(ConfiguredSource::name), cache);
        let roots = folders.named(&options.roots, cwd)?;
        let named = match named {
            NamedFolders::Plain(named) => folders.named(named, cwd)?,
            NamedFolders::WithLayout(named) => folders.named_with_layout(named, cwd)?,
        };
        let standard = if named.is_empty() && config.is_none() && !options.no_defaults {
            folders.standard(options, environment)?
        } else {
            Vec::new()
        };
        let extra_mounts = folders.configured(&extra)?;
        let configured_mounts = folders.configured(configured)?;
        let mounts = [roots, extra_mounts, named, configured_mounts, standard]
            .into_iter()
            .flatten();

        let mut builder = mounts.fold(Registry::builder(), Builder::mount);
        if let Some(config) = &config {
            builder = config.configure(builder);
        }
        let typed = RuleSet::new("command line", Authority::Full);
        let typed = options
            .disabled
            .iter()
            .cloned()
            .fold(typed, RuleSet::disable);
        let rules = config
            .iter()
            .map(|config| config.rules().clone())
            .chain([typed]);
        let builder = builder.rules(RuleStack::new(rules));
        let dialects = all()
            .filter_map(|source| Some((source.name().to_owned(), source.dialect()?)))
            .collect();
        let rendering = SourceRendering {
            dialects,
            plugins: folders.plugins,
        };
        let untrusted = folders.untrusted;
        Ok(SourceComposition {
            builder,
            config,
            folders: folders.sources,
            rendering,
            untrusted,
        })
    }

    /// Composes the registry, which then follows changes in the current runtime.
    pub(crate) async fn start(
        &self,
        environment: &mut Environment<'_>,
    ) -> Result<SkillRegistry, Failure> {
        let runtime = Handle::current();
        let starting = self.builder.clone().start(&runtime);
        let started = with_progress("reading skills", starting, environment).await;
        started.map_err(|error| locate_error(self.config.as_ref(), &error))
    }

    /// Reads what the configuration adds to the search.
    pub(crate) fn index_settings(&self, cwd: &Path) -> Result<IndexSettings, Failure> {
        let files = self.config.as_ref().map(Configuration::search);
        let (_, settings) = prompt_files::read_settings(&files.cloned().unwrap_or_default(), cwd)?;
        Ok(settings)
    }

    pub(crate) fn renderer(&self, registry: &SkillRegistry) -> Renderer {
        self.rendering.renderer(registry)
    }

    pub(crate) async fn recompose(&self, registry: &SkillRegistry) -> Result<(), Failure> {
        let composed = registry.recompose(self.builder.clone()).await;
        composed
            .map(drop)
            .map_err(|error| locate_error(self.config.as_ref(), &error))
    }
}

/// Reads the options again and passes the composition to `apply`.
///
/// Sources that did not change are reused. On a failure the registry stays as it was.
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
            environment.say("note: sources reloaded\n");
        }
        Err(failure) => {
            let text = failure.report().draw(environment.stderr.is_coloured());
            environment.say(&format!(
                "{text}note: reload failed; keeping the current sources\n"
            ));
        }
    }
}

fn locate_error(config: Option<&Configuration>, error: &RegistryError) -> Failure {
    config.map_or_else(
        || Failure::of(error),
        |config| Failure::of_configuration(&config.locate(error)),
    )
}

/// Awaits `work` and, on a terminal and after a delay, shows a progress line that is erased at the end.
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
            environment.say(&format!("{what} ..."));
            let done = work.await;
            environment.say(&format!("\r{:1$}\r", "", what.len() + 4));
            done
        }
    }
}

/// The sources over folders: each with a unique name, and no real folder twice.
struct FolderSources<'c> {
    cache: &'c mut SourceCache,
    names: BTreeSet<String>,
    real: BTreeSet<PathBuf>,
    sources: Vec<(String, Arc<FsSource>)>,
    /// The sources of plugins, by name.
    plugins: BTreeMap<String, Arc<FsSource>>,
    untrusted: Vec<UntrustedFolder>,
}

impl<'c> FolderSources<'c> {
    fn new<'n>(
        used: impl Iterator<Item = &'n str>,
        cache: &'c mut SourceCache,
    ) -> FolderSources<'c> {
        let mut names: BTreeSet<_> = used.map(str::to_owned).collect();
        names.extend([Registry::<Skill>::REGISTERED, builtin::NAME].map(str::to_owned));
        FolderSources {
            cache,
            names,
            real: BTreeSet::new(),
            sources: Vec::new(),
            plugins: BTreeMap::new(),
            untrusted: Vec::new(),
        }
    }

    /// Adds folders that the user named: they must exist, and are trusted.
    fn named(&mut self, folders: &[PathBuf], cwd: &Path) -> Result<Vec<Mount<Skill>>, Failure> {
        let mut mounts = Vec::new();
        for folder in folders {
            let path = search_folder(folder, cwd);
            if let Err(error) = fs::read_dir(&path)
                && !is_text_link(&path)
            {
                return Err(if path.is_file() {
                    Failure::new(format!("`{}` is not a SKILL.md", folder.display()))
                        .help("pass a SKILL.md or a folder of skills")
                } else {
                    Failure::io(
                        format!("cannot read the folder `{}`", folder.display()),
                        &error,
                    )
                });
            }
            let name = source_name(&path);
            mounts.extend(self.add(&path, &name, |cache, name| cache.folder(name, &path)));
        }
        Ok(mounts)
    }

    /// Adds folders that the user named, with the skill folders of agents and the plugins below them.
    fn named_with_layout(
        &mut self,
        folders: &[PathBuf],
        cwd: &Path,
    ) -> Result<Vec<Mount<Skill>>, Failure> {
        let mut mounts = Vec::new();
        for folder in folders {
            let path = search_folder(folder, cwd);
            let layout = InstalledPlugins::find_below(&path);
            let reported = layout.diagnostics_source(&self.unique("layout"));
            mounts.extend(reported.map(Mount::plugin));
            if layout.plugins.is_empty() {
                mounts.extend(self.named(std::slice::from_ref(folder), cwd)?);
            } else {
                let options = without_plugins(&path, &layout.plugins);
                mounts.extend(self.add(&path, &source_name(&path), |cache, name| {
                    cache.search(name, &path, options)
                }));
            }
            for path in layout.client_folders {
                let name = source_name(path.parent().unwrap_or(&path));
                mounts.extend(self.add(&path, &name, |cache, name| cache.folder(name, &path)));
            }
            for plugin in layout.plugins {
                let name = self.unique(&plugin.name);
                let cached =
                    self.cache
                        .plugin(&name, &plugin, &InstalledPluginOptions::new(&plugin.folder));
                self.sources
                    .extend(cached.folders.map(|source| (name, source)));
                mounts.push(cached.mount.namespaced());
            }
        }
        Ok(mounts)
    }

    /// Adds the built-in skills and the standard folders of agents.
    ///
    /// Folders of a project are untrusted without `--trust-project`; folders that another user can write to always are.
    fn standard(
        &mut self,
        options: &SourceOptions,
        environment: &Environment<'_>,
    ) -> Result<Vec<Mount<Skill>>, Failure> {
        let mut clients = Vec::new();
        for name in &options.clients {
            match Client::ALL.iter().find(|client| client.name == name) {
                Some(client) => clients.push(*client),
                None if name == "all" => clients.extend(Client::ALL),
                None => {
                    let failure = Failure::new(format!("unknown client `{name}`"));
                    let known = joined(Client::ALL.iter().map(|client| client.name));
                    return Err(failure.help(format!("choose {known}, or `all`")));
                }
            }
        }
        let mut mounts = vec![self.cache.builtin()];
        let projects = std::iter::once(&environment.cwd).chain(&options.client_roots);
        let found = projects.flat_map(|cwd| discover(cwd, environment.home.as_deref(), &clients));
        let mut found: Vec<_> = found.collect();
        // Stable: the folders of all projects come before those of the user.
        found.sort_by_key(|root| root.project.is_none());
        for root in found {
            let added = self.add(&root.path, &root.name, |cache, name| {
                cache.standard(name, &root)
            });
            let Some(mount) = added else { continue };
            if root.distrust.is_none() && (root.project.is_none() || options.trust_project) {
                mounts.push(mount);
                continue;
            }
            let source = mount.origin().source.to_string();
            self.untrusted.push(UntrustedFolder {
                source,
                path: root.path,
                stranger: root.distrust,
            });
            mounts.push(mount.trust(Trust::Pending));
        }
        Ok(mounts)
    }

    /// Adds a source over `path` under a unique name, unless an earlier source has the same real folder.
    fn add(
        &mut self,
        path: &Path,
        name: &str,
        make: impl FnOnce(&mut SourceCache, &str) -> CachedSource,
    ) -> Option<Mount<Skill>> {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if !self.real.insert(real) {
            return None;
        }
        let name = self.unique(name);
        let CachedSource { mount, folders } = make(self.cache, &name);
        self.sources.extend(folders.map(|source| (name, source)));
        Some(mount)
    }

    fn configured(&mut self, sources: &[ConfiguredSource]) -> Result<Vec<Mount<Skill>>, Failure> {
        let mut mounts = Vec::new();
        for source in sources {
            if source.kind().is_connecting() && self.cache.is_read_only() {
                return Err(connection_refused(source));
            }
            let made = match source.kind().name() {
                "client-plugins" => self
                    .installed_plugins(source)
                    .map_err(|error| source.locate(&error)),
                _ => self.cache.configured(source),
            };
            let made = made.map_err(|error| Failure::of_configuration(&error))?;
            for CachedSource { mount, folders } in made {
                self.sources
                    .extend(folders.map(|folders| (mount.origin().source.to_string(), folders)));
                mounts.push(source.place(mount));
            }
        }
        Ok(mounts)
    }

    fn installed_plugins(
        &mut self,
        source: &ConfiguredSource,
    ) -> Result<Vec<CachedSource>, ConfigError> {
        let options: InstalledPluginOptions = source.config().options()?;
        let base = &source.config().base;
        let found = options.find(base);
        let mut all = Vec::new();
        for plugin in &found.plugins {
            let name = self.unique(&plugin.name);
            let cached = self.cache.plugin(&name, plugin, &options);
            self.plugins
                .extend(cached.folders.clone().map(|source| (name, source)));
            all.push(cached);
        }
        all.push(
            self.cache
                .plugin_diagnostics(source.name(), base, &options, &found),
        );
        Ok(all)
    }

    /// Returns `name`, with a number if an earlier source has it.
    fn unique(&mut self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let unique = std::iter::once(name.to_owned())
            .chain(numbered)
            .find(|name| self.names.insert(name.clone()));
        unique.expect("numbers do not end")
    }
}

fn connection_refused(source: &ConfiguredSource) -> Failure {
    let (kind, name) = (source.kind().name(), source.name());
    let message = format!(
        "the source `{name}` of the kind `{kind}` starts a program, loads a library or opens a connection; this command \
         only reads"
    );
    let error = source.locate(&ConfigError::in_option("kind", message));
    Failure::of_configuration(&error).help("pass --connect if you trust the configuration")
}

/// Returns the folder to search for a path as typed. A `SKILL.md` stands for its folder, so that hooks can name changed files.
fn search_folder(folder: &Path, cwd: &Path) -> PathBuf {
    let mut path: PathBuf = cwd.join(folder).components().collect();
    if path.file_name().is_some_and(|name| name == "SKILL.md") && path.is_file() {
        path.pop();
    }
    path
}

fn without_plugins(folder: &Path, plugins: &[InstalledPlugin]) -> FsOptions {
    let mut options = FsOptions::default();
    options.roots = vec![folder.to_owned()];
    for skills in plugins.iter().flat_map(|plugin| &plugin.skills) {
        let Ok(below) = skills.strip_prefix(folder) else {
            continue;
        };
        let steps = below
            .components()
            .map(|step| escape_pattern(&step.as_os_str().to_string_lossy()));
        let below = steps.collect::<Vec<_>>().join("/");
        options.patterns.push(format!("!{below}/**/SKILL.md"));
    }
    options
}

fn escape_pattern(name: &str) -> String {
    let is_special = |c: char| matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | ',' | '!');
    name.chars()
        .flat_map(|c| is_special(c).then_some('\\').into_iter().chain([c]))
        .collect()
}

/// Returns the name of a source that searches `folder`: the folder's name if it can be part of a full name.
fn source_name(folder: &Path) -> String {
    // A path that ends in `..` has no name.
    let real = if folder.file_name().is_some() {
        None
    } else {
        folder.canonicalize().ok()
    };
    let folder = real.as_deref().unwrap_or(folder);
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    Id::new(&name.replace(':', "-")).map_or_else(|_| "root".to_owned(), |id| id.to_string())
}

#[cfg(test)]
mod tests;
