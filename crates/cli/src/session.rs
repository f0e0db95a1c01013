//! What was composed for one run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire::render::{Context, Dialect};
use repertoire::{Code, Entry, Found, FsSource, Model, Renderer, Skill, SkillRegistry, Snapshot, Trust};

use crate::Environment;
use crate::bodies::Bodies;
use crate::failure::Failure;
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
        Session { registry, snapshot, folders, stale, model, cwd, machine, bodies, home, state }
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
            match self.snapshot.nearest(name) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure.help("`repertoire list --all` shows every name"),
            }
        })
    }

    /// The folders whose files may be shown in messages.
    pub(crate) fn bases(&self) -> Bases {
        Bases::of(&self.folders)
    }

    /// Every finding: each source's, then what merging found.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.snapshot.diagnostics().iter().map(Finding::of).collect()
    }

    /// What to tell about skills that wait for admission.
    pub(crate) fn pending(&self) -> Option<String> {
        let waits = |entry: &&Arc<Entry<Skill>>| entry.claim.trust == Trust::Pending;
        let count = self.snapshot.entries().iter().filter(waits).count();
        let who = match count {
            0 => return None,
            1 => "1 skill waits for admission and reaches no model".to_owned(),
            count => format!("{count} skills wait for admission and reach no model"),
        };
        Some(format!("{who}; `--trust-project` admits a project, `trust` in a configuration file any source"))
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
