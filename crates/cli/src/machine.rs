//! What this machine has of what skills need.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use repertoire::{NeedKind, Probe};

use crate::Environment;

/// What this machine has: its system, the variables of the process, the programs in its `PATH`. Looks, and starts nothing.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    /// Empty where nothing is known of the process.
    variables: Vec<(OsString, OsString)>,
}

impl Machine {
    pub(crate) fn of(environment: &Environment<'_>) -> Machine {
        Machine { variables: environment.variables.clone() }
    }

    fn variable(&self, name: &str) -> Option<&OsStr> {
        // The names of variables have no letter case there.
        let is_meant = |known: &OsStr| {
            if cfg!(windows) { known.eq_ignore_ascii_case(name) } else { known == name }
        };
        self.variables.iter().find(|(known, _)| is_meant(known)).map(|(_, value)| value.as_os_str())
    }

    fn has_program(&self, name: &str) -> Option<bool> {
        let folders = self.variable("PATH")?;
        if name.contains(['/', '\\']) {
            return Some(false);
        }
        let endings = match self.variable("PATHEXT").and_then(OsStr::to_str) {
            Some(endings) if cfg!(windows) => endings.split(';').chain([""]).collect(),
            _ => vec![""],
        };
        let is_in = |folder: &Path| endings.iter().any(|ending| is_program(&folder.join(format!("{name}{ending}"))));
        Some(std::env::split_paths(folders).filter(|folder| folder.is_absolute()).any(|folder| is_in(&folder)))
    }
}

/// Of settings and tools it knows nothing: they are a host's.
impl Probe for Machine {
    fn has(&self, kind: NeedKind, name: &str) -> Option<bool> {
        match kind {
            NeedKind::System => Some(name == std::env::consts::OS),
            NeedKind::Program => self.has_program(name),
            NeedKind::Variable if self.variables.is_empty() => None,
            NeedKind::Variable => Some(self.variable(name).is_some_and(|value| !value.is_empty())),
            _ => None,
        }
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_tells_what_it_has_and_not_what_it_cannot_know() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("notes"), "").unwrap();
        let program = if cfg!(windows) { "tool.exe" } else { "tool" };
        std::fs::write(folder.path().join(program), "").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let file = folder.path().join(program);
            std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut environment = Environment::quiet(folder.path());
        let unknown = Machine::of(&environment);
        let variables = [("PATH", folder.path().as_os_str()), ("TOKEN", "x".as_ref()), ("EMPTY", "".as_ref())];
        environment.variables = variables.map(|(name, value)| (name.into(), value.to_owned())).into();
        let known = Machine::of(&environment);
        for (kind, name, expected) in [
            (NeedKind::Program, program, Some(true)),
            (NeedKind::Program, "none", Some(false)),
            (NeedKind::Program, "../tool", Some(false)),
            (NeedKind::Variable, "TOKEN", Some(true)),
            (NeedKind::Variable, "EMPTY", Some(false)),
            (NeedKind::Variable, "NONE", Some(false)),
            (NeedKind::Setting, "browser.enabled", None),
            (NeedKind::Tool, "search", None),
        ] {
            assert_eq!(known.has(kind, name), expected, "{kind:?} {name}");
            assert_eq!(unknown.has(kind, name), None, "{kind:?} {name}");
        }
        assert_eq!(known.has(NeedKind::System, std::env::consts::OS), Some(true));
        assert_eq!(known.has(NeedKind::System, "plan9"), Some(false));
        #[cfg(unix)]
        assert_eq!(known.has(NeedKind::Program, "notes"), Some(false), "it cannot be started");
    }
}
