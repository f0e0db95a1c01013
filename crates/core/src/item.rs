//! The items that a registry merges.

use std::fmt::Debug;

use crate::Id;

/// A kind of thing that sources list and a registry merges.
///
/// Merging needs an id and equality. The location is for people.
pub trait Item: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// The kind in one lower-case word, for messages: `skill`.
    const KIND: &'static str;

    /// The id, unique inside one listing.
    fn id(&self) -> &Id;

    /// Returns what the item is for, in a sentence. Default: unknown.
    fn description(&self) -> Option<&str> {
        None
    }

    /// Returns where the item comes from, for people and messages. Never parsed. Default: unknown.
    fn location(&self) -> Option<&str> {
        None
    }

    /// Returns the real path of the file behind the item, every link resolved, if the source has read that very file.
    /// Two items of one real location are one thing, reached twice. Default: none.
    #[doc(hidden)]
    fn real_location(&self) -> Option<&str> {
        None
    }
}
