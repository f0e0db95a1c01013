//! The folders in which agents keep skills.

use std::path::PathBuf;

/// The folders of agents for skills: below a project and below the home folder, the most important first.
///
/// `repertoire-profiles` has those of each agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFolders {
    /// Relative to each folder of a project.
    pub project: Vec<PathBuf>,
    /// Absolute, or relative to the home folder.
    pub home: Vec<PathBuf>,
}

impl AgentFolders {
    /// The folder that agents share, below a project and below the home folder.
    pub const SHARED: &str = ".agents/skills";

    /// Returns the shared folder, then these.
    pub(crate) fn after_shared(&self) -> AgentFolders {
        let after = |folders: &[PathBuf]| {
            let shared = PathBuf::from(AgentFolders::SHARED);
            std::iter::once(shared).chain(folders.to_vec()).collect()
        };
        AgentFolders {
            project: after(&self.project),
            home: after(&self.home),
        }
    }
}
