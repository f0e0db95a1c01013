//! The folders that are searched by default.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::owner::distrust;
use crate::{Client, FsSource};

/// A folder that may hold skills, whether it exists yet or not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Root {
    /// Its path.
    pub path: PathBuf,
    /// A unique name for its source: `project`, `project-claude`, `home`. Folders above the working folder have a number, as in
    /// `project-2`.
    pub name: String,
    /// The folder of the project that it belongs to, which no link in it leaves. The text of a project may be hostile. `None` for a
    /// folder of the user.
    pub project: Option<PathBuf>,
    /// The reason why the root must never be trusted, in words: another user decides about its content.
    ///
    /// A folder, a link or the `.git` that makes it a root belongs to a user other than this one and root, or every user can write
    /// to it.
    pub distrust: Option<String>,
}

impl Root {
    /// Creates the source that searches it, called by its name.
    pub fn source(&self) -> FsSource {
        let source = FsSource::new(self.name.as_str(), self.path.as_path());
        match &self.project {
            Some(folder) => source.within(folder),
            None => source,
        }
    }
}

/// Finds the folders to search, nearest project first, home last: compose one [source](Root::source) from each, in this order.
///
/// The search starts from `cwd`, which is absolute, and from `home`, if the user has one. The folders of `clients` come after the
/// shared one, most important first.
///
/// 1. From the working folder up to the root of its repository, which is the nearest folder with an entry called `.git`. Without a
///    repository, the working folder alone. In each, the shared folder first, then those of the clients.
/// 2. The same below the home folder.
///
/// The home folder and the root of the file system are never a project. The search ends below a folder that another user
/// [decides about](Root::distrust). The roots of the working folder itself report it.
///
/// Of two paths to the same real folder the one of the home scope counts, else the first. Folders that do not exist are included,
/// since they may appear. Blocks for a few system calls.
///
/// ```
/// use std::path::Path;
///
/// use repertoire_source_fs::{Client, discover};
///
/// let claude: Vec<Client> = Client::ALL.iter().filter(|client| client.name == "claude").copied().collect();
/// let roots = discover(Path::new("/srv/app"), Some(Path::new("/home/ada")), &claude);
/// let names: Vec<&str> = roots.iter().map(|root| root.name.as_str()).collect();
/// assert_eq!(names, ["project", "project-claude", "home", "home-claude"]);
/// assert_eq!(roots[1].path, Path::new("/srv/app/.claude/skills"));
/// ```
pub fn discover(cwd: &Path, home: Option<&Path>, clients: &[Client]) -> Vec<Root> {
    let mut roots = RootSet::default();
    let clients: Vec<&Client> = std::iter::once(&Client::SHARED).chain(clients).collect();
    if let Some(home) = home {
        let all = clients
            .iter()
            .flat_map(|client| client.home.iter().map(|below| home.join(below)));
        roots.of_home = all.filter_map(|path| path.canonicalize().ok()).collect();
    }
    let project = ProjectFolders::around(cwd, home);
    for (level, folder) in project.folders.iter().enumerate() {
        for client in &clients {
            roots.add(client.name, (folder, level), client.project, Some(&project));
        }
    }
    if let Some(home) = home {
        for client in &clients {
            roots.add(client.name, (home, 0), client.home, None);
        }
    }
    roots.found
}

/// The project around a working folder.
#[derive(Default)]
struct ProjectFolders<'a> {
    /// Its folders, nearest first; none in the home folder and at the root of the file system.
    folders: Vec<&'a Path>,
    /// The reason why another user decides about the working folder.
    distrust: Option<String>,
}

impl<'a> ProjectFolders<'a> {
    fn around(cwd: &'a Path, home: Option<&Path>) -> ProjectFolders<'a> {
        let real_home = home.and_then(|home| home.canonicalize().ok());
        let is_home = |folder: &Path| {
            Some(folder) == home || real_home.is_some() && folder.canonicalize().ok() == real_home
        };
        let mut project = ProjectFolders::default();
        for folder in cwd
            .ancestors()
            .take_while(|folder| folder.parent().is_some() && !is_home(folder))
        {
            let git = folder.join(".git");
            let is_repository = git.symlink_metadata().is_ok();
            let distrust = distrust(folder).or_else(|| distrust(&git));
            if distrust.is_some() && !project.folders.is_empty() {
                break;
            }
            project.folders.push(folder);
            if is_repository || distrust.is_some() {
                project.distrust = distrust;
                return project;
            }
        }
        // Without a repository, what lies above is not of this project.
        project.folders.truncate(1);
        project
    }

    fn top(&self) -> Option<&'a Path> {
        self.folders.last().copied()
    }
}

fn distrust_on_the_way(folder: &Path, top: &Path, path: &Path) -> Option<String> {
    distrust_below(folder, path).or_else(|| {
        let (real, top) = (path.canonicalize().ok()?, top.canonicalize().ok()?);
        if real.starts_with(&top) {
            distrust_below(&top, &real)
        } else {
            distrust(&real)
        }
    })
}

fn distrust_below(top: &Path, path: &Path) -> Option<String> {
    path.ancestors()
        .take_while(|step| *step != top)
        .find_map(distrust)
}

#[derive(Default)]
struct RootSet {
    found: Vec<Root>,
    names: HashSet<String>,
    real: HashSet<PathBuf>,
    /// The real folders of the home scope.
    of_home: HashSet<PathBuf>,
}

impl RootSet {
    /// Adds the folders `below` a folder of `project`, or below the home folder.
    fn add(
        &mut self,
        client: &str,
        (folder, level): (&Path, usize),
        below: &[&str],
        project: Option<&ProjectFolders<'_>>,
    ) {
        for path in below.iter().map(|below| folder.join(below)) {
            // A folder that does not exist has no other path yet.
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            if project.is_some() && self.of_home.contains(&real) || !self.real.insert(real) {
                continue;
            }
            let name = self.name(
                if project.is_some() { "project" } else { "home" },
                client,
                level,
            );
            let top = project.and_then(ProjectFolders::top);
            let known = project.and_then(|project| project.distrust.clone());
            let distrust =
                known.or_else(|| distrust_on_the_way(folder, top.unwrap_or(folder), &path));
            self.found.push(Root {
                path,
                name,
                project: top.map(Path::to_owned),
                distrust,
            });
        }
    }

    fn name(&mut self, owner: &str, client: &str, level: usize) -> String {
        let base = if client == Client::SHARED.name {
            owner.to_owned()
        } else {
            format!("{owner}-{client}")
        };
        let numbered = (level + 1..).map(|number| {
            if number == 1 {
                base.clone()
            } else {
                format!("{base}-{number}")
            }
        });
        let name = numbered
            .into_iter()
            .find(|name| !self.names.contains(name))
            .expect("numbers do not end");
        self.names.insert(name.clone());
        name
    }
}
