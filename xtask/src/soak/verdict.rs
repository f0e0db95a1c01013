//! The difference between a registry and a fresh scan.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use repertoire::registry::{Candidate, Snapshot};
use repertoire::skill::{Digest, Manifest};
use repertoire::source::fs::WatchOptions;
use repertoire::{FsSource, Skill, SkillRegistry};

use super::Tree;
use crate::Failure;

/// The difference between a registry and a fresh scan.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// Skills that are there, and that the registry does not have, or not as they are.
    lost: Vec<String>,
    /// Skills that the registry has, and that are not there.
    stale: Vec<String>,
    /// The skills of a fresh scan, with the digests of each `SKILL.md` and of the files beside it.
    found: BTreeMap<String, (Candidate<Skill>, Digest, Digest)>,
}

impl Verdict {
    /// Compares `view` with a scan of `tree` made now.
    pub(crate) async fn of(tree: &Tree, view: &Snapshot<Skill>) -> Result<Verdict, Failure> {
        // The same kind of source as the live one, so that their revisions can be compared.
        let source = FsSource::new("soak", tree.root()).watching(WatchOptions::default());
        let fresh = SkillRegistry::builder().user(source).load().await?;
        let mut verdict = Verdict::default();
        for entry in fresh.list() {
            let (body, files) = (
                fresh.body(&entry.candidate).await?,
                fresh.resources(&entry.candidate).await?,
            );
            let found = (
                entry.candidate.clone(),
                body.digest,
                Manifest::new(files)?.digest(),
            );
            if !view
                .get(entry.id.as_str())
                .is_some_and(|live| is_same(&live.candidate, &found))
            {
                verdict.lost.push(entry.id.to_string());
            }
            verdict.found.insert(entry.id.to_string(), found);
        }
        let broken = tree.broken();
        let is_kept = |candidate: &Candidate<Skill>| {
            let file = candidate.item.location.as_deref();
            file.is_some_and(|file| broken.contains(Path::new(file)))
        };
        let gone = view
            .entries()
            .iter()
            .filter(|live| !verdict.found.contains_key(live.id.as_str()));
        verdict.stale = gone
            .filter(|live| !is_kept(&live.candidate))
            .map(|live| live.id.to_string())
            .collect();
        Ok(verdict)
    }

    /// Returns whether no skill is lost or stale.
    pub(crate) fn is_good(&self) -> bool {
        self.lost.is_empty() && self.stale.is_empty()
    }

    /// Reads the body of every skill through `registry`.
    pub(crate) async fn read(&self, registry: &SkillRegistry) -> Result<(), Failure> {
        for (id, (_, digest, _)) in &self.found {
            let live = registry
                .get(id)
                .ok_or_else(|| format!("`{id}` is gone although nothing is edited"))?;
            if registry.body(&live.candidate).await?.digest != *digest {
                return Err(format!("the body of `{id}` is not the one of its file").into());
            }
        }
        Ok(())
    }

    /// Names what is lost and stale.
    pub(crate) fn explain(&self) {
        self.lost
            .iter()
            .for_each(|id| eprintln!("soak: lost `{id}`"));
        self.stale
            .iter()
            .for_each(|id| eprintln!("soak: stale `{id}`"));
    }
}

/// Returns whether the row equals the scanned skill: by content where the registry has it, else by the version of the files.
fn is_same(
    live: &Candidate<Skill>,
    (found, digest, resources): &(Candidate<Skill>, Digest, Digest),
) -> bool {
    let content = match (live.digest, &live.parts) {
        (Some(known), Some(parts)) => known == *digest && parts.resources == *resources,
        _ => live.stamp == found.stamp,
    };
    content && live.item == found.item
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lost, {} stale", self.lost.len(), self.stale.len())
    }
}

impl From<Verdict> for Failure {
    fn from(verdict: Verdict) -> Failure {
        format!("after everything was quiet: {verdict}").into()
    }
}
