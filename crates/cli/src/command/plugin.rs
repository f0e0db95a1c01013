//! `repertoire plugin`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use repertoire::skill::Digest;
use repertoire::skill::text::command_argument;
use repertoire::source::approvals_in;
use repertoire::source::plugin::{Inspection, PluginApprovals, PluginError};
use serde::Serialize;

use super::scaffold::{CrateOptions, CrateTemplate};
use crate::Environment;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::TextTable;

/// Inspect, approve, revoke and scaffold source plugins.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire plugin inspect ./libacme.so")]
pub(crate) struct PluginCommand {
    #[command(subcommand)]
    action: PluginAction,
}

#[derive(Debug, Subcommand)]
enum PluginAction {
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
    /// Scaffold a plugin crate in Rust, with the source conformance tests.
    #[command(after_help = "Example:\n  repertoire plugin new acme-skills")]
    New(CrateOptions),
}

const TEMPLATE: CrateTemplate = CrateTemplate {
    kind: "plugin",
    files: &[
        (
            "Cargo.toml",
            include_str!("../../template/plugin/Cargo.toml.template"),
        ),
        (
            "src/lib.rs",
            include_str!("../../template/plugin/src/lib.rs"),
        ),
        (
            "tests/it.rs",
            include_str!("../../template/plugin/tests/it.rs"),
        ),
    ],
};

/// The approved plugins.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PluginListOutput {
    #[cfg_attr(feature = "schema", schemars(extend("const" = "list")))]
    action: &'static str,
    plugins: Vec<ApprovedPlugin>,
}

/// An approved plugin.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ApprovedPlugin {
    path: PathBuf,
    name: String,
    version: String,
    digest: Digest,
    /// The result of comparing the file with its approved content.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PluginInspectOutput {
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
    /// The state of the approval of the file's content.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["approved", "changed", "none"])))]
    approval: &'static str,
    #[serde(flatten)]
    libraries: Libraries,
    /// The names that it exports.
    symbols: Vec<String>,
}

/// An approval of a plugin that was given or revoked.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PluginDecisionOutput {
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

impl PluginCommand {
    pub(super) fn run(
        &self,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let (cwd, state) = (environment.cwd.clone(), environment.own_state());
        let state = state.as_deref();
        match &self.action {
            PluginAction::List => list(&approvals(state)?, out),
            PluginAction::Inspect { path } => inspect(&cwd.join(path), state, out)?,
            PluginAction::Approve { path, yes } => {
                let inspected = Inspection::read(&cwd.join(path))?;
                if !yes {
                    confirm(&inspected, path, environment)?;
                }
                approve(inspected, approvals(state)?)?.write(out);
            }
            PluginAction::Revoke { path } => revoke(cwd.join(path), approvals(state)?)?.write(out),
            PluginAction::New(options) => options.run(&TEMPLATE, &cwd, out)?,
        }
        Ok(())
    }
}

fn approvals(state: Option<&Path>) -> Result<PluginApprovals, Failure> {
    let Some(state) = state else {
        return Err(
            Failure::new("the state folder is unknown").help("set `HOME` or `XDG_STATE_HOME`")
        );
    };
    Ok(PluginApprovals::read(approvals_in(state))?)
}

/// Asks the user to approve the content that was inspected.
fn confirm(
    inspected: &Inspection,
    path: &Path,
    environment: &mut Environment<'_>,
) -> Result<(), Failure> {
    let Inspection {
        name,
        version,
        digest,
        ..
    } = inspected;
    environment.write_stderr(&format!("{name} {version}  {digest}\n"));
    let question = "Allow this library to run while its content is unchanged?";
    let unanswered = Failure::new("cannot prompt: standard input is not a terminal").help(format!(
        "review with `repertoire plugin inspect {}`, then pass --yes",
        command_argument(&path.to_string_lossy())
    ));
    environment.confirm(question, "not approved", unanswered)
}

fn list(approvals: &PluginApprovals, out: &mut Output) {
    let plugins = approvals.plugins().iter().map(|approval| {
        let found = Inspection::read(&approval.path);
        let state = match &found {
            Ok(found) if found.digest == approval.digest => "approved",
            Err(PluginError::Unreadable { .. }) => "missing",
            Err(PluginError::Writable { .. }) => "writable",
            Err(PluginError::Dependency { .. }) => "refused",
            Ok(_) | Err(_) => "changed",
        };
        ApprovedPlugin {
            path: approval.path.clone(),
            name: approval.name.clone(),
            version: approval.version.clone(),
            digest: approval.digest,
            state,
            libraries: found.map(Libraries::of).unwrap_or_default(),
        }
    });
    let approved = PluginListOutput {
        action: "list",
        plugins: plugins.collect(),
    };
    if out.write_json(&approved) {
        return;
    }
    let mut table = TextTable::new(&["name", "version", "state", "path", "needs"]);
    for ApprovedPlugin {
        name,
        version,
        state,
        path,
        libraries,
        ..
    } in &approved.plugins
    {
        let needs = libraries.needed.join(" ");
        table.row([
            name.into(),
            version.into(),
            state.into(),
            path.to_string_lossy().into(),
            needs.into(),
        ]);
    }
    table.write(out);
    out.notes(
        approved
            .plugins
            .is_empty()
            .then(|| "no approved plugins".to_owned()),
    );
}

fn inspect(path: &Path, state: Option<&Path>, out: &mut Output) -> Result<(), Failure> {
    let Inspection {
        path,
        name,
        version,
        abi,
        architecture,
        size,
        digest,
        symbols,
        needed,
        run_path,
        ..
    } = Inspection::read(path)?;
    let approvals = state.map(|state| approvals(Some(state))).transpose()?;
    let approval = match approvals
        .as_ref()
        .and_then(|approvals| approvals.find(&path))
    {
        Some(approval) if approval.digest == digest => "approved",
        Some(_) => "changed",
        None => "none",
    };
    let (action, libraries) = ("inspect", Libraries { needed, run_path });
    let inspected = PluginInspectOutput {
        action,
        path,
        name,
        version,
        abi,
        architecture,
        size,
        digest,
        approval,
        libraries,
        symbols,
    };
    if !out.write_json(&inspected) {
        inspected.write(out);
    }
    Ok(())
}

fn approve(
    inspected: Inspection,
    mut approvals: PluginApprovals,
) -> Result<PluginDecisionOutput, Failure> {
    let previous = approvals.approve(&inspected)?;
    Ok(PluginDecisionOutput {
        action: "approve",
        previous: previous
            .map(|old| old.digest)
            .filter(|old| *old != inspected.digest),
        path: inspected.path.clone(),
        name: inspected.name.clone(),
        version: inspected.version.clone(),
        digest: inspected.digest,
        libraries: Libraries::of(inspected),
    })
}

fn revoke(path: PathBuf, mut approvals: PluginApprovals) -> Result<PluginDecisionOutput, Failure> {
    // A file that is gone cannot be resolved.
    let path = path.canonicalize().unwrap_or(path);
    let Some(old) = approvals.revoke(&path)? else {
        let failure = Failure::new(format!("the plugin `{}` is not approved", path.display()));
        return Err(failure.help("run `repertoire plugin list` to see the approved plugins"));
    };
    let (path, name, version, digest) = (old.path, old.name, old.version, old.digest);
    let libraries = Libraries::default();
    Ok(PluginDecisionOutput {
        action: "revoke",
        path,
        name,
        version,
        digest,
        previous: None,
        libraries,
    })
}

impl Libraries {
    fn of(inspection: Inspection) -> Libraries {
        Libraries {
            needed: inspection.needed,
            run_path: inspection.run_path,
        }
    }

    fn write(&self, out: &mut Output) {
        self.needed
            .iter()
            .for_each(|library| write_row("needs", library, out));
        self.run_path
            .iter()
            .for_each(|folder| write_row("run path", folder, out));
    }
}

fn write_row(name: &str, value: &str, out: &mut Output) {
    out.line(format!("{name:<9} {value}"));
}

impl PluginInspectOutput {
    fn write(&self, out: &mut Output) {
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
            write_row(name, value, out);
        }
        self.libraries.write(out);
        self.symbols
            .iter()
            .for_each(|symbol| write_row("exports", symbol, out));
    }
}

impl PluginDecisionOutput {
    fn write(&self, out: &mut Output) {
        if out.write_json(self) {
            return;
        }
        out.line(format!("{} {}  {}", self.name, self.version, self.digest));
        self.libraries.write(out);
        out.notes(
            self.previous
                .map(|old| format!("replaces the approval of {old}")),
        );
    }
}
