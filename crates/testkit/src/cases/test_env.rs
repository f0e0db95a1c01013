//! A case that is set up and loaded.

mod delivery;
mod live;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs, thread};

use repertoire_core::{ResourcePath, Severity, Skill};
use repertoire_engine::catalog::{Catalog, CatalogOptions};
use repertoire_engine::session::Session;
use repertoire_profiles::{AgentPlace, AgentProfiles};
use repertoire_registry::{Entry, Mount, Origin, SkillRegistry, Snapshot, Status, Tier, Trust};
use repertoire_source_fs::{
    AgentFolders, FsSource, InstalledPluginOptions, InstalledPlugins, WatchOptions, discover,
};
use tokio::runtime::Runtime;

use super::check::Head;
use super::client::Client as McpClient;
use super::fixture::Fixture;
use super::grammar::{Case, Layout, Root, Scope};
use super::process::{Ended, Run};

pub(crate) use live::step_blocks;

/// A case that is set up and loaded, with everything that it printed.
pub(crate) struct TestEnv {
    // Watchers must be dropped before the copy.
    runtime: Runtime,
    registry: SkillRegistry,
    fixture: Fixture,
    cwd: PathBuf,
    /// From high to low priority.
    roots: Vec<PathBuf>,
    /// Scopes by source, as the case spells them.
    scopes: BTreeMap<String, String>,
    binary: Option<PathBuf>,
    client: Option<io::Result<McpClient>>,
    catalog_before: RefCell<Option<String>>,
    session: RefCell<Option<Session>>,
    printed: RefCell<String>,
    panics: RefCell<Vec<String>>,
}

/// A diagnostic with a path relative to the case.
#[derive(Debug)]
pub(crate) struct CaseDiagnostic {
    pub(crate) severity: Severity,
    pub(crate) path: String,
    pub(crate) text: String,
}

impl fmt::Display for CaseDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}` {}", self.severity, self.path, self.text)
    }
}

/// The default timeout of a command.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Longer than the debounce time of a watching source.
const BETWEEN_EDITS: Duration = Duration::from_millis(300);

impl TestEnv {
    pub(crate) fn load(
        case: &Case,
        fixture: Fixture,
        binary: Option<PathBuf>,
    ) -> io::Result<TestEnv> {
        let cwd = fixture.path().join(&case.cwd);
        let roots = match &case.layout {
            Layout::Roots(roots) => roots.iter().rev().cloned().collect(),
            Layout::Discovered => discovered(&cwd, fixture.home()),
            Layout::PluginCache(_) => Vec::new(),
        };
        let mut scopes = BTreeMap::new();
        let mut builder = SkillRegistry::builder();
        for root in &roots {
            let name = unique(&scopes, root.scope.name());
            let source = FsSource::new(&name, fixture.path().join(&root.path));
            let source = if case.is_live() {
                source.watching(WatchOptions::default())
            } else {
                source
            };
            builder = builder.mount(mount(root, source));
            scopes.insert(name, root.scope.to_string());
        }
        if let Layout::PluginCache(cache) = &case.layout {
            for (name, mount) in plugins(&fixture.path().join(cache)) {
                builder = builder.mount(mount);
                scopes.insert(name.clone(), Scope::Plugin(name).to_string());
            }
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let registry = runtime.block_on(async {
            if case.is_live() {
                builder.start(runtime.handle()).await
            } else {
                builder.load().await
            }
        });
        let mut env = TestEnv {
            registry: registry.map_err(io::Error::other)?,
            runtime,
            fixture,
            cwd,
            roots: roots.into_iter().map(|root| root.path).collect(),
            scopes,
            binary,
            client: None,
            catalog_before: RefCell::default(),
            session: RefCell::default(),
            printed: RefCell::default(),
            panics: RefCell::default(),
        };
        if case.needs_client() {
            // Before any step, so that it receives all notifications.
            env.client = env.new_client();
        }
        Ok(env)
    }

    pub(crate) fn client(&self) -> Option<Result<&McpClient, &io::Error>> {
        Some(self.client.as_ref()?.as_ref())
    }

    pub(crate) fn new_client(&self) -> Option<io::Result<McpClient>> {
        let program = self.binary.as_deref()?;
        let roots: Vec<_> = self
            .roots
            .iter()
            .map(|root| self.fixture.path().join(root))
            .collect();
        Some(McpClient::start(
            program,
            &roots,
            &self.cwd,
            self.fixture.home(),
        ))
    }

    pub(crate) fn fixture(&self) -> &Fixture {
        &self.fixture
    }

    pub(crate) fn absolute(&self, path: &str) -> String {
        self.fixture.path().join(path).display().to_string()
    }

    pub(crate) fn relative<'a>(&self, path: &'a str) -> &'a str {
        self.fixture.relative(path)
    }

    pub(crate) fn snapshot(&self) -> Snapshot<Skill> {
        self.registry.snapshot()
    }

    pub(crate) fn offered(&self) -> Vec<String> {
        let snapshot = self.snapshot();
        let entries = snapshot
            .entries()
            .iter()
            .filter(|entry| entry.candidate.status == Status::Active);
        let mut ids: Vec<_> = entries.map(|entry| entry.id.to_string()).collect();
        ids.sort();
        ids
    }

    pub(crate) fn catalog(&self) -> String {
        Catalog::new(&self.snapshot(), &CatalogOptions::default()).text
    }

    pub(crate) fn catalog_before(&self) -> Option<String> {
        self.catalog_before.borrow().clone()
    }

    pub(crate) fn scope(&self, origin: &Origin) -> &str {
        self.scopes
            .get(origin.source.as_ref())
            .map_or("", String::as_str)
    }

    pub(crate) fn diagnostics(&self) -> Vec<CaseDiagnostic> {
        let snapshot = self.snapshot();
        let bodies = self
            .runtime
            .block_on(self.registry.body_diagnostics(&snapshot));
        let parts = self
            .runtime
            .block_on(self.registry.part_diagnostics(&snapshot));
        let diagnostics = snapshot
            .diagnostics()
            .iter()
            .chain(&bodies)
            .chain(&parts)
            .map(|row| {
                let diagnostic = &row.diagnostic;
                let mut text = format!("{}: {}", diagnostic.code, diagnostic.message);
                if let Some(line) = diagnostic.line {
                    text += &format!(" (line {line}");
                    text += &diagnostic
                        .column
                        .map(|column| format!(", column {column})"))
                        .unwrap_or_else(|| ")".to_owned());
                }
                if let Some(other) = &diagnostic.other {
                    text += &format!(" (see {})", self.relative(other));
                }
                if let Some(help) = &diagnostic.help {
                    text += &format!("; {help}");
                }
                let path = self
                    .relative(diagnostic.path.as_deref().unwrap_or_default())
                    .to_owned();
                self.print(&text);
                CaseDiagnostic {
                    severity: diagnostic.severity,
                    path,
                    text,
                }
            });
        diagnostics.collect()
    }

    pub(crate) fn diagnostics_text(&self) -> String {
        let diagnostics: Vec<_> = self
            .diagnostics()
            .iter()
            .map(CaseDiagnostic::to_string)
            .collect();
        if diagnostics.is_empty() {
            "no diagnostic".to_owned()
        } else {
            diagnostics.join("\n")
        }
    }

    pub(crate) fn body(&self, entry: &Entry<Skill>) -> Result<String, String> {
        let body = self.runtime.block_on(self.registry.body(&entry.candidate));
        self.printed(body.map(|body| body.text.to_string()))
    }

    pub(crate) fn resource(
        &self,
        entry: &Entry<Skill>,
        path: &ResourcePath,
    ) -> Result<String, String> {
        let bytes = self
            .runtime
            .block_on(self.registry.resource(&entry.candidate, path));
        self.printed(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    pub(crate) fn resources(&self, entry: &Entry<Skill>) -> Result<Vec<String>, String> {
        let resources = self
            .runtime
            .block_on(self.registry.resources(&entry.candidate));
        let paths: Vec<_> = resources
            .map_err(|error| self.print(&error.to_string()))?
            .iter()
            .map(|resource| resource.path.to_string())
            .collect();
        self.print(&paths.join("\n"));
        Ok(paths)
    }

    /// Runs the binary; `None` if there is none. A command without folders gets the roots of the case.
    pub(crate) fn command(
        &self,
        arguments: &[String],
        reader: Option<Head>,
        limit: Option<Duration>,
    ) -> Option<io::Result<Ended>> {
        let program = self.binary.as_deref()?;
        let mut arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
        if arguments
            .iter()
            .skip(1)
            .all(|argument| argument.to_string_lossy().starts_with('-'))
        {
            arguments.extend(self.roots.iter().map(OsString::from));
        }
        let run = Run {
            program,
            arguments,
            cwd: &self.cwd,
            home: self.fixture.home(),
            reader,
            limit: limit.unwrap_or(TIMEOUT),
        };
        Some(run.run().inspect(|ended| {
            self.print(&String::from_utf8_lossy(&ended.stdout));
            self.print(&String::from_utf8_lossy(&ended.stderr));
        }))
    }

    /// Runs `work` while a temporary skill of the first root is written repeatedly.
    pub(crate) fn while_edited<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(root) = self.roots.first() else {
            return work();
        };
        let folder = self.fixture.path().join(root).join("edited-during-the-run");
        let is_done = AtomicBool::new(false);
        let done = thread::scope(|scope| {
            let edits = scope.spawn(|| {
                for number in 0_u64.. {
                    let text = format!(
                        "---\nname: edited-during-the-run\ndescription: Number {number}.\n---\n"
                    );
                    // If this fails, `work` fails because it sees no edit.
                    let _ = fs::create_dir_all(&folder)
                        .and_then(|()| fs::write(folder.join("SKILL.md"), text));
                    thread::park_timeout(BETWEEN_EDITS);
                    if is_done.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
            let done = work();
            is_done.store(true, Ordering::Relaxed);
            edits.thread().unpark();
            done
        });
        let _ = fs::remove_dir_all(folder);
        done
    }

    /// Records a text that the case printed or rendered, and returns it.
    pub(crate) fn print(&self, text: &str) -> String {
        let mut printed = self.printed.borrow_mut();
        printed.push_str(text);
        printed.push('\n');
        text.to_owned()
    }

    fn printed(
        &self,
        outcome: Result<String, repertoire_core::SourceError>,
    ) -> Result<String, String> {
        match outcome {
            Ok(text) => Ok(self.print(&text)),
            Err(error) => Err(self.print(&error.to_string())),
        }
    }

    pub(crate) fn has_printed(&self, text: &str) -> bool {
        self.printed.borrow().contains(text)
    }

    pub(crate) fn panicked(&self, message: &str) {
        self.panics.borrow_mut().push(message.to_owned());
    }

    pub(crate) fn panics(&self) -> Vec<String> {
        self.panics.borrow().clone()
    }
}

fn plugins(cache: &Path) -> impl Iterator<Item = (String, Mount<Skill>)> {
    let found = InstalledPlugins::find(cache).plugins.into_iter();
    found.map(|plugin| {
        let options = InstalledPluginOptions::new(&plugin.folder);
        let source = options.source(&plugin, plugin.name.as_str());
        (plugin.name, Mount::plugin(source).namespaced())
    })
}

fn mount(root: &Root, source: FsSource) -> Mount<Skill> {
    let mount = match root.scope {
        Scope::Builtin => Mount::new(Tier::Builtin, source),
        Scope::Project | Scope::User => Mount::new(Tier::User, source),
        Scope::Plugin(_) => Mount::new(Tier::Plugin, source).namespaced(),
    };
    if root.admitted {
        mount
    } else {
        mount.trust(Trust::Pending)
    }
}

fn every_agent(cwd: &Path) -> AgentFolders {
    let place = AgentPlace::new("", cwd);
    let mut folders = AgentFolders::default();
    for profile in AgentProfiles::built_in().iter() {
        folders.project.extend(profile.project_folders(&place));
        folders.home.extend(profile.home_folders(&place));
    }
    folders
}

fn discovered(cwd: &Path, home: &Path) -> Vec<Root> {
    let roots = discover(cwd, Some(home), &every_agent(cwd))
        .into_iter()
        .map(|root| {
            let scope = if root.project.is_some() {
                Scope::Project
            } else {
                Scope::User
            };
            Root {
                path: root.path,
                scope,
                admitted: true,
            }
        });
    roots.collect()
}

fn unique(taken: &BTreeMap<String, String>, name: &str) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names
        .find(|name| !taken.contains_key(name))
        .expect("numbers do not end")
}

impl Scope {
    fn name(&self) -> &str {
        match self {
            Scope::Builtin => "builtin",
            Scope::Project => "project",
            Scope::User => "user",
            Scope::Plugin(name) => name,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if matches!(self, Scope::Plugin(_)) {
            f.write_str("plugin:")?;
        }
        f.write_str(self.name())
    }
}
