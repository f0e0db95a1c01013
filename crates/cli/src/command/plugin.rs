//! `repertoire plugin`.

pub(super) mod scaffold;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use repertoire::skill::Digest;
use repertoire::skill::text::terminal_line;
use repertoire::source::approvals_in;
use repertoire::source::plugin::{Inspection, PluginApprovals, PluginError};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::CommandOutput;
use crate::table::Table;
use crate::{Environment, Stream};

/// Inspect, approve, revoke and scaffold source plugins.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire plugin inspect ./libacme.so")]
pub(crate) struct Plugin {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List approved plugins and whether their files have changed.
    #[command(after_help = "Example:\n  repertoire plugin list")]
    List,
    /// Show a plugin's metadata without loading it.
    #[command(after_help = "Example:\n  repertoire plugin inspect ./libacme.so")]
    Inspect {
        /// Path of the library.
        path: PathBuf,
    },
    /// Approve the current contents of a plugin file; any change revokes the approval.
    #[command(after_help = "Example:\n  repertoire plugin approve ./libacme.so")]
    Approve {
        /// Path of the library.
        path: PathBuf,
        /// Skip the prompt (review `repertoire plugin inspect PATH` first).
        #[arg(long)]
        yes: bool,
    },
    /// Revoke the approval of a plugin.
    #[command(after_help = "Example:\n  repertoire plugin revoke ./libacme.so")]
    Revoke {
        /// Path of the library; the file may be gone.
        path: PathBuf,
    },
    New(scaffold::New),
}

/// The approved plugins.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ApprovedPlugins"))]
pub(super) struct Approved {
    #[cfg_attr(feature = "schema", schemars(extend("const" = "list")))]
    action: &'static str,
    plugins: Vec<Row>,
}

/// An approved plugin.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ApprovedPlugin"))]
struct Row {
    path: PathBuf,
    name: String,
    version: String,
    digest: Digest,
    /// Whether the file still has the approved content.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["approved", "changed", "missing", "refused", "writable"])))]
    state: &'static str,
    #[serde(flatten)]
    libraries: Libraries,
}

/// The libraries that the system loads with a plugin, which its digest does not cover.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Libraries {
    /// The names of the libraries.
    needed: Vec<String>,
    /// The folders that the system searches for them first.
    run_path: Vec<String>,
}

/// The metadata of a plugin.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "InspectedPlugin"))]
pub(super) struct Inspected {
    #[cfg_attr(feature = "schema", schemars(extend("const" = "inspect")))]
    action: &'static str,
    path: PathBuf,
    name: String,
    version: String,
    /// The version of the plugin interface, as in `1.0`.
    abi: String,
    architecture: String,
    size: u64,
    digest: Digest,
    /// Whether the content of the file is approved.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["approved", "changed", "none"])))]
    approval: &'static str,
    #[serde(flatten)]
    libraries: Libraries,
    /// The names that it exports.
    symbols: Vec<String>,
}

/// An approval of a plugin that was given or revoked.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DecidedPlugin"))]
pub(super) struct Decision {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["approve", "revoke"])))]
    action: &'static str,
    path: PathBuf,
    name: String,
    version: String,
    digest: Digest,
    /// The digest that was approved at this path before.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<Digest>,
    #[serde(flatten)]
    libraries: Libraries,
}

impl Plugin {
    pub(super) fn run(&self, cwd: &Path, environment: &mut Environment<'_>) -> Result<Box<dyn CommandOutput>, Failure> {
        let state = environment.own_state();
        let state = state.as_deref();
        Ok(match &self.action {
            Action::List => Box::new(Approved::of(&approvals(state)?)),
            Action::Inspect { path } => Box::new(Inspected::read(&cwd.join(path), state)?),
            Action::Approve { path, yes } => {
                let inspected = inspect(&cwd.join(path))?;
                if !yes {
                    confirm(&inspected, path, environment)?;
                }
                Box::new(Decision::approve(inspected, approvals(state)?)?)
            }
            Action::Revoke { path } => Box::new(Decision::revoke(cwd.join(path), approvals(state)?)?),
            Action::New(new) => Box::new(new.run(cwd)?),
        })
    }
}

fn approvals(state: Option<&Path>) -> Result<PluginApprovals, Failure> {
    let Some(state) = state else {
        return Err(Failure::new("the state folder is unknown").help("set `HOME` or `XDG_STATE_HOME`"));
    };
    PluginApprovals::read(approvals_in(state)).map_err(|error| Failure::of(&error))
}

fn inspect(path: &Path) -> Result<Inspection, Failure> {
    Inspection::read(path).map_err(|error| Failure::of(&error))
}

/// Asks the user to approve the content that was inspected.
fn confirm(inspected: &Inspection, path: &Path, environment: &mut Environment<'_>) -> Result<(), Failure> {
    let Inspection { name, version, digest, .. } = inspected;
    environment.say(&format!("{name} {version}  {digest}\n"));
    match environment.ask("Allow this library to run while its content is unchanged?") {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::new("not approved")),
        None => Err(Failure::new("cannot prompt: standard input is not a terminal")
            .help(format!("review with `repertoire plugin inspect {}`, then pass --yes", path.display()))),
    }
}

impl Approved {
    fn of(approvals: &PluginApprovals) -> Approved {
        let plugins = approvals.plugins().iter().map(|approval| {
            let found = Inspection::read(&approval.path);
            let state = match &found {
                Ok(found) if found.digest == approval.digest => "approved",
                Err(PluginError::Unreadable { .. }) => "missing",
                Err(PluginError::Writable { .. }) => "writable",
                Err(PluginError::Dependency { .. }) => "refused",
                Ok(_) | Err(_) => "changed",
            };
            Row {
                path: approval.path.clone(),
                name: approval.name.clone(),
                version: approval.version.clone(),
                digest: approval.digest,
                state,
                libraries: found.map(Libraries::of).unwrap_or_default(),
            }
        });
        Approved { action: "list", plugins: plugins.collect() }
    }
}

impl Libraries {
    fn of(inspection: Inspection) -> Libraries {
        Libraries { needed: inspection.needed, run_path: inspection.run_path }
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        self.needed.iter().try_for_each(|library| write_row(out, "needs", library))?;
        self.run_path.iter().try_for_each(|folder| write_row(out, "run path", folder))
    }
}

impl Inspected {
    fn read(path: &Path, state: Option<&Path>) -> Result<Inspected, Failure> {
        let Inspection { path, name, version, abi, architecture, size, digest, symbols, needed, run_path, .. } =
            inspect(path)?;
        let approvals = state.map(|state| approvals(Some(state))).transpose()?;
        let approval = match approvals.as_ref().and_then(|approvals| approvals.find(&path)) {
            Some(approval) if approval.digest == digest => "approved",
            Some(_) => "changed",
            None => "none",
        };
        let (action, libraries) = ("inspect", Libraries { needed, run_path });
        Ok(Inspected { action, path, name, version, abi, architecture, size, digest, approval, libraries, symbols })
    }
}

impl Decision {
    fn approve(inspected: Inspection, mut approvals: PluginApprovals) -> Result<Decision, Failure> {
        let previous = approvals.approve(&inspected)?;
        Ok(Decision {
            action: "approve",
            previous: previous.map(|old| old.digest).filter(|old| *old != inspected.digest),
            path: inspected.path.clone(),
            name: inspected.name.clone(),
            version: inspected.version.clone(),
            digest: inspected.digest,
            libraries: Libraries::of(inspected),
        })
    }

    fn revoke(path: PathBuf, mut approvals: PluginApprovals) -> Result<Decision, Failure> {
        // A file that is gone cannot be resolved.
        let path = path.canonicalize().unwrap_or(path);
        let Some(old) = approvals.revoke(&path)? else {
            let failure = Failure::new(format!("the plugin `{}` is not approved", path.display()));
            return Err(failure.help("run `repertoire plugin list` to see the approved plugins"));
        };
        let (path, name, version, digest) = (old.path, old.name, old.version, old.digest);
        let libraries = Libraries::default();
        Ok(Decision { action: "revoke", path, name, version, digest, previous: None, libraries })
    }
}

fn write_row(out: &mut Stream<'_>, name: &str, value: &str) -> io::Result<()> {
    writeln!(out, "{name:<9} {}", terminal_line(value))
}

impl CommandOutput for Approved {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["name", "version", "state", "path", "needs"]);
        for Row { name, version, state, path, libraries, .. } in &self.plugins {
            let needs = libraries.needed.join(" ");
            table.row([name.into(), version.into(), state.into(), path.to_string_lossy().into(), needs.into()]);
        }
        table.write(out)
    }

    fn notes(&self) -> Vec<String> {
        if self.plugins.is_empty() { vec!["no approved plugins".to_owned()] } else { Vec::new() }
    }
}

impl CommandOutput for Inspected {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        for (name, value) in [
            ("path", &*self.path.to_string_lossy()),
            ("name", &self.name),
            ("version", &self.version),
            ("interface", &self.abi),
            ("machine", &self.architecture),
            ("size", &format!("{} bytes", self.size)),
            ("digest", &self.digest.to_string()),
            ("approval", self.approval),
        ] {
            write_row(out, name, value)?;
        }
        self.libraries.write(out)?;
        self.symbols.iter().try_for_each(|symbol| write_row(out, "exports", symbol))
    }
}

impl CommandOutput for Decision {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let (name, version) = (terminal_line(&self.name), terminal_line(&self.version));
        writeln!(out, "{name} {version}  {}", self.digest)?;
        self.libraries.write(out)
    }

    fn notes(&self) -> Vec<String> {
        self.previous.iter().map(|old| format!("replaces the approval of {old}")).collect()
    }
}
