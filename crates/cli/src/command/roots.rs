//! `repertoire roots`.

use std::io;

use clap::Args;
use repertoire::registry::{Registry, Tier};
use repertoire::skill::Code;
use repertoire::source::fs::RootReport;
use repertoire::{Skill, Trust};
use serde::Serialize;

use crate::Stream;
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::output::CommandOutput;
use crate::table::Table;

/// List the folders searched and how many skills each holds.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire roots --client all")]
pub(crate) struct Roots {}

/// The folders searched.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Places<'a> {
    roots: Vec<Place<'a>>,
    #[serde(skip)]
    context: &'a CommandContext,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Place<'a> {
    source: &'a str,
    tier: Tier,
    trust: Trust,
    /// A folder; null for a source that does not search folders.
    path: Option<String>,
    exists: bool,
    skills: usize,
}

impl Roots {
    pub(super) async fn run<'a>(&self, context: &'a CommandContext) -> Result<Places<'a>, Failure> {
        let mut roots = Vec::new();
        for layer in context.snapshot.layers() {
            let source = layer.origin.source.as_ref();
            let (tier, trust) = (layer.origin.tier, layer.trust);
            match context.folders.iter().find(|(name, _)| name == source) {
                Some((_, folders)) => {
                    for RootReport { path, exists, skills, .. } in folders.roots().await? {
                        let path = Some(path.to_string_lossy().into_owned());
                        roots.push(Place { source, tier, trust, path, exists, skills });
                    }
                }
                None if source == Registry::<Skill>::REGISTERED => {}
                None => {
                    let skills = layer.listing.len();
                    roots.push(Place { source, tier, trust, path: None, exists: true, skills });
                }
            }
        }
        Ok(Places { roots, context })
    }
}

impl Places<'_> {
    fn is_unreadable(&self, place: &Place<'_>) -> bool {
        let mut diagnostics = self.context.snapshot.diagnostics().iter().map(|one| &one.diagnostic);
        diagnostics.any(|one| one.code == Code::UNREADABLE && one.path.as_deref() == place.path.as_deref())
    }
}

impl CommandOutput for Places<'_> {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["source", "tier", "trust", ">skills", "path"]);
        for place in &self.roots {
            let skills = match place.exists {
                true => place.skills.to_string(),
                false if self.is_unreadable(place) => "unreadable".to_owned(),
                false => "not found".to_owned(),
            };
            table.row([
                place.source.into(),
                place.tier.to_string().into(),
                place.trust.to_string().into(),
                skills.into(),
                place.path.as_deref().map_or("", |path| self.context.relative_path(path)).into(),
            ]);
        }
        table.write(out)
    }

    fn notes(&self) -> Vec<String> {
        if self.roots.is_empty() {
            vec!["no folders searched".to_owned()]
        } else {
            Vec::from_iter(self.context.pending())
        }
    }
}
