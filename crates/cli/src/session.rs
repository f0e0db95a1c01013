//! What was composed for one run.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire::render::{Context, Dialect};
use repertoire::{
    Claim, Code, Diagnostic, Entry, Found, FsSource, Id, Model, Renderer, Severity, Skill, SkillRegistry, Snapshot,
    SourceDiagnostic, Trust,
};

use crate::Environment;
use crate::bodies::Bodies;
use crate::failure::Failure;
use crate::fields;
use crate::finding::{Bases, Finding};
use crate::lock::SkillLock;
use crate::machine::Machine;

/// What was composed for one run.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    pub(crate) registry: SkillRegistry,
    pub(crate) snapshot: Snapshot<Skill>,
    /// The sources that search folders, by name.
    pub(crate) folders: Vec<(String, Arc<FsSource>)>,
    /// The files that broke, and whose last good version is listed.
    pub(crate) stale: HashSet<Arc<str>>,
    pub(crate) model: Model<'a>,
    pub(crate) cwd: PathBuf,
    /// What skills may need, as far as this run can tell.
    pub(crate) machine: Machine,
    bodies: Bodies,
    home: Option<PathBuf>,
    state: Option<PathBuf>,
    waiting: Vec<Waiting>,
}

/// A standard folder whose skills are not admitted.
#[derive(Debug)]
pub(crate) struct Waiting {
    /// The source that searches it.
    pub(crate) source: String,
    pub(crate) path: PathBuf,
    /// The reason why it is never admitted.
    pub(crate) stranger: Option<String>,
}

impl<'a> Session<'a> {
    /// What `registry` has now.
    pub(crate) fn new(
        registry: SkillRegistry,
        folders: Vec<(String, Arc<FsSource>)>,
        model: Model<'a>,
        environment: &Environment<'_>,
    ) -> Session<'a> {
        let snapshot = registry.snapshot();
        Session::at(snapshot, registry, folders, model, environment)
    }

    /// What `registry` had in `snapshot`.
    pub(crate) fn at(
        snapshot: Snapshot<Skill>,
        registry: SkillRegistry,
        folders: Vec<(String, Arc<FsSource>)>,
        model: Model<'a>,
        environment: &Environment<'_>,
    ) -> Session<'a> {
        let stale = snapshot.diagnostics().iter().filter(|one| one.diagnostic.code == Code::STALE);
        let stale = stale.filter_map(|one| one.diagnostic.path.clone()).collect();
        let (cwd, home, state) = (environment.cwd.clone(), environment.home.clone(), environment.state.clone());
        let (machine, bodies) = (Machine::of(environment), Bodies::default());
        let waiting = Vec::new();
        Session { registry, snapshot, folders, stale, model, cwd, machine, bodies, home, state, waiting }
    }

    /// Returns the same session, in which the skills of these folders are not admitted.
    pub(crate) fn with_waiting(self, waiting: Vec<Waiting>) -> Session<'a> {
        Session { waiting, ..self }
    }

    /// The same session, whose bodies are rendered with this.
    pub(crate) fn with_bodies(self, bodies: Bodies) -> Session<'a> {
        Session { bodies, ..self }
    }

    /// The dialect that was declared for a source.
    pub(crate) fn dialect(&self, source: &str) -> Option<Dialect> {
        self.bodies.dialects.get(source).copied()
    }

    /// The same context with what is known of a source.
    pub(crate) fn context(&self, source: &str, context: Context) -> Context {
        self.bodies.context(source, context)
    }

    /// What renders bodies for models.
    pub(crate) fn renderer(&self) -> Renderer {
        self.bodies.renderer(&self.registry)
    }

    /// What was installed for the user, and why that is not known if it is not.
    pub(crate) fn installed(&self) -> (SkillLock, Option<String>) {
        SkillLock::of_user(self.home.as_deref(), self.state.as_deref())
    }

    /// The file of what the user let run; `None` where there is neither a home nor a folder for state.
    pub(crate) fn approvals(&self) -> Option<PathBuf> {
        let state = self.state.clone().or_else(|| Some(self.home.as_ref()?.join(".local/state")))?;
        Some(state.join("repertoire/approvals.json"))
    }

    /// What `name` means to a person who typed it.
    pub(crate) fn find(&self, name: &str) -> Result<Found<'_, Skill>, Failure> {
        self.snapshot.resolve(name).map_err(|error| {
            let failure = Failure::of(&error);
            match (self.file_without_skill(name), self.snapshot.nearest(name)) {
                (Some(Diagnostic { code, message, path, .. }), _) => {
                    let path = path.as_deref().map_or("", |path| self.near(path));
                    failure.help(format!("`{path}` gives no skill: {code}: {message}"))
                }
                (None, Some(near)) => failure.help(format!("did you mean `{near}`?")),
                (None, None) => failure.help("`repertoire list --all` shows every name"),
            }
        })
    }

    /// Returns the error of the file in the folder `name` that gives no skill, or in that of `SOURCE:NAME`.
    fn file_without_skill(&self, name: &str) -> Option<&Diagnostic> {
        let (source, folder) = match name.split_once(':') {
            Some((source, folder)) if self.snapshot.layer(source).is_some() => (Some(source), folder),
            _ => (None, name),
        };
        let folder = Id::new(folder).ok()?;
        let errors = self.snapshot.diagnostics().iter().filter(|one| one.diagnostic.severity == Severity::Error);
        let mut errors = errors.filter(|one| source.is_none_or(|source| *one.source == *source));
        let error = errors.find(|one| {
            let parent =
                one.diagnostic.path.as_deref().and_then(|path| Path::new(path).parent()?.file_name()?.to_str());
            parent.and_then(|name| Id::new(name).ok()).is_some_and(|name| name == folder)
        })?;
        Some(&error.diagnostic)
    }

    /// Returns the diagnostics of the file that a claim comes from, without those about who has the id.
    pub(crate) async fn diagnostics_of(&self, claim: &Claim<Skill>) -> Vec<Diagnostic> {
        let of_merging = [Code::SHADOWED, Code::SHADOWED_IDENTICAL, Code::PREFERRED];
        let is_about = |one: &&SourceDiagnostic| {
            one.source == claim.origin.source
                && !of_merging.contains(&one.diagnostic.code)
                && one.diagnostic.path.is_some()
                && one.diagnostic.path == claim.item.location
        };
        let found = self.snapshot.diagnostics().iter().filter(is_about).map(Finding::of);
        let mut found: Vec<_> = found.map(|finding| finding.diagnostic).collect();
        found.extend(fields::faults(claim, self).await);
        found
    }

    /// The folders whose files may be shown in messages.
    pub(crate) fn bases(&self) -> Bases {
        Bases::of(&self.folders)
    }

    /// Every finding: each source's, then what merging found.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.snapshot.diagnostics().iter().map(Finding::of).collect()
    }

    /// Returns a note about skills whose body holds hidden text.
    pub(crate) async fn hidden(&self) -> Option<String> {
        let who = match self.registry.body_diagnostics(&self.snapshot).await.len() {
            0 => return None,
            1 => "the body of 1 skill holds hidden text".to_owned(),
            count => format!("the bodies of {count} skills hold hidden text"),
        };
        Some(format!("{who}; `repertoire check` shows where"))
    }

    /// What to tell about skills that wait for admission.
    pub(crate) fn pending(&self) -> Option<String> {
        let waits = |entry: &&Arc<Entry<Skill>>| entry.claim.trust == Trust::Pending;
        let pending = || self.snapshot.entries().iter().filter(waits);
        let who = match pending().count() {
            0 => return None,
            1 => "1 skill waits for admission and reaches no model".to_owned(),
            count => format!("{count} skills wait for admission and reach no model"),
        };
        let mut sources: BTreeSet<&str> = pending().map(|entry| entry.origin().source.as_ref()).collect();
        let folders: Vec<&Waiting> = self.waiting.iter().filter(|folder| sources.remove(&*folder.source)).collect();
        let shown = |folder: &&Waiting| format!("`{}`", near(&folder.path.to_string_lossy(), &self.cwd));
        let (own, others): (Vec<_>, Vec<_>) = folders.iter().partition(|folder| folder.stranger.is_none());
        let mut ways = Vec::new();
        if !own.is_empty() {
            let own: Vec<_> = own.into_iter().map(shown).collect();
            ways.push(format!("`--trust-project` admits {}", own.join(", ")));
        }
        if !sources.is_empty() {
            ways.push("`trust` in a configuration file admits any source".to_owned());
        }
        for folder in others {
            let why = folder.stranger.as_deref().unwrap_or_default();
            ways.push(format!("{} is never admitted, as {why}: name it with `--root` to trust it", shown(folder)));
        }
        Some(format!("{who}; {}", ways.join("; ")))
    }

    /// Returns whether `source` searches folders and reached the file at `path` through a link that may lead to anything.
    pub(crate) fn is_behind_a_link(&self, source: &str, path: &str) -> bool {
        self.folders.iter().any(|(name, _)| name == source) && !self.may_quote(source, path)
    }

    /// Returns whether diagnostics of `source` may quote the file at `path`.
    pub(crate) fn may_quote(&self, source: &str, path: &str) -> bool {
        let folders = self.folders.iter().find(|(name, _)| name == source);
        folders.is_some_and(|(_, folders)| folders.may_quote(Path::new(path)))
    }

    /// A path as a person at the working folder would type it.
    pub(crate) fn near<'p>(&self, path: &'p str) -> &'p str {
        near(path, &self.cwd)
    }
}

/// A path as a person at `cwd` would type it.
pub(crate) fn near<'p>(path: &'p str, cwd: &Path) -> &'p str {
    let inside = Path::new(path).strip_prefix(cwd).ok().and_then(Path::to_str);
    inside.filter(|inside| !inside.is_empty()).unwrap_or(path)
}
