//! The row of a file in the listing.

use std::sync::Arc;

use repertoire_core::{ContentDigests, Digest, ListingEntry, Skill, Stamp};

/// The row of a file, and the version that it is of.
#[derive(Debug, Clone)]
pub(crate) struct ListedRow {
    pub(crate) item: Arc<Skill>,
    /// The stamp in the listing, which stays as long as the content is known to be the same.
    pub(crate) stamp: Stamp,
    /// The fingerprint of the last version that has this row.
    pub(crate) version: Stamp,
    /// The digests of the content, if it was read.
    content: Option<Arc<Content>>,
}

#[derive(Debug, PartialEq)]
struct Content {
    digest: Digest,
    parts: Arc<ContentDigests>,
}

impl ListedRow {
    /// Creates the row of a version whose content was not read.
    pub(crate) fn new(item: impl Into<Arc<Skill>>, version: Stamp) -> ListedRow {
        ListedRow {
            item: item.into(),
            stamp: version,
            version,
            content: None,
        }
    }

    /// Returns the row with these digests of its content.
    pub(super) fn with_content(&self, digest: Digest, parts: ContentDigests) -> ListedRow {
        let parts = Arc::new(parts);
        ListedRow {
            content: Some(Arc::new(Content { digest, parts })),
            ..self.clone()
        }
    }

    /// Returns the row that `self` lists, as the row of the version of `later`.
    pub(super) fn of_version(&self, later: &ListedRow) -> ListedRow {
        ListedRow {
            version: later.version,
            ..self.clone()
        }
    }

    pub(crate) fn is_content_known(&self) -> bool {
        self.content.is_some()
    }

    /// Returns whether both have the same item and content. Contents that are not known are the same.
    pub(super) fn has_content_of(&self, other: &ListedRow) -> bool {
        self.item == other.item && self.content == other.content
    }

    /// Returns whether both are listed as the same row.
    pub(crate) fn lists_like(&self, other: &ListedRow) -> bool {
        self.stamp == other.stamp && self.has_content_of(other)
    }

    /// Returns the row as the listing has it.
    pub(crate) fn entry(&self) -> ListingEntry<Skill> {
        let entry = ListingEntry::new(Arc::clone(&self.item), self.stamp);
        match self.content.as_deref() {
            Some(Content { digest, parts }) => {
                entry.with_digest(*digest).with_parts(Arc::clone(parts))
            }
            None => entry,
        }
    }
}
