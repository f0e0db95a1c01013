//! `repertoire accept`.

use clap::Args;
use repertoire::Id;
use repertoire::skill::text::terminal_line;
use repertoire::skill::{Digest, ResourcePath};
use repertoire_install::InstalledSkill;
use serde::Serialize;

use crate::Environment;
use crate::accepted_content::AcceptedContent;
use crate::diagnostics::counted;
use crate::failure::Failure;
use crate::install_plan::short_revision;
use crate::installation::ScopeOption;
use crate::output::Output;

/// Accept the content of installed skills, which a policy restricts until then.
///
/// The policy is `restrict-new` of `[install]`. An update restricts the skill again, unless that content was accepted before.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  repertoire accept pdf\n  repertoire accept --all --yes")]
pub(crate) struct AcceptCommand {
    /// Names of installed skills, or their folders.
    #[arg(
        value_name = "NAME",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    names: Vec<String>,
    /// Accept all installed skills.
    #[arg(long)]
    all: bool,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    scope: ScopeOption,
}

/// The content that was accepted now.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct AcceptOutput {
    accepted: Vec<AcceptedSkill>,
}

/// An installed skill whose content was accepted.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AcceptedSkill {
    id: Id,
    /// The folder, relative to the lock.
    path: ResourcePath,
    reference: String,
    /// The digest of the manifest of its files.
    manifest: Digest,
}

impl AcceptCommand {
    pub(super) fn run(
        &self,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let at = self.scope.read(environment)?;
        let known = AcceptedContent::read(environment)?;
        let rows = at.named(&self.names)?.into_iter();
        let new = rows.filter(|row| !known.has(&row.manifest));
        let accepted: Vec<_> = new.map(AcceptedSkill::of).collect();
        if !accepted.is_empty() {
            if !self.yes {
                confirm(&accepted, environment)?;
            }
            // A different run may have accepted content while the user read the prompt.
            let mut store = AcceptedContent::read(environment)?;
            store.accept(accepted.iter().map(|skill| skill.manifest))?;
        }
        let output = AcceptOutput { accepted };
        if !out.write_json(&output) {
            for skill in &output.accepted {
                out.line(skill.line());
            }
            out.line(format!(
                "{} accepted",
                counted(output.accepted.len(), "skill")
            ));
        }
        Ok(())
    }
}

impl AcceptedSkill {
    fn of(row: &InstalledSkill) -> AcceptedSkill {
        AcceptedSkill {
            id: row.id.clone(),
            path: row.path.clone(),
            reference: row.reference.to_string(),
            manifest: row.manifest,
        }
    }

    fn line(&self) -> String {
        let manifest = self.manifest.to_string();
        let content = short_revision(&manifest);
        format!(
            "{}  {}  ({}, content {content})",
            self.id, self.path, self.reference
        )
    }
}

fn confirm(skills: &[AcceptedSkill], environment: &mut Environment<'_>) -> Result<(), Failure> {
    for skill in skills {
        environment.write_stderr(&format!("{}\n", terminal_line(&skill.line())));
    }
    let unanswered = Failure::new("nothing was accepted, as there is no terminal to ask on")
        .help("pass `--yes` to accept the content");
    environment.confirm("Accept this content?", "nothing was accepted", unanswered)
}
