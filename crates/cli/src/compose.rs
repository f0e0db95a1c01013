//! From what was typed to a registry.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use repertoire::{Builder, Client, Discovery, FsSource, Id, Model, Mount, Registry, Scope, Skill, Trust, discover};

use crate::arguments::Places;
use crate::config::{Config, Declared, Home};
use crate::failure::Failure;
use crate::page::Page;
use crate::session::Session;
use crate::{Environment, builtin};

/// How long reading may take before a person is told what is going on.
const PATIENCE: Duration = Duration::from_secs(1);

/// Composes what was typed and lists it once.
///
/// Inside the user tier the order is: `--root`, `--source`, then the folders named as arguments or else the configuration
/// file or else the standard folders. The built-in skills come with those.
pub(crate) async fn compose<'m>(
    places: &Places,
    named: &[PathBuf],
    model: Model<'m>,
    environment: &mut Environment<'_>,
) -> Result<Session<'m>, Failure> {
    let home = Home { folder: environment.home.clone(), state: environment.own_state() };
    let config = places.config.as_ref().map(|path| configured(path, &environment.cwd, &home)).transpose()?;
    let extra = places.sources.iter().map(|source| Declared::from_argument(source, &environment.cwd, &home));
    let extra = extra.collect::<Result<Vec<_>, _>>()?;

    let declared = || extra.iter().chain(config.iter().flat_map(|config| &config.sources));
    let mut folders = Folders::new(declared().map(Declared::name));
    let roots = folders.take(&places.roots, &environment.cwd)?;
    let named = folders.take(named, &environment.cwd)?;
    let standard = if named.is_empty() && config.is_none() && !places.no_defaults {
        folders.standard(places, environment)?
    } else {
        Vec::new()
    };
    let kept = config.iter().flat_map(|config| &config.sources);
    let mounts = roots.into_iter().chain(extra.iter().map(Declared::mount)).chain(named);
    let mounts = mounts.chain(kept.map(Declared::mount)).chain(standard);

    let mut builder = mounts.fold(Registry::builder(), Builder::mount);
    if let Some(config) = &config {
        builder = builder.surface_rules(config.surface.rules.clone());
        if let Some(mode) = config.surface.default {
            builder = builder.surface_mode(mode);
        }
        if let Some(hint) = &config.surface.hint {
            builder = builder.provider_hint(hint);
        }
        builder = config.preferences.iter().fold(builder, |builder, row| builder.prefer(row.id.clone(), &row.source));
    }
    let registry = patiently(builder.load(), environment).await.map_err(|error| match &config {
        Some(config) => config.failure(&error),
        None => Failure::of(&error),
    })?;
    let searching = declared().filter_map(Declared::folders);
    let mut folders = folders.sources;
    folders.extend(searching);
    Ok(Session::new(registry, folders, model, environment))
}

/// Waits for `work`; at a terminal and after a while, says so on one line that is wiped in the end.
async fn patiently<F: Future>(work: F, environment: &mut Environment<'_>) -> F::Output {
    let mut work = pin!(work);
    if !environment.stderr.is_terminal() {
        return work.await;
    }
    match tokio::time::timeout(PATIENCE, &mut work).await {
        Ok(done) => done,
        Err(_) => {
            environment.say("reading skills ...");
            let done = work.await;
            environment.say("\r                  \r");
            done
        }
    }
}

fn configured(path: &Path, cwd: &Path, home: &Home) -> Result<Config, Failure> {
    let file = cwd.join(path);
    let name = path.display().to_string();
    let text = fs::read_to_string(&file).map_err(|error| Failure::io(format!("cannot read `{name}`"), &error))?;
    let base = file.parent().unwrap_or(cwd);
    Config::read(Page { name, text }, base, home)
}

/// Folders on their way to sources with names of their own; no real folder twice.
struct Folders {
    names: BTreeSet<String>,
    real: BTreeSet<PathBuf>,
    sources: Vec<(String, Arc<FsSource>)>,
}

impl Folders {
    fn new<'n>(taken: impl Iterator<Item = &'n str>) -> Folders {
        let mut names: BTreeSet<_> = taken.map(str::to_owned).collect();
        names.extend([Registry::<Skill>::REGISTERED, builtin::NAME].map(str::to_owned));
        Folders { names, real: BTreeSet::new(), sources: Vec::new() }
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
        let mounts = roots.into_iter().filter_map(|root| {
            let mount = self.add(root.path, &root.name)?;
            let pending = root.scope == Scope::Project && !places.trust_project;
            Some(if pending { mount.trust(Trust::Pending) } else { mount })
        });
        Ok(std::iter::once(builtin::mount()).chain(mounts).collect())
    }

    /// A source over `path`, unless another one is, under a name that no other has.
    fn add(&mut self, path: PathBuf, name: &str) -> Option<Mount<Skill>> {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if !self.real.insert(real) {
            return None;
        }
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| self.names.insert(name.clone()));
        let name = free.expect("numbers do not end");
        let source = Arc::new(FsSource::new(name.clone(), path));
        self.sources.push((name, Arc::clone(&source)));
        Some(Mount::user(source))
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
        let mut environment =
            Environment { cwd: "/".into(), home: None, state: None, stdout: Stream::new(std::io::sink()), stderr };
        patiently(tokio::time::sleep(work), &mut environment).await;
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
