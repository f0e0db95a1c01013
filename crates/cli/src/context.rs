//! The composed sources that a command works on.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire::config::SearchFiles;
#[cfg(feature = "gateway")]
use repertoire::config::ServerDefinition;
use repertoire::registry::{Found, Snapshot, SourceDiagnostic};
use repertoire::render::{Context, Dialect};
use repertoire::search::{ExpectedPrompt, IndexSettings, LiveIndex};
use repertoire::skill::{Code, Diagnostic, Severity};
use repertoire::{FsSource, Id, Model, Renderer, Skill, SkillRegistry, Trust};
#[cfg(feature = "gateway")]
use repertoire_mcp_servers::ToolTable;

use crate::Environment;
use crate::agents::Agents;
use crate::diagnostics::{DiagnosticPrinter, QuotableFolders, ReportedDiagnostic, quoted};
use crate::failure::Failure;
use crate::host_probe::HostProbe;
use crate::lock::SkillLock;
use crate::output::Output;
use crate::prompt_files;
use crate::relative_path::relative_to_cwd;

/// The composed sources that a command works on, in one state.
#[derive(Debug)]
pub(crate) struct CommandContext {
    pub(crate) registry: SkillRegistry,
    pub(crate) snapshot: Snapshot<Skill>,
    /// The sources that search folders, by name.
    pub(crate) folders: Vec<(String, Arc<FsSource>)>,
    /// The broken files whose last valid version is listed.
    pub(crate) stale: HashSet<Arc<str>>,
    pub(crate) model: Model,
    pub(crate) cwd: PathBuf,
    pub(crate) probe: HostProbe,
    pub(crate) agents: Agents,
    /// The MCP servers that a configuration defines, if it defines any.
    #[cfg(feature = "gateway")]
    pub(crate) servers: Option<ToolTable>,
    rendering: SourceRendering,
    search: SearchFiles,
    home: Option<PathBuf>,
    state: Option<PathBuf>,
    approvals: Option<PathBuf>,
    untrusted: Vec<UntrustedFolder>,
}

/// A standard folder whose skills are not trusted.
#[derive(Debug)]
pub(crate) struct UntrustedFolder {
    pub(crate) source: String,
    pub(crate) path: PathBuf,
    /// The reason why `--trust-project` does not trust it.
    pub(crate) stranger: Option<String>,
}

/// The settings for rendering the bodies of each source, by its name.
#[derive(Debug, Default)]
pub(crate) struct SourceRendering {
    /// The dialects that a configuration sets.
    pub(crate) dialects: BTreeMap<String, Dialect>,
    /// The sources of installed plugins.
    pub(crate) plugins: BTreeMap<String, Arc<FsSource>>,
}

/// The variable that agents set to the folder of a plugin.
const PLUGIN_ROOT: &str = "CLAUDE_PLUGIN_ROOT";

impl SourceRendering {
    pub(crate) fn renderer(&self, registry: &SkillRegistry) -> Renderer {
        let mut renderer = Renderer::new(registry.clone());
        for (source, dialect) in &self.dialects {
            renderer = renderer.source_dialect(source.as_str(), *dialect);
        }
        for (source, plugin) in &self.plugins {
            let plugin = Arc::clone(plugin);
            renderer = renderer
                .source_variable(source.as_str(), PLUGIN_ROOT, move || plugin_root(&plugin));
        }
        renderer
    }
}

fn plugin_root(plugin: &FsSource) -> Option<String> {
    Some(plugin.plugin_folder()?.to_string_lossy().into_owned())
}

impl CommandContext {
    pub(crate) fn new(
        registry: SkillRegistry,
        snapshot: Snapshot<Skill>,
        folders: Vec<(String, Arc<FsSource>)>,
        model: Model,
        environment: &Environment<'_>,
    ) -> CommandContext {
        let stale = snapshot
            .diagnostics()
            .iter()
            .filter(|one| one.diagnostic.code == Code::STALE);
        CommandContext {
            stale: stale
                .filter_map(|one| one.diagnostic.path.clone())
                .collect(),
            registry,
            snapshot,
            folders,
            model,
            cwd: environment.cwd.clone(),
            probe: HostProbe::of(environment),
            agents: Agents::of(environment),
            #[cfg(feature = "gateway")]
            servers: None,
            rendering: SourceRendering::default(),
            search: SearchFiles::default(),
            home: environment.home.clone(),
            state: environment.state(),
            approvals: environment.approvals(),
            untrusted: Vec::new(),
        }
    }

    pub(crate) fn with_untrusted(self, untrusted: Vec<UntrustedFolder>) -> CommandContext {
        CommandContext { untrusted, ..self }
    }

    #[cfg(feature = "gateway")]
    pub(crate) fn with_servers(self, definitions: &[ServerDefinition]) -> CommandContext {
        let servers = definitions.iter();
        let servers = servers.map(|server| (server.id.as_str(), server.tools.clone()));
        CommandContext {
            servers: (!definitions.is_empty()).then(|| ToolTable::declared(servers)),
            ..self
        }
    }

    pub(crate) fn with_rendering(self, rendering: SourceRendering) -> CommandContext {
        CommandContext { rendering, ..self }
    }

    pub(crate) fn dialect(&self, source: &str) -> Option<Dialect> {
        self.rendering.dialects.get(source).copied()
    }

    pub(crate) fn with_source_variables(&self, source: &str, variables: Context) -> Context {
        match self
            .rendering
            .plugins
            .get(source)
            .and_then(|plugin| plugin_root(plugin))
        {
            Some(folder) => variables.skill_variable(PLUGIN_ROOT, folder),
            None => variables,
        }
    }

    pub(crate) fn renderer(&self) -> Renderer {
        self.rendering.renderer(&self.registry)
    }

    pub(crate) fn with_search(self, search: SearchFiles) -> CommandContext {
        CommandContext { search, ..self }
    }

    /// Reads what the configuration adds to the search: its example prompts, and all of its settings.
    pub(crate) fn search_settings(&self) -> Result<(Vec<ExpectedPrompt>, IndexSettings), Failure> {
        prompt_files::read_settings(&self.search, &self.cwd)
    }

    /// Returns the index of all skills, with their bodies and what the configuration adds.
    pub(crate) async fn search_index(&self) -> Result<LiveIndex, Failure> {
        let (_, settings) = self.search_settings()?;
        Ok(self.index_with(settings).await)
    }

    /// Returns the index of all skills, with their bodies and what the settings add.
    pub(crate) async fn index_with(&self, settings: IndexSettings) -> LiveIndex {
        let index = LiveIndex::with_settings(self.registry.clone(), settings);
        index.read_bodies().await;
        index
    }

    /// Returns the prompts that authors put beside their skills, then the examples of the configuration.
    pub(crate) async fn known_prompts(&self, examples: Vec<ExpectedPrompt>) -> Vec<ExpectedPrompt> {
        let mut prompts = ExpectedPrompt::beside_skills(&self.registry).await;
        prompts.extend(examples);
        prompts
    }

    /// Returns the user's lock file of installed skills, and the reason if it cannot be read.
    pub(crate) fn installed(&self) -> (SkillLock, Option<String>) {
        SkillLock::of_user(self.home.as_deref(), self.state.as_deref(), &self.agents)
    }

    /// Returns the path of the user's approvals; `None` if neither the home folder nor the state folder is known.
    pub(crate) fn approvals(&self) -> Option<PathBuf> {
        self.approvals.clone()
    }

    pub(crate) fn find(&self, name: &str) -> Result<Found<'_, Skill>, Failure> {
        self.snapshot.resolve(name).map_err(|error| {
            let failure = Failure::of(&error);
            match (self.error_of_folder(name), self.snapshot.nearest(name)) {
                (
                    Some(Diagnostic {
                        code,
                        message,
                        path,
                        ..
                    }),
                    _,
                ) => {
                    let path = path.as_deref().map_or("", |path| self.relative_path(path));
                    failure.help(format!("`{path}` could not be loaded: {code}: {message}"))
                }
                (None, Some(nearest)) => failure.help(format!("did you mean `{nearest}`?")),
                (None, None) => failure.help("run `repertoire list --all` to see every name"),
            }
        })
    }

    /// Returns the error of the file in the folder `NAME` or, for `SOURCE:NAME`, in that folder of the source.
    fn error_of_folder(&self, name: &str) -> Option<&Diagnostic> {
        let (source, folder) = match name.split_once(':') {
            Some((source, folder)) if self.snapshot.layer(source).is_some() => {
                (Some(source), folder)
            }
            _ => (None, name),
        };
        let folder = Id::new(folder).ok()?;
        let mut diagnostics = self.snapshot.diagnostics().iter();
        let error = diagnostics.find(
            |SourceDiagnostic {
                 source: of,
                 diagnostic,
                 ..
             }| {
                let path = diagnostic.path.as_deref().map(Path::new);
                let parent = path.and_then(|path| path.parent()?.file_name()?.to_str());
                diagnostic.severity == Severity::Error
                    && source.is_none_or(|source| **of == *source)
                    && parent
                        .and_then(|name| Id::new(name).ok())
                        .is_some_and(|name| name == folder)
            },
        )?;
        Some(&error.diagnostic)
    }

    pub(crate) fn quotable_folders(&self) -> QuotableFolders {
        QuotableFolders::of(&self.folders)
    }

    pub(crate) fn printer(&self, out: &Output) -> DiagnosticPrinter<'_> {
        DiagnosticPrinter::new(self.quotable_folders(), &self.cwd, out.is_coloured())
    }

    /// Returns the diagnostics of each source, then those of the merge.
    pub(crate) fn diagnostics(&self) -> Vec<ReportedDiagnostic> {
        self.snapshot
            .diagnostics()
            .iter()
            .map(ReportedDiagnostic::of)
            .collect()
    }

    pub(crate) async fn hidden_text_note(&self) -> Option<String> {
        let what = match self.registry.body_diagnostics(&self.snapshot).await.len() {
            0 => return None,
            1 => "the body of 1 skill holds hidden text".to_owned(),
            count => format!("the bodies of {count} skills hold hidden text"),
        };
        Some(format!("{what}; run `repertoire check` for details"))
    }

    /// Returns a note about untrusted skills, and how to trust them.
    pub(crate) fn pending(&self) -> Option<String> {
        let entries = self.snapshot.entries().iter();
        let pending: Vec<_> = entries
            .filter(|entry| entry.candidate.trust == Trust::Pending)
            .collect();
        let what = match pending.len() {
            0 => return None,
            1 => "1 skill is untrusted, so no model sees it".to_owned(),
            count => format!("{count} skills are untrusted, so no model sees them"),
        };
        let mut sources: BTreeSet<&str> = pending
            .iter()
            .map(|entry| entry.origin().source.as_ref())
            .collect();
        let folders: Vec<_> = self
            .untrusted
            .iter()
            .filter(|folder| sources.remove(&*folder.source))
            .collect();
        let (project, foreign): (Vec<_>, Vec<_>) = folders
            .into_iter()
            .partition(|folder| folder.stranger.is_none());
        let mut ways = Vec::new();
        if !project.is_empty() {
            let project = quoted(project.into_iter().map(|folder| self.shown(&folder.path)));
            ways.push(format!("pass --trust-project to trust {project}"));
        }
        if !sources.is_empty() {
            ways.push("set `trust` in a configuration file to trust a source".to_owned());
        }
        for folder in foreign {
            let reason = folder.stranger.as_deref().unwrap_or_default();
            let path = self.shown(&folder.path);
            ways.push(format!(
                "--trust-project does not trust `{path}`, as {reason}: use `--root`"
            ));
        }
        Some(format!("{what}; {}", ways.join("; ")))
    }

    /// Returns whether `source` searches folders and reached the file at `path` through a link that may lead to any file.
    pub(crate) fn is_behind_a_link(&self, source: &str, path: &str) -> bool {
        self.folders.iter().any(|(name, _)| name == source) && !self.may_quote(source, path)
    }

    pub(crate) fn may_quote(&self, source: &str, path: &str) -> bool {
        let folders = self.folders.iter().find(|(name, _)| name == source);
        folders.is_some_and(|(_, folders)| folders.may_quote(Path::new(path)))
    }

    fn shown(&self, path: &Path) -> String {
        self.relative_path(&path.to_string_lossy()).to_owned()
    }

    pub(crate) fn relative_path<'p>(&self, path: &'p str) -> &'p str {
        relative_to_cwd(path, &self.cwd)
    }
}
