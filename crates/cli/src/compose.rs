//! From what was typed to a registry.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use repertoire::{
    Authority, Builder, Client, ComposeError, Discovery, FsSource, Id, Level, Model, Mount, Registry, Renderer, Rules,
    Scope, Skill, SkillRegistry, Trust, discover,
};
use tokio::runtime::Handle;

use crate::arguments::Places;
use crate::bodies::Bodies;
use crate::config::{Config, Declared, Home, Plugins, Preference};
use crate::failure::Failure;
use crate::page::Page;
use crate::pool::{Made, Pool};
use crate::replace::Spot;
use crate::session::Session;
use crate::{Environment, builtin};

/// How long reading may take before a person is told what is going on.
const PATIENCE: Duration = Duration::from_secs(1);

/// What was typed, read and ready to be composed.
pub(crate) struct Plan {
    builder: Builder<Skill>,
    config: Option<Config>,
    /// The sources that search folders, by name.
    pub(crate) folders: Vec<(String, Arc<FsSource>)>,
    bodies: Bodies,
}

/// Composes what was typed and lists it once.
pub(crate) async fn compose<'m>(
    places: &Places,
    named: &[PathBuf],
    model: Model<'m>,
    mut pool: Pool,
    environment: &mut Environment<'_>,
) -> Result<Session<'m>, Failure> {
    let plan = Plan::read(places, named, environment, &mut pool)?;
    let Plan { builder, config, folders, bodies } = plan;
    let registry = patiently("reading skills", builder.load(), environment)
        .await
        .map_err(|error| blame(config.as_ref(), &error))?;
    Ok(Session::new(registry, folders, model, environment).with_bodies(bodies))
}

impl Plan {
    /// Reads what was typed, and the files that it names.
    ///
    /// Inside the user tier the order is: `--root`, `--source`, then the folders named as arguments or else the
    /// configuration file or else the standard folders. The built-in skills come with those.
    pub(crate) fn read(
        places: &Places,
        named: &[PathBuf],
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
        let named = folders.take(named, cwd)?;
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
        let folders = folders.sources.into_iter().chain(searching).collect();
        Ok(Plan { builder, config, folders, bodies })
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
    let taken = match Plan::read(places, named, environment, pool) {
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
    /// The folders of plugins, by the name of their source.
    plugins: BTreeMap<String, PathBuf>,
}

impl<'p> Folders<'p> {
    fn new<'n>(taken: impl Iterator<Item = &'n str>, pool: &'p mut Pool) -> Folders<'p> {
        let mut names: BTreeSet<_> = taken.map(str::to_owned).collect();
        names.extend([Registry::<Skill>::REGISTERED, builtin::NAME].map(str::to_owned));
        Folders { pool, names, real: BTreeSet::new(), sources: Vec::new(), plugins: BTreeMap::new() }
    }

    /// Folders that a person named: they must be there, and are trusted.
    fn take(&mut self, folders: &[PathBuf], cwd: &Path) -> Result<Vec<Mount<Skill>>, Failure> {
        let mut mounts = Vec::new();
        for folder in folders {
            let mut path: PathBuf = cwd.join(folder).components().collect();
            // A `SKILL.md` stands for the folder that it makes a skill, so that hooks can name what changed.
            if path.file_name().is_some_and(|name| name == "SKILL.md") && path.is_file() {
                path.pop();
            }
            if let Err(error) = fs::read_dir(&path) {
                let failure = Failure::io(format!("cannot read the folder `{}`", folder.display()), &error);
                let is_file = path.is_file();
                return Err(if is_file { failure.help("name the folder that the file is in") } else { failure });
            }
            let name = source_name(&path);
            mounts.extend(self.add(path, &name));
        }
        Ok(mounts)
    }

    /// The built-in skills, and the folders in which clients keep theirs. Those of a project wait for admission.
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
            let mount = self.add(root.path, &root.name)?;
            let pending = root.scope == Scope::Project && !places.trust_project;
            Some(if pending { mount.trust(Trust::Pending) } else { mount })
        });
        Ok(std::iter::once(builtin).chain(mounts).collect())
    }

    /// A source over `path`, unless another one is, under a name that no other has.
    fn add(&mut self, path: PathBuf, name: &str) -> Option<Mount<Skill>> {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if !self.real.insert(real) {
            return None;
        }
        let name = self.free(name);
        let Made { mount, folders } = self.pool.folder(&name, path);
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
            self.plugins.insert(name.clone(), plugin.folder.clone());
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
