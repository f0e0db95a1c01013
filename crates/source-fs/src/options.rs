//! What a configuration file says of a folder source.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::pattern::Patterns;
use crate::root::Plan;
use crate::{FsLimits, WatchOptions};

/// Which folders a source searches, for which skills. Keys are in kebab case; an unknown key is an error.
///
/// ```toml
/// roots = ["skills", "~/shared/skills"]
/// patterns = ["**/SKILL.md", "!drafts/**/SKILL.md"]
/// limits = { depth = 12 }
/// watch = { by = "polling", poll-ms = 10000 }
/// ```
///
/// # Patterns
/// Relative to each root, separated by `/`, ending in `SKILL.md`. `*` and `?` stay inside one folder's name,
/// `[a-z]` is one character, `{a,b}` one of several texts, `**` any number of folders, `\` makes the next
/// character a letter. A pattern behind `!` takes away what the others select, wherever it stands in the list.
/// The search starts below the part before the first wildcard and lists nothing above or beside it.
///
/// # Skipped folders
/// Wildcards match no hidden folder and none of these: `.git`, `.hg`, `.svn`, `.jj`, `node_modules`,
/// `bower_components`, `site-packages`, `__pycache__`, `venv`, `.venv`, `.tox`, `.nox` and caches of Python tools.
/// Below `target`, `dist`, `build` and `coverage` nothing is searched, but a skill may be called so.
/// A pattern that spells such a name does match: `.claude/skills/**/SKILL.md`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct FsOptions {
    /// Folders, absolute or relative to the base. Default: the base itself. What an earlier one has comes first.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub roots: Vec<PathBuf>,
    /// Which `SKILL.md` files count. Default: `**/SKILL.md`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1), inner(regex(pattern = r"SKILL\.md$"))))]
    pub patterns: Vec<String>,
    /// Bounds on what is visited and read.
    pub limits: FsLimits,
    /// How to [keep up](crate::FsSource::watching) with the folders. Default: not at all.
    pub watch: Option<WatchOptions>,
}

/// An option that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}`: {message}")]
#[non_exhaustive]
pub struct InvalidOptions {
    /// The key, as in `patterns[1]`.
    pub key: String,
    /// What is wrong with its value.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Default for FsOptions {
    fn default() -> FsOptions {
        FsOptions {
            roots: vec![PathBuf::new()],
            patterns: vec!["**/SKILL.md".into()],
            limits: FsLimits::default(),
            watch: None,
        }
    }
}

impl FsOptions {
    /// The same options, a root of `~` or `~/...` taken to lie in `home`.
    ///
    /// The environment is never asked where the home folder is: whoever reads the configuration knows.
    #[must_use]
    pub fn expand_home(mut self, home: &Path) -> FsOptions {
        for root in &mut self.roots {
            if let Ok(rest) = root.strip_prefix("~") {
                *root = home.join(rest);
            }
        }
        self
    }

    /// Checks the options and resolves their roots against `base`.
    pub(crate) fn plan(self, base: &Path) -> Result<Plan, InvalidOptions> {
        let invalid = |key: String, message: &str, help: &str| InvalidOptions {
            key,
            message: message.into(),
            help: Some(help.into()),
        };
        if self.roots.is_empty() {
            return Err(invalid("roots".into(), "is empty", "name at least one folder, or leave the key out"));
        }
        if let Some(at) = self.roots.iter().position(|root| root.starts_with("~")) {
            let help = "give an absolute path; for a folder that is called `~`, write `./~`";
            return Err(invalid(format!("roots[{at}]"), "the home folder is not known here", help));
        }
        let patterns = Patterns::new(&self.patterns).map_err(|(at, bad)| InvalidOptions {
            key: format!("patterns[{at}]"),
            message: bad.message,
            help: bad.help,
        })?;
        if patterns.starts().is_empty() {
            return Err(invalid("patterns".into(), "selects nothing", "add a pattern without `!`: `**/SKILL.md`"));
        }
        Ok(Plan::new(self.roots.iter().map(|root| base.join(root)), patterns, self.limits))
    }
}
