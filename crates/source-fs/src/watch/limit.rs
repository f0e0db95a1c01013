//! How much the system lets one user watch.

use std::fmt;

/// A limit that was met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limit {
    /// Of what.
    what: &'static str,
    /// What sets it, and to how many.
    setting: Option<(&'static str, u64)>,
}

impl Limit {
    /// The limit of watched folders.
    pub(crate) fn of_watches() -> Limit {
        let what = "watches";
        Limit { what, setting: lower("user.max_inotify_watches", "fs.inotify.max_user_watches") }
    }

    /// The limit of watchers.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_instances() -> Limit {
        let what = "watchers";
        Limit { what, setting: lower("user.max_inotify_instances", "fs.inotify.max_user_instances") }
    }

    /// The setting that raises it, where that is known.
    pub(crate) fn setting(&self) -> Option<&'static str> {
        self.setting.map(|(name, _)| name)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the system's limit of {} is reached", self.what)?;
        match self.setting {
            Some((name, value)) => write!(f, ", `{name}` = {value}"),
            None => Ok(()),
        }
    }
}

/// The setting that binds. A container may have a limit of its own below that of the machine, and sees both.
fn lower(own: &'static str, machine: &'static str) -> Option<(&'static str, u64)> {
    let value = |name: &'static str| {
        let text = std::fs::read_to_string(format!("/proc/sys/{}", name.replace('.', "/"))).ok()?;
        Some((name, text.trim().parse().ok()?))
    };
    // Where both are the same setting, the name that people know.
    [value(machine), value(own)].into_iter().flatten().min_by_key(|(_, value)| *value)
}
