//! From what was typed to a registry.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use repertoire::{
    Authority, Builder, Client, ClientPlugin, ClientPluginsOptions, ComposeError, Discovery, FsLimits, FsOptions,
    FsSource, Id, Layout, Level, Model, Mount, Registry, Renderer, Rules, Scope, Skill, SkillRegistry, Trust, discover,
};
use tokio::runtime::Handle;

use crate::arguments::Places;
use crate::bodies::Bodies;
use crate::config::{Config, Declared, Home, Plugins, Preference};
use crate::failure::Failure;
use crate::page::Page;
use crate::pool::{Made, Pool};
use crate::replace::Spot;
use crate::session::{Session, Waiting};
use crate::{Environment, builtin};

/// How long reading may take before a person is told what is going on.
const PATIENCE: Duration = Duration::from_secs(1);

/// The folders that were named as arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Named<'a> {
    /// Searched as clients search.
    Alone(&'a [PathBuf]),
    /// Searched together with what clients and plugins keep below them, each as a source of its own.
    WithLayout(&'a [PathBuf]),
}

/// What was typed, read and ready to be composed.
pub(crate) struct Plan {
    builder: Builder<Skill>,
    config: Option<Config>,
    /// The sources that search folders, by name.
    pub(crate) folders: Vec<(String, Arc<FsSource>)>,
    bodies: Bodies,
    /// The standard folders that are not admitted.
    waiting: Vec<Waiting>,
}

/// Composes what was typed and lists it once.
pub(crate) async fn compose<'m>(
    places: &Places,
    named: Named<'_>,
    model: Model<'m>,
    mut pool: Pool,
    environment: &mut Environment<'_>,
) -> Result<Session<'m>, Failure> {
    let plan = Plan::read(places, named, environment, &mut pool)?;
    let Plan { builder, config, folders, bodies, waiting } = plan;
    let registry = patiently("reading skills", builder.load(), environment)
        .await
        .map_err(|error| blame(config.as_ref(), &error))?;
    Ok(Session::new(registry, folders, model, environment).with_bodies(bodies).with_waiting(waiting))
}

impl Plan {
    /// Reads what was typed, and the files that it names.
    ///
    /// Inside the user tier the order is: `--root`, `--source`, then the folders named as arguments or else the
    /// configuration file or else the standard folders. The built-in skills come with those.
    pub(crate) fn read(
        places: &Places,
        named: Named<'_>,
        environment: &Environment<'_>,
        pool: &mut Pool,
    ) -> Result<Plan, Failure> {
        let cwd = &environment.cwd;
        let home = Home {
            folder: environment.home.clone(),
            state: environment.own_state(),
            variables: environment.variables.as_slice().into(),
            keeper: environment.keeper().into(),
        };
        let config = places.config.as_ref().map(|path| configured(path, cwd, &home, pool)).transpose()?;
        let extra = places.sources.iter().map(|source| Declared::from_argument(source, cwd, &home, pool));
        let extra = extra.collect::<Result<Vec<_>, _>>()?;

        let declared = || extra.iter().chain(config.iter().flat_map(|config| &config.sources));
        let mut folders = Folders::new(declared().map(Declared::name), pool);
        let roots = folders.take(&places.roots, cwd)?;
        let named = match named {
            Named::Alone(named) => folders.take(named, cwd)?,
            Named::WithLayout(named) => folders.take_with_layout(named, cwd)?,
        };
        let standard = if named.is_empty() && config.is_none() && !places.no_defaults {
            folders.standard(places, environment)?
        } else {
            Vec::new()
        };
        let kept = config.iter().flat_map(|config| &config.sources);
        let [extra_mounts, kept_mounts] = [folders.mounted(extra.iter()), folders.mounted(kept)];
        let mounts = roots.into_iter().chain(extra_mounts).chain(named);
        let mounts = mounts.chain(kept_mounts).chain(standard);

        let typed = Level::new("command line", Authority::MayWiden);
        let typed = places.disabled.iter().cloned().fold(typed, Level::disable);
        let rules = config.iter().map(|config| config.rules.clone()).chain([typed]);
        let mut builder = mounts.fold(Registry::builder(), Builder::mount).rules(Rules::new(rules));
        if let Some(config) = &config {
            builder = builder.surface_rules(config.surface.rules.clone());
            if let Some(mode) = config.surface.default {
                builder = builder.surface_mode(mode);
            }
            if let Some(hint) = &config.surface.hint {
                builder = builder.provider_hint(hint);
            }
            let prefer = |builder: Builder<Skill>, row: &Preference| builder.prefer(row.id.clone(), &row.source);
            builder = config.preferences.iter().fold(builder, prefer);
        }
        let searching = declared().filter_map(Declared::folders);
        let bodies = Bodies { dialects: declared().filter_map(Declared::dialect).collect(), plugins: folders.plugins };
        let waiting = folders.waiting;
        let folders = folders.sources.into_iter().chain(searching).collect();
        Ok(Plan { builder, config, folders, bodies, waiting })
    }

    /// Composes it, and keeps up with changes in the runtime that this is called in.
    pub(crate) async fn start(&self, environment: &mut Environment<'_>) -> Result<SkillRegistry, Failure> {
        let runtime = Handle::current();
        let starting = self.builder.clone().start(&runtime);
        patiently("reading skills", starting, environment).await.map_err(|error| blame(self.config.as_ref(), &error))
    }

    /// What renders the bodies of `registry`, composed of this, for models.
    pub(crate) fn renderer(&self, registry: &SkillRegistry) -> Renderer {
        self.bodies.renderer(registry)
    }

    /// Composes it in place of what `registry` was composed of.
    pub(crate) async fn recompose(&self, registry: &SkillRegistry) -> Result<(), Failure> {
        let composed = registry.recompose(self.builder.clone()).await;
        composed.map(drop).map_err(|error| blame(self.config.as_ref(), &error))
    }
}

/// Reads the places to look again and has `take` go on with them; keeps the sources that stay, and everything if something is
/// wrong.
pub(crate) async fn reload(
    places: &Places,
    named: &[PathBuf],
    pool: &mut Pool,
    environment: &mut Environment<'_>,
    take: impl AsyncFnOnce(&Plan, &Environment<'_>) -> Result<(), Failure>,
) {
    pool.turn();
    let taken = match Plan::read(places, Named::Alone(named), environment, pool) {
        Ok(plan) => take(&plan, environment).await,
        Err(failure) => Err(failure),
    };
    match taken {
        Ok(()) => {
            pool.settle();
            environment.say("note: read the places to look again\n");
        }
        Err(failure) => {
            let text = failure.report().draw(environment.stderr.is_coloured());
            environment.say(&format!("{text}note: everything stays as it was\n"));
        }
    }
}

fn blame(config: Option<&Config>, error: &ComposeError) -> Failure {
    config.map_or_else(|| Failure::of(error), |config| config.failure(error))
}

/// Waits for `work`; at a terminal and after a while, says so on one line that is wiped in the end.
pub(crate) async fn patiently<F: Future>(what: &str, work: F, environment: &mut Environment<'_>) -> F::Output {
    let mut work = pin!(work);
    if !environment.stderr.is_terminal() {
        return work.await;
    }
    match tokio::time::timeout(PATIENCE, &mut work).await {
        Ok(done) => done,
        Err(_) => {
            environment.say(&format!("{what} ..."));
            let done = work.await;
            environment.say(&format!("\r{:1$}\r", "", what.len() + 4));
            done
        }
    }
}

fn configured(path: &Path, cwd: &Path, home: &Home, pool: &mut Pool) -> Result<Config, Failure> {
    let file = cwd.join(path);
    let name = path.display().to_string();
    let text = fs::read_to_string(&file).map_err(|error| Failure::io(format!("cannot read `{name}`"), &error))?;
    let base = file.parent().unwrap_or(cwd);
    let page = Page::new(name, text);
    let page = if Spot::below(base, &file).is_ok() { page } else { page.unquoted() };
    Config::read(page, base, home, pool)
}

/// Folders on their way to sources with names of their own; no real folder twice.
struct Folders<'p> {
    pool: &'p mut Pool,
    names: BTreeSet<String>,
    real: BTreeSet<PathBuf>,
    sources: Vec<(String, Arc<FsSource>)>,
    /// The sources of plugins, by name.
    plugins: BTreeMap<String, Arc<FsSource>>,
    waiting: Vec<Waiting>,
}

impl<'p> Folders<'p> {
    fn new<'n>(taken: impl Iterator<Item = &'n str>, pool: &'p mut Pool) -> Folders<'p> {
        let mut names: BTreeSet<_> = taken.map(str::to_owned).collect();
        names.extend([Registry::<Skill>::REGISTERED, builtin::NAME].map(str::to_owned));
        Folders {
            pool,
            names,
            real: BTreeSet::new(),
            sources: Vec::new(),
            plugins: BTreeMap::new(),
            waiting: Vec::new(),
        }
    }

    /// Folders that a person named: they must be there, and are trusted.
    fn take(&mut self, folders: &[PathBuf], cwd: &Path) -> Result<Vec<Mount<Skill>>, Failure> {
        let mut mounts = Vec::new();
        for folder in folders {
            let path = search_folder(folder, cwd);
            if let Err(error) = fs::read_dir(&path) {
                let failure = Failure::io(format!("cannot read the folder `{}`", folder.display()), &error);
                let is_file = path.is_file();
                return Err(if is_file { failure.help("name the folder that the file is in") } else { failure });
            }
            let name = source_name(&path);
            mounts.extend(self.add(&path, &name, |pool, name| pool.folder(name, &path)));
        }
        Ok(mounts)
    }

    /// As [`take`](Folders::take), with what clients and plugins keep below the folders.
    fn take_with_layout(&mut self, folders: &[PathBuf], cwd: &Path) -> Result<Vec<Mount<Skill>>, Failure> {
        let mut mounts = Vec::new();
        for folder in folders {
            let path = search_folder(folder, cwd);
            let layout = Layout::find(&path, &FsLimits::default());
            if layout.plugins.is_empty() {
                mounts.extend(self.take(std::slice::from_ref(folder), cwd)?);
            } else {
                let options = without_plugins(&path, &layout.plugins);
                mounts.extend(self.add(&path, &source_name(&path), |pool, name| pool.search(name, &path, options)));
            }
            for path in layout.client_folders {
                let name = source_name(path.parent().unwrap_or(&path));
                mounts.extend(self.add(&path, &name, |pool, name| pool.folder(name, &path)));
            }
            for plugin in layout.plugins {
                let name = self.free(&plugin.name);
                let made = self.pool.plugin(&name, &plugin, &ClientPluginsOptions::new(&plugin.folder));
                self.sources.extend(made.folders.map(|source| (name, source)));
                mounts.push(made.mount.namespaced());
            }
        }
        Ok(mounts)
    }

    /// The built-in skills, and the folders in which clients keep theirs. Those of a project wait for admission, and those
    /// about which another user decides are never admitted.
    fn standard(&mut self, places: &Places, environment: &Environment<'_>) -> Result<Vec<Mount<Skill>>, Failure> {
        let mut clients = Vec::new();
        for name in &places.clients {
            match Client::named(name) {
                Some(client) => clients.push(client),
                None if name == "all" => clients.extend(Client::ALL),
                None => {
                    let known: Vec<_> = Client::ALL.iter().map(|client| client.name).collect();
                    let failure = Failure::new(format!("unknown client `{name}`"));
                    return Err(failure.help(format!("known: {}, or `all`", known.join(", "))));
                }
            }
        }
        let roots =
            discover(&Discovery { cwd: &environment.cwd, home: environment.home.as_deref(), clients: &clients });
        let builtin = self.pool.builtin();
        let mounts = roots.into_iter().filter_map(|root| {
            let mount = self.add(&root.path, &root.name, |pool, name| pool.standard(name, &root))?;
            if root.stranger.is_none() && (root.scope == Scope::Home || places.trust_project) {
                return Some(mount);
            }
            let source = mount.origin().source.to_string();
            self.waiting.push(Waiting { source, path: root.path, stranger: root.stranger });
            Some(mount.trust(Trust::Pending))
        });
        Ok(std::iter::once(builtin).chain(mounts).collect())
    }

    /// Makes a source over `path`, unless another one is, under a name that no other has.
    fn add(&mut self, path: &Path, name: &str, make: impl FnOnce(&mut Pool, &str) -> Made) -> Option<Mount<Skill>> {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if !self.real.insert(real) {
            return None;
        }
        let name = self.free(name);
        let Made { mount, folders } = make(self.pool, &name);
        self.sources.extend(folders.map(|source| (name, source)));
        Some(mount)
    }

    /// The sources that were declared, those of plugins under names that no other has.
    fn mounted<'d>(&mut self, declared: impl Iterator<Item = &'d Declared>) -> Vec<Mount<Skill>> {
        declared.flat_map(|declared| declared.mounts(|name, plugins| self.plugins(name, plugins))).collect()
    }

    fn plugins(&mut self, name: &str, plugins: &Plugins) -> Vec<Made> {
        let mut made = Vec::new();
        for plugin in &plugins.found.plugins {
            let name = self.free(&plugin.name);
            let source = self.pool.plugin(&name, plugin, &plugins.options);
            self.plugins.extend(source.folders.clone().map(|folders| (name.clone(), folders)));
            self.sources.extend(source.folders.clone().map(|source| (name, source)));
            made.push(source);
        }
        made.push(self.pool.findings(name, plugins));
        made
    }

    /// `name`, or one like it that no other source has.
    fn free(&mut self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| self.names.insert(name.clone()));
        free.expect("numbers do not end")
    }
}

/// Returns the folder to search for what was typed. A `SKILL.md` stands for the folder that it makes a skill, so that hooks
/// can name what changed.
fn search_folder(folder: &Path, cwd: &Path) -> PathBuf {
    let mut path: PathBuf = cwd.join(folder).components().collect();
    if path.file_name().is_some_and(|name| name == "SKILL.md") && path.is_file() {
        path.pop();
    }
    path
}

/// Returns the options of a search of `folder` that leaves the skills of `plugins` out.
fn without_plugins(folder: &Path, plugins: &[ClientPlugin]) -> FsOptions {
    let mut options = FsOptions::default();
    options.roots = vec![folder.to_owned()];
    for skills in plugins.iter().flat_map(|plugin| &plugin.skills) {
        let Ok(below) = skills.strip_prefix(folder) else { continue };
        let steps = below.components().map(|step| escaped(&step.as_os_str().to_string_lossy()));
        options.patterns.push(format!("!{}/**/SKILL.md", steps.collect::<Vec<_>>().join("/")));
    }
    options
}

/// Returns a name as a pattern that matches it alone.
fn escaped(name: &str) -> String {
    let is_special = |c: char| matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | ',' | '!');
    name.chars().flat_map(|c| is_special(c).then_some('\\').into_iter().chain([c])).collect()
}

/// The name of a source that searches `folder`: the folder's own, if it can stand before the colon of a full name.
fn source_name(folder: &Path) -> String {
    // `..` is called otherwise.
    let real = if folder.file_name().is_some() { None } else { folder.canonicalize().ok() };
    let name = real.as_deref().unwrap_or(folder).file_name().unwrap_or_default().to_string_lossy();
    Id::new(&name.replace(':', "-")).map_or_else(|_| "root".to_owned(), |id| id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    /// What is said while `work` goes on.
    async fn said(stderr: fn(Stream<'_>) -> Stream<'_>, work: Duration) -> String {
        let mut said = Vec::new();
        let stderr = stderr(Stream::new(&mut said));
        let mut environment = Environment { stderr, ..Environment::quiet("/") };
        patiently("reading skills", tokio::time::sleep(work), &mut environment).await;
        drop(environment);
        String::from_utf8(said).expect("talk is text")
    }

    #[tokio::test(start_paused = true)]
    async fn a_terminal_is_told_of_long_work_and_left_clean() {
        let line = said(|terminal| terminal.at_terminal(), PATIENCE * 2).await;
        assert_eq!(line, "reading skills ...\r                  \r");
        assert_eq!(said(|terminal| terminal.at_terminal(), PATIENCE / 2).await, "");
        assert_eq!(said(|pipe| pipe, PATIENCE * 2).await, "");
    }
}
