//! The sources over the folders that the command line and the configuration name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire::config::ConfiguredSource;
use repertoire::registry::{ConfigError, Registry};
use repertoire::source::fs::{
    AgentFolders, FsOptions, InstalledPlugin, InstalledPluginOptions, InstalledPlugins, discover,
    is_text_link,
};
use repertoire::{FsSource, Id, Mount, Skill, Trust};

use crate::context::UntrustedFolder;
use crate::failure::Failure;
use crate::options::SourceOptions;
use crate::source_cache::{CachedSource, SourceCache};
use crate::{Environment, builtin};

/// The sources over folders: each with a unique name, and no real folder twice.
pub(crate) struct FolderSources<'c> {
    cache: &'c mut SourceCache,
    names: BTreeSet<String>,
    real: BTreeSet<PathBuf>,
    pub(crate) sources: Vec<(String, Arc<FsSource>)>,
    /// The sources of plugins, by name.
    pub(crate) plugins: BTreeMap<String, Arc<FsSource>>,
    pub(crate) untrusted: Vec<UntrustedFolder>,
}

impl<'c> FolderSources<'c> {
    pub(crate) fn new<'n>(
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
    pub(crate) fn named(
        &mut self,
        folders: &[PathBuf],
        cwd: &Path,
    ) -> Result<Vec<Mount<Skill>>, Failure> {
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
    pub(crate) fn named_with_layout(
        &mut self,
        folders: &[PathBuf],
        cwd: &Path,
        agents: &AgentFolders,
    ) -> Result<Vec<Mount<Skill>>, Failure> {
        let mut mounts = Vec::new();
        for folder in folders {
            let path = search_folder(folder, cwd);
            let layout = InstalledPlugins::find_below(&path, agents);
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

    /// Adds the built-in skills, the folders that agents share, and those of `agents`.
    ///
    /// Folders of a project are untrusted without `--trust-project`; folders that another user can write to always are.
    pub(crate) fn standard(
        &mut self,
        options: &SourceOptions,
        agents: &AgentFolders,
        environment: &Environment<'_>,
    ) -> Vec<Mount<Skill>> {
        let mut mounts = vec![self.cache.builtin()];
        let projects = std::iter::once(&environment.cwd).chain(&options.client_roots);
        let found = projects.flat_map(|cwd| discover(cwd, environment.home.as_deref(), agents));
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
        mounts
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

    pub(crate) fn configured(
        &mut self,
        sources: &[ConfiguredSource],
    ) -> Result<Vec<Mount<Skill>>, Failure> {
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
            mounts.extend(made.into_iter().map(|made| source.place(self.built(made))));
        }
        Ok(mounts)
    }

    /// Adds a source with the name of a configuration.
    pub(crate) fn built(&mut self, CachedSource { mount, folders }: CachedSource) -> Mount<Skill> {
        let name = || mount.origin().source.to_string();
        self.sources
            .extend(folders.map(|folders| (name(), folders)));
        mount
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

/// Returns the pattern that matches this name alone.
pub(crate) fn escape_pattern(name: &str) -> String {
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
