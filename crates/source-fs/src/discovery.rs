//! The folders that are searched by default.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::owner::distrust;
use crate::{AgentFolders, FsSource};

/// A folder that may hold skills, whether it exists yet or not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Root {
    /// Its path.
    pub path: PathBuf,
    /// A unique name for its source: `project`, `project-claude` for `.claude/skills`, `home`. Folders above the working folder have a number, as in
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
/// The search starts from `cwd`, which is absolute, and from `home`, if the user has one. The folders of `further` come after the
/// shared one, `.agents/skills`.
///
/// 1. From the working folder up to the root of its repository, which is the nearest folder with an entry called `.git`. Without a
///    repository, the working folder alone. In each, the shared folder first, then the further ones.
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
/// use repertoire_source_fs::{AgentFolders, discover};
///
/// let claude = AgentFolders {
///     project: vec![".claude/skills".into()],
///     home: vec![".claude/skills".into()],
/// };
/// let roots = discover(Path::new("/srv/app"), Some(Path::new("/home/ada")), &claude);
/// let names: Vec<&str> = roots.iter().map(|root| root.name.as_str()).collect();
/// assert_eq!(names, ["project", "project-claude", "home", "home-claude"]);
/// assert_eq!(roots[1].path, Path::new("/srv/app/.claude/skills"));
/// ```
pub fn discover(cwd: &Path, home: Option<&Path>, further: &AgentFolders) -> Vec<Root> {
    let mut roots = RootSet::default();
    let folders = further.after_shared();
    if let Some(home) = home {
        let all = folders.home.iter().map(|below| home.join(below));
        roots.of_home = all.filter_map(|path| path.canonicalize().ok()).collect();
    }
    let project = ProjectFolders::around(cwd, home);
    for (level, folder) in project.folders.iter().enumerate() {
        roots.add((folder, level), &folders.project, Some(&project));
    }
    if let Some(home) = home {
        roots.add((home, 0), &folders.home, None);
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
        (folder, level): (&Path, usize),
        below: &[PathBuf],
        project: Option<&ProjectFolders<'_>>,
    ) {
        for below in below {
            let path = folder.join(below);
            // A folder that does not exist has no other path yet.
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            if project.is_some() && self.of_home.contains(&real) || !self.real.insert(real) {
                continue;
            }
            let name = self.name(
                if project.is_some() { "project" } else { "home" },
                below,
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

    fn name(&mut self, owner: &str, below: &Path, level: usize) -> String {
        let base = match label(below) {
            None => owner.to_owned(),
            Some(label) => format!("{owner}-{label}"),
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

/// Returns the name of the agent in a path such as `.claude/skills`; `None` for the shared folder.
fn label(below: &Path) -> Option<String> {
    if below == Path::new(AgentFolders::SHARED) {
        return None;
    }
    let names = below.iter().map(|name| name.to_string_lossy());
    let mut names: Vec<_> = names.collect();
    if names.len() > 1 {
        names.pop();
    }
    // `.pi/agent/skills` is a folder of `pi`.
    let name = names.iter().rfind(|name| *name != "agent");
    let name = name.or(names.last())?.trim_start_matches('.');
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    Some(name.replace(|c| !is_part(c), "-"))
}
