//! Which folders to search when nobody names one.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::Client;

/// From where to look for roots. Nothing is taken from the environment: the caller says where it works and lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery<'a> {
    /// The folder to start from, absolute.
    pub cwd: &'a Path,
    /// The home folder, if the user has one.
    pub home: Option<&'a Path>,
    /// Whose folders to search beside the shared one, most important first.
    pub clients: &'a [Client],
}

/// Whom a root belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The project around the folder one works in. Its text may be hostile.
    Project,
    /// The user.
    Home,
}

/// A folder that may hold skills, whether it exists yet or not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Root {
    /// Where it is.
    pub path: PathBuf,
    /// Whom it belongs to.
    pub scope: Scope,
    /// The client that keeps skills there: `agents` for the shared folder.
    pub client: &'static str,
    /// A unique name for the source that searches it: `project`, `project-claude`, `home`, with the number of the
    /// folder behind it where that is not the first, as in `project-2` for the one above the working folder.
    pub name: String,
}

/// The folders to search, nearest project first, home last: compose one [`FsSource`](crate::FsSource) from each, in this order.
///
/// 1. From the working folder up to the root of its repository, the nearest folder with an entry called `.git`, and never
///    above it; without a repository the working folder alone. In each, the shared folder first, then those of the clients.
/// 2. The same below the home folder.
///
/// Of two paths to the same real folder the first stays. Folders that do not exist are included, since they may appear.
/// Blocks for a few system calls.
///
/// ```
/// use std::path::Path;
///
/// use repertoire_source_fs::{Client, Discovery, discover};
///
/// let claude = [Client::named("claude").ok_or("no such client")?];
/// let (cwd, home) = (Path::new("/srv/app"), Some(Path::new("/home/ada")));
/// let roots = discover(&Discovery { cwd, home, clients: &claude });
/// let names: Vec<&str> = roots.iter().map(|root| root.name.as_str()).collect();
/// assert_eq!(names, ["project", "project-claude", "home", "home-claude"]);
/// assert_eq!(roots[1].path, Path::new("/srv/app/.claude/skills"));
/// # Ok::<(), &str>(())
/// ```
pub fn discover(discovery: &Discovery<'_>) -> Vec<Root> {
    let mut roots = Roots::default();
    let clients: Vec<&Client> = std::iter::once(&Client::SHARED).chain(discovery.clients).collect();
    for (level, folder) in project(discovery.cwd).into_iter().enumerate() {
        for client in &clients {
            roots.add(Scope::Project, client, folder, client.project, level);
        }
    }
    if let Some(home) = discovery.home {
        for client in &clients {
            roots.add(Scope::Home, client, home, client.home, 0);
        }
    }
    roots.found
}

/// The folders of the project around `cwd`, nearest first.
fn project(cwd: &Path) -> Vec<&Path> {
    let repository = cwd.ancestors().position(|folder| folder.join(".git").symlink_metadata().is_ok());
    cwd.ancestors().take(repository.map_or(1, |above| above + 1)).collect()
}

#[derive(Default)]
struct Roots {
    found: Vec<Root>,
    names: HashSet<String>,
    real: HashSet<PathBuf>,
}

impl Roots {
    fn add(&mut self, scope: Scope, client: &Client, folder: &Path, below: &[&str], level: usize) {
        for path in below.iter().map(|below| folder.join(below)) {
            // A folder that does not exist has no other path yet.
            if self.real.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
                let name = self.name(scope, client, level);
                self.found.push(Root { path, scope, client: client.name, name });
            }
        }
    }

    fn name(&mut self, scope: Scope, client: &Client, level: usize) -> String {
        let scope = match scope {
            Scope::Project => "project",
            Scope::Home => "home",
        };
        let base =
            if client.name == Client::SHARED.name { scope.to_owned() } else { format!("{scope}-{}", client.name) };
        let numbered = (level + 1..).map(|number| if number == 1 { base.clone() } else { format!("{base}-{number}") });
        let name = numbered.into_iter().find(|name| !self.names.contains(name)).expect("numbers do not end");
        self.names.insert(name.clone());
        name
    }
}
