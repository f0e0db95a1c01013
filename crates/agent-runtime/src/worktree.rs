//! The worktrees of agents: one checkout and one branch for each.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use repertoire_agents::{AgentRecord, AgentState};
use serde::Serialize;

use crate::ticket::create_private_folder;
use crate::{WorktreeError, git};

/// A repository, and the folder for worktrees of agents.
///
/// - The worktree of an agent is the folder with its id, so each belongs to a row.
/// - Its branch is `feature/` and a slug of the task. If that is taken, the last eight digits of the id follow.
/// - No worktree and no branch is ever removed.
///
/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct Worktrees {
    repository: PathBuf,
    root: PathBuf,
    variables: Arc<[(OsString, OsString)]>,
}

/// A branch and a path that no other agent has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedWorktree {
    pub(crate) branch: String,
    pub(crate) path: PathBuf,
}

/// A worktree on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FoundWorktree {
    /// The folder.
    pub path: PathBuf,
    /// The agent that it belongs to; `None` if the store has no such agent.
    pub agent_id: Option<String>,
    /// The state of that agent.
    #[doc(hidden)]
    pub state: Option<AgentState>,
}

impl Worktrees {
    /// Makes worktrees of `repository` below `root`, from its `HEAD`. Nothing is read or written yet.
    pub fn new(repository: impl Into<PathBuf>, root: impl Into<PathBuf>) -> Self {
        Self {
            repository: repository.into(),
            root: root.into(),
            variables: Arc::default(),
        }
    }

    /// Sets the environment, of which `git` gets `PATH`, `HOME`, `XDG_CONFIG_HOME` and `TMPDIR`.
    #[must_use]
    pub fn with_variables(mut self, variables: Arc<[(OsString, OsString)]>) -> Self {
        self.variables = variables;
        self
    }

    /// Creates the folder for worktrees, and returns its real path.
    fn real_root(&self) -> Result<PathBuf, WorktreeError> {
        let real = create_private_folder(&self.root).and_then(|()| self.root.canonicalize());
        real.map_err(|error| path_error(&self.root, error.to_string()))
    }

    /// Chooses a branch and a path, without making them.
    pub(crate) async fn plan(&self, agent: &AgentRecord) -> Result<PlannedWorktree, WorktreeError> {
        let root = self.real_root()?;
        let path = folder_of(&root, &agent.id)?;
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(path_error(&path, error.to_string())),
            Ok(_) => return Err(path_error(&path, "it exists".to_owned())),
        }
        let suffix = agent.id.get(agent.id.len().saturating_sub(8)..);
        let branches = [
            agent.branch.clone(),
            format!("{}-{}", agent.branch, suffix.unwrap_or(&agent.id)),
            format!("{}-{}", agent.branch, agent.id),
        ];
        for branch in branches {
            if self.is_free(&branch).await? {
                return Ok(PlannedWorktree { branch, path });
            }
        }
        Err(path_error(
            &path,
            format!("the branch `{}` exists", agent.branch),
        ))
    }

    async fn is_free(&self, branch: &str) -> Result<bool, WorktreeError> {
        let reference = format!("refs/heads/{branch}");
        self.git(&["check-ref-format", &reference]).await?;
        // Also lists the branches below it, which exclude a branch of this name.
        let found = self.git(&["for-each-ref", "--count=1", &reference]).await?;
        Ok(found.is_empty())
    }

    /// Makes the branch and its worktree.
    pub(crate) async fn create(&self, planned: &PlannedWorktree) -> Result<(), WorktreeError> {
        let base = self
            .git(&["rev-parse", "--verify", "--end-of-options", "HEAD^{commit}"])
            .await?;
        let base = String::from_utf8_lossy(&base).trim().to_owned();
        let add = ["worktree", "add", "--quiet", "-b", &planned.branch, "--"].map(OsStr::new);
        let mut args = add.to_vec();
        args.extend([planned.path.as_os_str(), OsStr::new(&base)]);
        git::run(&self.repository, &self.variables, &args).await?;
        let real = planned.path.canonicalize();
        let real = real.map_err(|error| path_error(&planned.path, error.to_string()))?;
        match real == planned.path {
            true => Ok(()),
            false => Err(path_error(&planned.path, "it is a link".to_owned())),
        }
    }

    /// Makes a branch for a further task in a worktree, at the commit that is checked out there.
    pub(crate) async fn switch(&self, worktree: &Path, branch: &str) -> Result<(), WorktreeError> {
        if !self.is_free(branch).await? {
            return Err(path_error(
                worktree,
                format!("the branch `{branch}` exists"),
            ));
        }
        let args = ["switch", "--quiet", "--create", branch].map(OsStr::new);
        git::run(worktree, &self.variables, &args).await.map(drop)
    }

    /// Returns everything below the root, and the worktrees there that `git` knows, in order.
    pub(crate) async fn paths(&self) -> Result<Vec<PathBuf>, WorktreeError> {
        let root = self.real_root()?;
        let mut paths = self.registered(&root).await?;
        let entries = fs::read_dir(&root).map_err(|error| path_error(&root, error.to_string()))?;
        paths.extend(entries.flatten().map(|entry| entry.path()));
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    /// Returns the worktrees below `root` that `git` knows, also if their folders are gone.
    async fn registered(&self, root: &Path) -> Result<Vec<PathBuf>, WorktreeError> {
        let listed = self.git(&["worktree", "list", "--porcelain", "-z"]).await?;
        let lines = listed.split(|byte| *byte == 0);
        let paths = lines.filter_map(|line| line.strip_prefix(b"worktree "));
        let paths = paths.map(|path| PathBuf::from(OsString::from_vec(path.to_vec())));
        Ok(paths.filter(|path| path.parent() == Some(root)).collect())
    }

    async fn git(&self, args: &[&str]) -> Result<Vec<u8>, WorktreeError> {
        let args: Vec<_> = args.iter().map(OsStr::new).collect();
        git::run(&self.repository, &self.variables, &args).await
    }
}

impl FoundWorktree {
    /// Finds the agent of a worktree by its name.
    pub(crate) fn new(path: PathBuf, agents: &[AgentRecord]) -> Self {
        let name = path.file_name().and_then(OsStr::to_str);
        let owner = agents.iter().find(|agent| Some(&*agent.id) == name);
        Self {
            agent_id: owner.map(|agent| agent.id.clone()),
            state: owner.map(|agent| agent.state),
            path,
        }
    }

    pub(crate) fn is_in_use(&self) -> bool {
        self.state.is_some_and(|state| !state.is_final())
    }
}

/// Returns the folder of an agent, whose id must be one plain name.
fn folder_of(root: &Path, id: &str) -> Result<PathBuf, WorktreeError> {
    let mut parts = Path::new(id).components();
    let path = root.join(id);
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) if name == id && !id.starts_with(['-', '.']) => {
            Ok(path)
        }
        _ => Err(path_error(&path, format!("`{id}` is not a plain name"))),
    }
}

fn path_error(path: &Path, reason: String) -> WorktreeError {
    WorktreeError::Path {
        path: path.to_owned(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_ids_stay_below_the_root() {
        let root = Path::new("/w");
        for id in ["", ".", "..", "../a", "/etc", "a/b", "a/", "-b", ".git"] {
            assert!(folder_of(root, id).is_err(), "{id}");
        }
        assert_eq!(folder_of(root, "0190-ab").unwrap(), root.join("0190-ab"));
    }
}
