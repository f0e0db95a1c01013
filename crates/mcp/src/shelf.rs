//! Files of skills, and what was told of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use repertoire::{
    Body, Bytes, Claim, Digest, Resource, ResourcePath, Skill, SkillRegistry, SourceError, SourceErrorKind, Stamp,
    skill_md,
};

use crate::composed::compose;
use crate::uri::{Root, SKILL_MD};

/// Reads the files of skills, and keeps what was told of them: sizes and digests, never bytes.
#[derive(Debug)]
pub(crate) struct Shelf {
    registry: SkillRegistry,
    known: Mutex<HashMap<Root, (Stamp, Arc<Files>)>>,
}

/// Every file of one skill in one version.
#[derive(Debug, PartialEq)]
pub(crate) struct Files {
    /// `SKILL.md` first, then the others sorted by path.
    pub(crate) files: Vec<Resource>,
    /// Whether there is no file, so that `SKILL.md` was put together from what the source says.
    pub(crate) is_composed: bool,
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
    pub(crate) fn of(&self, path: &ResourcePath) -> Option<&Resource> {
        self.files.iter().find(|file| file.path == *path)
    }

    /// Bytes of all of them.
    pub(crate) fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).fold(0, u64::saturating_add)
    }
}

impl Shelf {
    pub(crate) fn of(registry: SkillRegistry) -> Shelf {
        Shelf { registry, known: Mutex::default() }
    }

    /// The files of `claim`, as they were told before, or read now.
    ///
    /// They are of one version with the claim: what its front matter says is what `SKILL.md` says.
    pub(crate) async fn files(&self, root: &Root, claim: &Claim<Skill>) -> Result<Arc<Files>, Unread> {
        if let Some((stamp, files)) = self.lock().get(root)
            && *stamp == claim.stamp
        {
            return Ok(Arc::clone(files));
        }
        let (bytes, is_composed) = self.skill_md(claim).await?;
        let path: ResourcePath = SKILL_MD.parse().expect("`SKILL.md` is a path");
        let own = Resource::new(path.clone(), bytes.len() as u64, Digest::of(&bytes));
        let beside = match self.registry.resources(claim).await {
            // A source without files has no file.
            Err(error) if error.kind() == SourceErrorKind::Unsupported => Vec::new(),
            other => other?,
        };
        let files = std::iter::once(own).chain(beside.into_iter().filter(|file| file.path != path)).collect();
        let files = Arc::new(Files { files, is_composed });
        self.lock().insert(root.clone(), (claim.stamp, Arc::clone(&files)));
        Ok(files)
    }

    /// One file of `claim`, in the version that [`files`](Shelf::files) tells of.
    pub(crate) async fn read(
        &self,
        root: &Root,
        claim: &Claim<Skill>,
        path: &ResourcePath,
    ) -> Result<(Bytes, Digest), Unread> {
        let files = self.files(root, claim).await?;
        let file = files.of(path).ok_or(Unread::NoFile)?;
        let bytes = if path.as_str() == SKILL_MD {
            self.skill_md(claim).await?.0
        } else {
            match self.registry.resource(claim, path).await {
                Err(error) if error.kind() == SourceErrorKind::NotFound => return Err(self.moved(root).await),
                other => other?,
            }
        };
        if bytes.len() as u64 != file.size || Digest::of(&bytes) != file.digest {
            return Err(self.moved(root).await);
        }
        Ok((bytes, file.digest))
    }

    /// Forgets what is in no view any more.
    pub(crate) fn keep(&self, mut is_seen: impl FnMut(&Root, Stamp) -> bool) {
        self.lock().retain(|root, (stamp, _)| is_seen(root, *stamp));
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
        (Digest::of(&bytes) == body.digest && matches!(skill_md::head(&bytes), skill_md::Head::Complete(_)))
            .then_some(bytes)
    }

    /// Forgets what was told of a skill, and has its source looked at again.
    async fn moved(&self, root: &Root) -> Unread {
        self.lock().remove(root);
        // On a registry that is closed there is nothing newer to see.
        let _ = self.registry.refresh().await;
        Unread::Moved
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Root, (Stamp, Arc<Files>)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
