//! The options of a folder source.

use std::path::{Path, PathBuf};

use repertoire_core::ConfigError;
use serde::Deserialize;

use crate::pattern::{BadPattern, Patterns};
use crate::root::SearchPlan;
use crate::{FsLimits, WatchOptions};

/// The options of a folder source. Keys are in kebab case; an unknown key is an error.
///
/// ```toml
/// roots = ["skills", "/srv/shared/skills"]
/// patterns = ["**/SKILL.md", "!drafts/**/SKILL.md"]
/// limits = { depth = 12 }
/// watch = { by = "polling", poll-ms = 10000 }
/// ```
///
/// # Patterns
/// A pattern is relative to each root, has `/` between folders, and ends in `SKILL.md`.
///
/// - `*` and `?` match inside one folder's name, `[a-z]` one character, `{a,b}` one of several texts, `**` any number of folders.
///   `\` makes the next character literal.
/// - A pattern behind `!` rejects what the others select, wherever it is in the list.
/// - The search starts below the part before the first wildcard, and lists nothing above or beside it.
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
    /// Folders, absolute or relative to the base. Default: the base itself. Skills of an earlier root come first.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub roots: Vec<PathBuf>,
    /// The patterns that select `SKILL.md` files. Default: `**/SKILL.md`.
    #[cfg_attr(
        feature = "schema",
        schemars(length(min = 1), inner(regex(pattern = r"SKILL\.md$")))
    )]
    pub patterns: Vec<String>,
    /// Bounds on what is visited and read.
    pub limits: FsLimits,
    /// The options of [watching](crate::FsSource::watching).
    pub(crate) watch: Option<WatchOptions>,
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
    pub(crate) fn plan(self, base: &Path) -> Result<SearchPlan, ConfigError> {
        self.plan_with(base, Patterns::new)
    }

    /// Returns the plan of a search for files, which the patterns select by their names.
    pub(crate) fn file_plan(self, base: &Path) -> Result<SearchPlan, ConfigError> {
        self.plan_with(base, Patterns::of_files)
    }

    fn plan_with(
        self,
        base: &Path,
        compile: impl FnOnce(&[String]) -> Result<Patterns, (usize, BadPattern)>,
    ) -> Result<SearchPlan, ConfigError> {
        if self.roots.is_empty() {
            let message = "no root is given; name at least one folder, or leave the key out";
            return Err(ConfigError::in_option("roots", message));
        }
        if let Some(at) = self.roots.iter().position(|root| root.starts_with("~")) {
            let message = "the home folder is not known here; give an absolute path; for a folder that is called `~`, write `./~`";
            return Err(ConfigError::in_option(format!("roots[{at}]"), message));
        }
        let patterns = compile(&self.patterns).map_err(|(at, bad)| {
            let help = bad.help.map(|help| format!("; {help}"));
            let message = bad.message + &help.unwrap_or_default();
            ConfigError::in_option(format!("patterns[{at}]"), message)
        })?;
        if patterns.starts().is_empty() {
            let message = "no pattern selects anything; add one without `!`: `**/SKILL.md`";
            return Err(ConfigError::in_option("patterns", message));
        }
        Ok(SearchPlan::new(
            self.roots.iter().map(|root| base.join(root)),
            patterns,
            self.limits,
        ))
    }
}
