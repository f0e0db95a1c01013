//! The content of installed skills that the user accepted.

use std::collections::BTreeSet;
use std::path::PathBuf;

use repertoire::render::ApprovalFile;
use repertoire::skill::Digest;
use serde::{Deserialize, Serialize};

use crate::Environment;
use crate::failure::Failure;

/// The content that the user accepted, in a file that only the user can have written.
#[derive(Debug)]
pub(crate) struct AcceptedContent(ApprovalFile<AcceptedManifests>);

/// The digests of the manifests of accepted content.
#[derive(Debug, Default, Serialize, Deserialize)]
struct AcceptedManifests {
    #[serde(default)]
    accepted: BTreeSet<Digest>,
}

impl AcceptedContent {
    /// Returns the place of the file; `None` if the folder of the user's state is unknown.
    pub(crate) fn path(environment: &Environment<'_>) -> Option<PathBuf> {
        Some(environment.own_state()?.join("accepted.json"))
    }

    pub(crate) fn read(environment: &Environment<'_>) -> Result<AcceptedContent, Failure> {
        let path = AcceptedContent::path(environment).ok_or_else(|| {
            Failure::new("the folder for accepted content is unknown")
                .help("set `HOME` or `XDG_STATE_HOME`")
        })?;
        let read = ApprovalFile::read(&path);
        read.map(AcceptedContent)
            .map_err(|why| Failure::new(format!("cannot read `{}`: {why}", path.display())))
    }

    pub(crate) fn has(&self, manifest: &Digest) -> bool {
        self.0.document.accepted.contains(manifest)
    }

    /// Accepts content, and writes the file.
    pub(crate) fn accept(
        &mut self,
        manifests: impl IntoIterator<Item = Digest>,
    ) -> Result<(), Failure> {
        self.0.document.accepted.extend(manifests);
        let written = self.0.write();
        written.map_err(|why| Failure::new(format!("cannot write the accepted content: {why}")))
    }
}
