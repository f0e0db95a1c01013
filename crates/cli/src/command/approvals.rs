//! `repertoire approvals`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
#[cfg(feature = "plugin")]
use repertoire::source::{approvals_in, plugin::PluginApprovals};
use serde::Serialize;

use crate::Environment;
use crate::command_approval::ApprovalStore;
use crate::diagnostics::counted;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::TextTable;

/// List and revoke the approvals of skills and plugins.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire approvals\n  repertoire approvals revoke home:deploy\n  repertoire approvals revoke --all"
)]
pub(crate) struct ApprovalsCommand {
    #[command(subcommand)]
    action: Option<ApprovalsAction>,
}

#[derive(Debug, Subcommand)]
enum ApprovalsAction {
    /// Revoke approvals, also those of skills and plugins that are gone.
    #[command(after_help = "Example:\n  repertoire approvals revoke home:deploy")]
    Revoke {
        /// Full name of a skill as SOURCE:NAME, its folder, or the path of a plugin.
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        names: Vec<String>,
        /// Revoke all approvals.
        #[arg(long)]
        all: bool,
    },
}

/// The approvals of the user that stay, and those that were revoked.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ApprovalsOutput {
    /// The file with the approvals of skills.
    file: Option<PathBuf>,
    approvals: Vec<ApprovalRow>,
    revoked: Vec<ApprovalRow>,
}

/// An approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ApprovalRow {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["skill", "plugin"])))]
    kind: &'static str,
    /// The full name of the skill, or the name of the plugin.
    name: String,
    /// The folder of the skill or the file of the plugin; null for a skill without a folder.
    path: Option<String>,
    /// Whether the folder or the file is still there.
    exists: bool,
}

impl ApprovalRow {
    /// Returns the approvals of the user.
    pub(super) fn all(environment: &Environment<'_>) -> Result<Vec<ApprovalRow>, Failure> {
        Ok(AllApprovals::read(environment)?.rows())
    }

    /// Returns the kind and the name, and that the folder or file is gone if it is.
    pub(super) fn sentence(&self) -> String {
        let gone = if self.exists { "" } else { " (missing)" };
        format!("{} `{}`{gone}", self.kind, self.name)
    }
}

impl ApprovalsCommand {
    pub(super) fn run(
        &self,
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let mut all = AllApprovals::read(environment)?;
        let before = all.rows();
        if let Some(ApprovalsAction::Revoke { names, all: every }) = &self.action {
            let is_named = |row: &ApprovalRow, typed: &String| {
                let path = environment.cwd.join(typed);
                let path = path.components().collect::<PathBuf>();
                *typed == row.name
                    || row
                        .path
                        .as_deref()
                        .is_some_and(|known| Path::new(known) == path)
            };
            for typed in names {
                if !before.iter().any(|row| is_named(row, typed)) {
                    let failure = Failure::new(format!("`{typed}` is not approved"));
                    return Err(failure.help("run `repertoire approvals` to see what is approved"));
                }
            }
            all.revoke(|row| *every || names.iter().any(|typed| is_named(row, typed)))?;
        }
        let approvals = all.rows();
        let mut revoked = before;
        revoked.retain(|row| !approvals.contains(row));
        let output = ApprovalsOutput {
            file: environment.approvals(),
            approvals,
            revoked,
        };
        if out.write_json(&output) {
            return Ok(());
        }
        if self.action.is_some() {
            out.line(format!(
                "revoked {}",
                counted(output.revoked.len(), "approval")
            ));
            return Ok(());
        }
        let mut table = TextTable::new(&["kind", "name", "state", "path"]);
        for row in &output.approvals {
            let state = if row.exists { "approved" } else { "missing" };
            let path = row.path.as_deref().unwrap_or_default();
            table.row([
                row.kind.into(),
                (&row.name).into(),
                state.into(),
                path.into(),
            ]);
        }
        table.write(out);
        out.notes(
            output
                .approvals
                .is_empty()
                .then(|| "no approvals".to_owned()),
        );
        Ok(())
    }
}

/// The approvals of skills and of plugins.
struct AllApprovals {
    skills: ApprovalStore,
    #[cfg(feature = "plugin")]
    plugins: Option<PluginApprovals>,
}

impl AllApprovals {
    fn read(environment: &Environment<'_>) -> Result<AllApprovals, Failure> {
        #[cfg(feature = "plugin")]
        let plugins = match environment.own_state() {
            Some(state) => Some(PluginApprovals::read(approvals_in(&state))?),
            None => None,
        };
        Ok(AllApprovals {
            skills: ApprovalStore::read(environment.approvals())?,
            #[cfg(feature = "plugin")]
            plugins,
        })
    }

    fn rows(&self) -> Vec<ApprovalRow> {
        let skills = self.skills.approvals.skills();
        let rows = skills.map(|(skill, folder)| skill_row(skill.as_ref(), folder));
        #[cfg(feature = "plugin")]
        let rows = {
            let plugins = self.plugins.iter().flat_map(PluginApprovals::plugins);
            rows.chain(plugins.map(|plugin| plugin_row(&plugin.name, &plugin.path)))
        };
        rows.collect()
    }

    fn revoke(&mut self, selects: impl Fn(&ApprovalRow) -> bool) -> Result<(), Failure> {
        let of_skill = |skill: &repertoire::Id, folder: Option<&str>| {
            selects(&skill_row(skill.as_ref(), folder))
        };
        if self.skills.approvals.revoke_where(of_skill) > 0 {
            self.skills.write()?;
        }
        #[cfg(feature = "plugin")]
        if let Some(plugins) = &mut self.plugins {
            let all = plugins.plugins().iter();
            let selected = all.filter(|plugin| selects(&plugin_row(&plugin.name, &plugin.path)));
            let paths: Vec<_> = selected.map(|plugin| plugin.path.clone()).collect();
            for path in paths {
                plugins.revoke(&path)?;
            }
        }
        Ok(())
    }
}

fn skill_row(name: &str, folder: Option<&str>) -> ApprovalRow {
    ApprovalRow {
        kind: "skill",
        name: name.to_owned(),
        path: folder.map(str::to_owned),
        exists: folder.is_none_or(|folder| Path::new(folder).is_dir()),
    }
}

#[cfg(feature = "plugin")]
fn plugin_row(name: &str, path: &Path) -> ApprovalRow {
    ApprovalRow {
        kind: "plugin",
        name: name.to_owned(),
        path: Some(path.to_string_lossy().into_owned()),
        exists: path.is_file(),
    }
}
