//! Content that rules deny.

use repertoire_core::{Digest, Id, Item, Manifest, SourceError, SourceErrorKind};

use crate::RuleStack;
use crate::mount::Mount;

/// The rules in force, if they deny any content.
#[derive(Debug)]
pub(crate) struct ContentCheck(Option<RuleStack>);

impl ContentCheck {
    pub(crate) fn new(rules: &RuleStack) -> ContentCheck {
        ContentCheck(rules.denies_content().then(|| rules.clone()))
    }

    /// Refuses an item if all of its files, or one of them, are denied. Nothing is read unless a rule denies content.
    pub(crate) async fn check_item<T: Item>(
        &self,
        mount: &Mount<T>,
        id: &Id,
    ) -> Result<(), SourceError> {
        if self.0.is_none() {
            return Ok(());
        }
        self.check_manifest(id, &mount.manifest(id).await?)
    }

    /// Refuses files that are denied, each or all together.
    pub(crate) fn check_manifest(&self, id: &Id, manifest: &Manifest) -> Result<(), SourceError> {
        if self.0.is_none() {
            return Ok(());
        }
        self.check_digest(id, manifest.digest())?;
        for file in manifest.files() {
            self.check_digest(id, file.digest)?;
        }
        // What is installed has no secrets and nothing but files.
        let installed = manifest.files().iter().filter(|file| !file.path.is_apart());
        let installed = Manifest::new(installed.cloned());
        let installed = installed.map_err(|error| SourceError::invalid(error.to_string()))?;
        self.check_digest(id, installed.digest())
    }

    /// Refuses content that is denied.
    pub(crate) fn check_digest(&self, id: &Id, content: Digest) -> Result<(), SourceError> {
        let level = self.0.as_ref().and_then(|rules| rules.denying(&content));
        match level {
            None => Ok(()),
            Some(level) => Err(SourceError::new(
                SourceErrorKind::Denied,
                format!("the content `{content}` of `{id}` is denied by the rules of `{level}`"),
            )),
        }
    }

    /// Refuses bytes that are denied.
    pub(crate) fn check_bytes(&self, id: &Id, bytes: &[u8]) -> Result<(), SourceError> {
        match self.0 {
            None => Ok(()),
            Some(_) => self.check_digest(id, Digest::of(bytes)),
        }
    }
}
