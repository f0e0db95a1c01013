//! `repertoire roots`.

use std::io;

use clap::Args;
use repertoire::{Code, Registry, Skill, Tier, Trust};
use serde::Serialize;
use serde_json::Value;

use crate::Stream;
use crate::answer::{Answer, json};
use crate::failure::Failure;
use crate::session::Session;
use crate::table::Table;

/// Show every place that was looked at, whether it is there and what it holds.
#[derive(Debug, Args)]
pub(crate) struct Roots {}

/// Every place that was looked at.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Places<'a> {
    roots: Vec<Place<'a>>,
    #[serde(skip)]
    session: &'a Session<'a>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Place<'a> {
    source: &'a str,
    tier: Tier,
    trust: Trust,
    /// A folder; null for a source that searches none.
    path: Option<String>,
    exists: bool,
    skills: usize,
}

impl Roots {
    pub(crate) async fn answer<'a>(&self, session: &'a Session<'_>) -> Result<impl Answer + 'a, Failure> {
        let mut roots = Vec::new();
        for layer in session.snapshot.layers() {
            let source = layer.origin.source.as_ref();
            let place = |path, exists, skills| Place {
                source,
                tier: layer.origin.tier,
                trust: layer.trust,
                path,
                exists,
                skills,
            };
            match session.folders.iter().find(|(name, _)| name == source) {
                Some((_, folders)) => {
                    let reports = folders.roots().await.map_err(|error| Failure::of(&error))?;
                    roots.extend(reports.iter().map(|report| {
                        place(Some(report.path.to_string_lossy().into_owned()), report.exists, report.skills)
                    }));
                }
                None if source == Registry::<Skill>::REGISTERED => {}
                None => roots.push(place(None, true, layer.listing.len())),
            }
        }
        Ok(Places { roots, session })
    }
}

impl Places<'_> {
    /// Whether there is something at a place that could not be searched.
    fn is_unreadable(&self, place: &Place<'_>) -> bool {
        let mut findings = self.session.snapshot.diagnostics().iter().map(|finding| &finding.diagnostic);
        findings.any(|finding| finding.code == Code::UNREADABLE && finding.path.as_deref() == place.path.as_deref())
    }
}

impl Answer for Places<'_> {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["source", "tier", "trust", ">skills", "root"]);
        for place in &self.roots {
            let skills = match place.exists {
                true => place.skills.to_string(),
                false if self.is_unreadable(place) => "unreadable".to_owned(),
                false => "missing".to_owned(),
            };
            table.row([
                place.source.into(),
                place.tier.to_string().into(),
                place.trust.to_string().into(),
                skills.into(),
                place.path.as_deref().map_or("", |path| self.session.near(path)).into(),
            ]);
        }
        let coloured = out.is_coloured();
        table.write(out, coloured)
    }

    fn notes(&self) -> Vec<String> {
        if self.roots.is_empty() {
            vec!["nothing was looked at".to_owned()]
        } else {
            Vec::from_iter(self.session.pending())
        }
    }
}
