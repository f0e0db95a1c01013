//! Sources of items.

use std::fmt::{self, Debug};
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::text::{self, Hidden};
use crate::{
    Code, Diagnostic, Digest, Id, InvalidValue, Item, Listing, Manifest, Omission, Resource,
    ResourcePath, Revision, SourceError, SourceErrorKind, Stamp, skill_md,
};

/// The instructions of one item, read on demand.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Body {
    /// The instructions: what follows the front matter, without leading blank lines, line ends as `\n`, and without
    /// [hidden text](crate::text).
    pub text: Arc<str>,
    /// SHA-256 over the raw bytes of the whole file, front matter included.
    pub digest: Digest,
    /// The stamp of what was read. Differs from the listed one when the content is newer than the listing.
    pub stamp: Stamp,
    /// A report of the hidden text that was taken out.
    pub hidden: Option<Arc<Hidden>>,
}

impl Body {
    /// Creates a body of `text`, from which hidden text is taken out.
    pub fn new(text: impl Into<Arc<str>>, digest: Digest, stamp: Stamp) -> Body {
        let written = text.into();
        let hidden = text::hidden(&written).map(Arc::new);
        let text = if hidden.is_some() {
            text::clean(&written).into()
        } else {
            written
        };
        Body {
            text,
            digest,
            stamp,
            hidden,
        }
    }

    /// Creates the body of a whole `SKILL.md`; its report of hidden text counts the lines of the file.
    ///
    /// # Errors
    /// As [`skill_md::body`].
    pub fn of_file(bytes: &[u8], stamp: Stamp) -> Result<Body, InvalidValue> {
        let mut body = Body::new(skill_md::body(bytes)?, Digest::of(bytes), stamp);
        if let Some(hidden) = body.hidden.take() {
            let above = skill_md::lines_above_body(bytes);
            body.hidden = Some(Arc::unwrap_or_clone(hidden).moved_down(above).into());
        }
        Ok(body)
    }

    /// Returns the diagnostic about the hidden text that was taken out. The caller knows the path.
    pub fn diagnostic(&self) -> Option<Diagnostic> {
        let hidden = self.hidden.as_deref()?;
        let found = Diagnostic::new(Code::INVISIBLE_TEXT, format!("the body holds {hidden}"));
        Some(
            found
                .at(hidden.line, hidden.column)
                .help("remove them; no model gets them"),
        )
    }
}

/// A source of items: it lists what it has now, and reads bodies and resources on demand.
///
/// The host chooses the tier of a source. [`changed`](Source::changed) is level-triggered: it carries no data, so no change can be
/// lost.
///
/// # Contract
/// Each line is at least one test in the conformance suite (`repertoire-testkit`):
/// - the name is stable, could be an id, and holds no colon
/// - what is listed has the description that was written
/// - listing twice without a change gives equal listings
/// - ids in a listing are unique (the constructor of [`Listing`] sees to it)
/// - the revision is taken before reading, so a change during `list` is seen, also from a different thread
/// - every change is signalled: of an item, its body or its resources
/// - revisions never go down
/// - a change behind a row, its body or its resources, is seen in the row
/// - `list_since` gives what `list` gives
/// - what is listed can be read
/// - a body agrees with its row: the same stamp, and the digest of its content
/// - resources are sorted by path and match their bytes
/// - an unknown id is [`NotFound`](crate::SourceErrorKind::NotFound)
/// - one malformed entry is a diagnostic and hides no other
/// - an empty source is an empty listing
/// - `changed` may be dropped at any await and loses nothing
/// - `changed` of an old revision returns at once
/// - no resource path and no link leaves its skill
/// - all of it holds through `Arc<dyn Source<T>>`
///
/// ```
/// use repertoire_core::{Body, Digest, Id, ListingEntry, Listing, Revision, Skill, Source, SourceError, Stamp, async_trait};
///
/// /// One skill that never changes.
/// #[derive(Debug)]
/// struct Greeting;
///
/// const TEXT: &str = "Say hello.\n";
///
/// #[async_trait]
/// impl Source<Skill> for Greeting {
///     fn name(&self) -> &str {
///         "greeting"
///     }
///
///     async fn list(&self) -> Result<Listing<Skill>, SourceError> {
///         let id = "greet".parse().map_err(|error| SourceError::invalid("bad id").caused_by(error))?;
///         let row = ListingEntry::new(Skill::new(id, "Greets people."), Stamp::of(TEXT));
///         Ok(Listing::new(Revision(0), [row], []))
///     }
///
///     async fn body(&self, id: &Id) -> Result<Body, SourceError> {
///         match id.as_str() {
///             "greet" => Ok(Body::new(TEXT, Digest::of(TEXT.as_bytes()), Stamp::of(TEXT))),
///             _ => Err(SourceError::not_found("skill", id)),
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait Source<T: Item>: Debug + Send + Sync + 'static {
    /// Returns the name for people, ids and diagnostics. It is stable, unique in a registry, and an [`Id`] without a colon.
    fn name(&self) -> &str;

    /// Returns everything that the source has now (level 1).
    ///
    /// # Errors
    /// Only if the source cannot be listed at all. One broken entry is a diagnostic in the listing. A source that waits for another
    /// program times out with [`Unavailable`](crate::SourceErrorKind::Unavailable), because a registry lists its sources together.
    ///
    /// # Cancel safety
    /// May be dropped at any await.
    async fn list(&self) -> Result<Listing<T>, SourceError>;

    /// Returns a listing, once [`changed`](Source::changed) has resolved for `since`, the revision of an earlier listing.
    ///
    /// A source that has read everything for `changed` returns what it read. Default: [`list`](Source::list), which reads again.
    ///
    /// # Errors
    /// As [`list`](Source::list).
    async fn list_since(&self, since: Revision) -> Result<Listing<T>, SourceError> {
        let _ = since;
        self.list().await
    }

    /// Returns the instructions of one listed item (level 2). Default: unsupported.
    ///
    /// # Errors
    /// [`NotFound`](crate::SourceErrorKind::NotFound) for an id that the source does not have.
    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        Err(SourceError::unsupported(T::KIND, id, "bodies"))
    }

    /// Returns every file beside the instructions that can be read, sorted by path (level 3). Default: unsupported.
    ///
    /// A file that cannot be read is among the [`omissions`](Source::omissions), and the others are listed.
    ///
    /// # Errors
    /// [`NotFound`](crate::SourceErrorKind::NotFound) for an id that the source does not have.
    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        Err(SourceError::unsupported(T::KIND, id, "resources"))
    }

    /// Returns the bytes of one file (level 3). Default: unsupported.
    ///
    /// # Errors
    /// [`NotFound`](crate::SourceErrorKind::NotFound) for an unknown id or path;
    /// [`Denied`](crate::SourceErrorKind::Denied) for a path that would leave the skill.
    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        let _ = path;
        Err(SourceError::unsupported(T::KIND, id, "resources"))
    }

    /// Returns what is in the folder and not among the [`resources`](Source::resources), sorted by path (level 3). Default: nothing.
    ///
    /// # Errors
    /// [`NotFound`](crate::SourceErrorKind::NotFound) for an id that the source does not have.
    async fn omissions(&self, id: &Id) -> Result<Vec<Omission>, SourceError> {
        let _ = id;
        Ok(Vec::new())
    }

    /// Reads everything that may take part in what the skill runs (level 3). An approval is bound to the result. Default: the
    /// [`resources`](Source::resources).
    ///
    /// A source of folders omits version control only. The [omissions](Manifest::omissions) name what no digest covers.
    ///
    /// # Errors
    /// As [`resources`](Source::resources), but for a source without any.
    async fn manifest(&self, id: &Id) -> Result<Manifest, SourceError> {
        let files = match self.resources(id).await {
            Err(error) if error.kind() == SourceErrorKind::Unsupported => Vec::new(),
            other => other?,
        };
        Manifest::new(files)
            .map_err(|error| SourceError::invalid(format!("the files of `{id}`: {error}")))
    }

    /// Resolves once this source is past `since`. Default: never.
    ///
    /// # Cancel safety
    /// May be dropped at any await and called again; no change is lost.
    async fn changed(&self, since: Revision) {
        let _ = since;
        std::future::pending().await
    }
}

#[async_trait]
impl<T: Item, S: Source<T> + ?Sized> Source<T> for Arc<S> {
    fn name(&self) -> &str {
        self.as_ref().name()
    }
    async fn list(&self) -> Result<Listing<T>, SourceError> {
        self.as_ref().list().await
    }
    async fn list_since(&self, since: Revision) -> Result<Listing<T>, SourceError> {
        self.as_ref().list_since(since).await
    }
    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        self.as_ref().body(id).await
    }
    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        self.as_ref().resources(id).await
    }
    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        self.as_ref().resource(id, path).await
    }
    async fn omissions(&self, id: &Id) -> Result<Vec<Omission>, SourceError> {
        self.as_ref().omissions(id).await
    }
    async fn manifest(&self, id: &Id) -> Result<Manifest, SourceError> {
        self.as_ref().manifest(id).await
    }
    async fn changed(&self, since: Revision) {
        self.as_ref().changed(since).await
    }
}

/// The rights of a source's text. The composer chooses them for a whole source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Everything that its skills declare is applied.
    Trusted,
    /// The model sees it together with its origin. Pre-approved tools, hooks and commands are ignored.
    Restricted,
    /// The operator alone sees it, until it is admitted. An admitted source wins every id that both have.
    Pending,
}

impl fmt::Display for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Trust::Trusted => "trusted",
            Trust::Restricted => "restricted",
            Trust::Pending => "pending",
        })
    }
}
