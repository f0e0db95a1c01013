//! `repertoire roots`.

use clap::Args;
use repertoire::registry::{Registry, Tier};
use repertoire::skill::Code;
use repertoire::source::fs::RootReport;
use repertoire::{Skill, Trust};
use serde::Serialize;

use crate::context::CommandContext;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::TextTable;

/// List the folders searched and how many skills each holds.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire roots --agent all")]
pub(crate) struct RootsCommand {}

/// The folders searched.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RootsOutput<'a> {
    roots: Vec<RootRow<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RootRow<'a> {
    source: &'a str,
    tier: Tier,
    trust: Trust,
    /// A folder; null for a source that does not search folders.
    path: Option<String>,
    exists: bool,
    skills: usize,
}

impl RootsCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let found = RootsOutput {
            roots: find_roots(context).await?,
        };
        if out.write_json(&found) {
            return Ok(());
        }
        let mut table = TextTable::new(&["source", "tier", "trust", ">skills", "path"]);
        for row in &found.roots {
            let skills = match row.exists {
                true => row.skills.to_string(),
                false if row.is_unreadable(context) => "unreadable".to_owned(),
                false => "not found".to_owned(),
            };
            table.row([
                row.source.into(),
                row.tier.to_string().into(),
                row.trust.to_string().into(),
                skills.into(),
                row.path
                    .as_deref()
                    .map_or("", |path| context.relative_path(path))
                    .into(),
            ]);
        }
        table.write(out);
        out.notes(match found.roots.is_empty() {
            true => Some("no folders searched".to_owned()),
            false => context.pending(),
        });
        Ok(())
    }
}

async fn find_roots<'a>(context: &'a CommandContext) -> Result<Vec<RootRow<'a>>, Failure> {
    let mut roots = Vec::new();
    for layer in context.snapshot.layers() {
        let source = layer.origin.source.as_ref();
        let (tier, trust) = (layer.origin.tier, layer.trust);
        match context.folders.iter().find(|(name, _)| name == source) {
            Some((_, folders)) => {
                for RootReport {
                    path,
                    exists,
                    skills,
                    ..
                } in folders.roots().await?
                {
                    let path = Some(path.to_string_lossy().into_owned());
                    roots.push(RootRow {
                        source,
                        tier,
                        trust,
                        path,
                        exists,
                        skills,
                    });
                }
            }
            None if source == Registry::<Skill>::REGISTERED => {}
            None => {
                let skills = layer.listing.len();
                roots.push(RootRow {
                    source,
                    tier,
                    trust,
                    path: None,
                    exists: true,
                    skills,
                });
            }
        }
    }
    Ok(roots)
}

impl RootRow<'_> {
    fn is_unreadable(&self, context: &CommandContext) -> bool {
        let mut diagnostics = context
            .snapshot
            .diagnostics()
            .iter()
            .map(|one| &one.diagnostic);
        diagnostics
            .any(|one| one.code == Code::UNREADABLE && one.path.as_deref() == self.path.as_deref())
    }
}
