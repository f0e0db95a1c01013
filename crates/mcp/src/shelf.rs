//! Files of skills, and what was told of them.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use repertoire::registry::Claim;
use repertoire::skill::{
    Body, Bytes, Diagnostic, Digest, Resource, ResourcePath, SourceError, SourceErrorKind, skill_md,
};
use repertoire::{Skill, SkillRegistry};

use crate::composed::compose;
use crate::extension::Listed;
use crate::origin::hidden_in;
use crate::view::Row;
use repertoire::skill::skill_uri::SKILL_MD;

/// Reads the files of skills, and keeps with their rows what was told of them: sizes and digests, never bytes.
#[derive(Debug)]
pub(crate) struct Shelf {
    registry: SkillRegistry,
}

/// What was told of a row. Goes when the row goes, and belongs to all that look at it.
#[derive(Debug, Default)]
pub(crate) struct Told(Mutex<Option<Arc<Files>>>);

/// Every file of one skill in one version.
#[derive(Debug)]
pub(crate) struct Files {
    /// `SKILL.md` first, then the others sorted by path.
    pub(crate) files: Arc<[Resource]>,
    /// Whether there is no file, so that `SKILL.md` was put together from what the source says.
    pub(crate) is_composed: bool,
    /// The diagnostic about hidden text in `SKILL.md`.
    pub(crate) hidden: Option<Diagnostic>,
    /// What the extension says of them, once it was asked.
    pub(crate) listed: OnceLock<Listed>,
}

/// What became of a look at a skill's files.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unread {
    /// The skill has no such file.
    #[error("no such file")]
    NoFile,
    /// The skill is another by now.
    #[error("it changed meanwhile")]
    Moved,
    /// The source says no.
    #[error(transparent)]
    Source(SourceError),
}

impl From<SourceError> for Unread {
    fn from(error: SourceError) -> Unread {
        Unread::Source(error)
    }
}

impl Files {
    fn new(files: Arc<[Resource]>, is_composed: bool, hidden: Option<Diagnostic>) -> Files {
        Files { files, is_composed, hidden, listed: OnceLock::new() }
    }

    /// The file that a path means.
    pub(crate) fn of(&self, path: &ResourcePath) -> Option<&Resource> {
        let meant = path.meant_among(self.files.iter().map(|file| &file.path))?;
        self.files.iter().find(|file| file.path == *meant)
    }

    /// Bytes of all of them.
    pub(crate) fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).fold(0, u64::saturating_add)
    }
}

impl Told {
    /// What still holds of it for another row of the same skill in the same version.
    pub(crate) fn for_another(&self) -> Told {
        let again = |told: &Arc<Files>| Files::new(Arc::clone(&told.files), told.is_composed, told.hidden.clone());
        let files = self.lock().as_ref().map(|told| Arc::new(again(told)));
        Told(Mutex::new(files))
    }

    /// The files, if they were told of.
    pub(crate) fn files(&self) -> Option<Arc<Files>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Files>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf {
    pub(crate) fn of(registry: SkillRegistry) -> Shelf {
        Shelf { registry }
    }

    /// The files of a row, as they were told before, or read now.
    ///
    /// They are of one version with its claim: what its front matter says is what `SKILL.md` says.
    pub(crate) async fn files(&self, row: &Row) -> Result<Arc<Files>, Unread> {
        if let Some(files) = row.told.files() {
            return Ok(files);
        }
        let claim = row.claim();
        let (bytes, is_composed) = self.skill_md(claim).await?;
        let path: ResourcePath = SKILL_MD.parse().expect("`SKILL.md` is a path");
        let own = Resource::new(path.clone(), bytes.len() as u64, Digest::of(&bytes));
        let beside = match self.registry.resources(claim).await {
            // A source without files has no file.
            Err(error) if error.kind() == SourceErrorKind::Unsupported => Vec::new(),
            other => other?,
        };
        let files = std::iter::once(own).chain(beside.into_iter().filter(|file| file.path != path)).collect();
        let files = Arc::new(Files::new(files, is_composed, hidden_in(&bytes)));
        *row.told.lock() = Some(Arc::clone(&files));
        Ok(files)
    }

    /// One file of a row, in the version that [`files`](Shelf::files) tells of.
    pub(crate) async fn read(&self, row: &Row, path: &ResourcePath) -> Result<(Bytes, Digest), Unread> {
        let (files, claim) = (self.files(row).await?, row.claim());
        let file = files.of(path).ok_or(Unread::NoFile)?;
        let bytes = if file.path.as_str() == SKILL_MD {
            self.skill_md(claim).await?.0
        } else {
            match self.registry.resource(claim, &file.path).await {
                Err(error) if error.kind() == SourceErrorKind::NotFound => return Err(self.moved(row).await),
                other => other?,
            }
        };
        if bytes.len() as u64 != file.size || Digest::of(&bytes) != file.digest {
            return Err(self.moved(row).await);
        }
        Ok((bytes, file.digest))
    }

    /// The bytes of `SKILL.md`, and whether they were put together here.
    async fn skill_md(&self, claim: &Claim<Skill>) -> Result<(Bytes, bool), Unread> {
        // When it is newer than the view, the registry looks at the source again before this returns.
        let body = self.registry.body(claim).await?;
        if body.stamp != claim.stamp {
            return Err(Unread::Moved);
        }
        match self.raw(claim, &body).await {
            Some(bytes) => Ok((bytes, false)),
            None => Ok((compose(&claim.item, &body.text).into(), true)),
        }
    }

    /// The file that the body was read from, if the source has one and hands it out.
    async fn raw(&self, claim: &Claim<Skill>, body: &Body) -> Option<Bytes> {
        let name = claim.item.location.as_deref().and_then(|location| location.rsplit(['/', '\\']).next());
        let path = ResourcePath::new(name.unwrap_or(SKILL_MD)).ok()?;
        let bytes = self.registry.resource(claim, &path).await.ok()?;
        (Digest::of(&bytes) == body.digest && skill_md::front_matter(&bytes).is_some()).then_some(bytes)
    }

    /// Forgets what was told of a row, and has its source looked at again.
    async fn moved(&self, row: &Row) -> Unread {
        *row.told.lock() = None;
        // On a registry that is closed there is nothing newer to see.
        let _ = self.registry.refresh().await;
        Unread::Moved
    }
}
