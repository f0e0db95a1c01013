//! Checks if this machine meets a requirement of a skill.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use repertoire::permission::{RequirementCheck, RequirementKind};

use crate::Environment;
use crate::environment::find_variable;

/// A check for the operating system, environment variables, and programs in `PATH`.
///
/// It starts no program.
#[derive(Debug, Clone)]
pub(crate) struct HostProbe {
    /// Empty if the environment has no variables. Requirements of variables are then unknown.
    variables: Vec<(OsString, OsString)>,
}

impl HostProbe {
    pub(crate) fn of(environment: &Environment<'_>) -> HostProbe {
        HostProbe {
            variables: environment.variables.clone(),
        }
    }

    fn has_program(&self, name: &str) -> Option<bool> {
        let folders = find_variable(&self.variables, "PATH")?;
        if name.contains(['/', '\\']) {
            return Some(false);
        }
        let endings = match find_variable(&self.variables, "PATHEXT").and_then(OsStr::to_str) {
            Some(endings) if cfg!(windows) => endings.split(';').chain([""]).collect(),
            _ => vec![""],
        };
        let mut folders = std::env::split_paths(folders).filter(|folder| folder.is_absolute());
        Some(folders.any(|folder| {
            endings
                .iter()
                .any(|ending| is_program(&folder.join(format!("{name}{ending}"))))
        }))
    }
}

/// Requirements of settings and tools are unknown: an agent has these, the command line does not.
impl RequirementCheck for HostProbe {
    fn has(&self, kind: RequirementKind, name: &str) -> Option<bool> {
        match kind {
            RequirementKind::System => Some(name == std::env::consts::OS),
            RequirementKind::Program => self.has_program(name),
            RequirementKind::Variable if self.variables.is_empty() => None,
            RequirementKind::Variable => {
                Some(find_variable(&self.variables, name).is_some_and(|value| !value.is_empty()))
            }
            _ => None,
        }
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests;
