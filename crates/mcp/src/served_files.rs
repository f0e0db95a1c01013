//! The files of skills, and a cache of their sizes and digests.

use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, MutexGuard};
use repertoire::registry::Candidate;
use repertoire::skill::{
    Body, Bytes, Diagnostic, Digest, Resource, ResourcePath, SourceError, SourceErrorKind, skill_md,
};
use repertoire::{Skill, SkillRegistry};

use crate::extension::Listed;
use crate::meta::hidden_in;
use crate::synthesize::synthesize;
use crate::view::Row;
use repertoire::skill::skill_uri::SKILL_MD;

#[derive(Debug)]
pub(crate) struct ServedFiles {
    registry: SkillRegistry,
}

#[derive(Debug, Default)]
pub(crate) struct CachedManifest(Mutex<Option<Arc<SkillFiles>>>);

#[derive(Debug)]
pub(crate) struct SkillFiles {
    pub(crate) files: Arc<[Resource]>,
    pub(crate) is_synthesized: bool,
    pub(crate) hidden: Option<Diagnostic>,
    pub(crate) listed: OnceLock<Listed>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadFailure {
    #[error("no such file")]
    NoFile,
    #[error("the skill changed")]
    Changed,
    #[error(transparent)]
    Source(SourceError),
}

impl From<SourceError> for ReadFailure {
    fn from(error: SourceError) -> ReadFailure {
        ReadFailure::Source(error)
    }
}

impl SkillFiles {
    fn new(files: Arc<[Resource]>, is_synthesized: bool, hidden: Option<Diagnostic>) -> SkillFiles {
        SkillFiles { files, is_synthesized, hidden, listed: OnceLock::new() }
    }

    pub(crate) fn of(&self, path: &ResourcePath) -> Option<&Resource> {
        let meant = path.meant_among(self.files.iter().map(|file| &file.path))?;
        self.files.iter().find(|file| file.path == *meant)
    }

    pub(crate) fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).fold(0, u64::saturating_add)
    }
}

impl CachedManifest {
    pub(crate) fn for_new_row(&self) -> CachedManifest {
        let files = self.files().map(|files| {
            Arc::new(SkillFiles::new(Arc::clone(&files.files), files.is_synthesized, files.hidden.clone()))
        });
        CachedManifest(Mutex::new(files))
    }

    pub(crate) fn files(&self) -> Option<Arc<SkillFiles>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<SkillFiles>>> {
        self.0.lock()
    }
}

impl ServedFiles {
    pub(crate) fn of(registry: SkillRegistry) -> ServedFiles {
        ServedFiles { registry }
    }

    pub(crate) async fn files(&self, row: &Row) -> Result<Arc<SkillFiles>, ReadFailure> {
        if let Some(files) = row.manifest.files() {
            return Ok(files);
        }
        let candidate = row.candidate();
        let (bytes, is_synthesized) = self.skill_md(candidate).await?;
        let path: ResourcePath = SKILL_MD.parse().expect("`SKILL.md` is a path");
        let own = Resource::new(path.clone(), bytes.len() as u64, Digest::of(&bytes));
        let beside = match self.registry.resources(candidate).await {
            // A source without files has none to list.
            Err(error) if error.kind() == SourceErrorKind::Unsupported => Vec::new(),
            other => other?,
        };
        let files = std::iter::once(own).chain(beside.into_iter().filter(|file| file.path != path)).collect();
        let files = Arc::new(SkillFiles::new(files, is_synthesized, hidden_in(&bytes)));
        *row.manifest.lock() = Some(Arc::clone(&files));
        Ok(files)
    }

    pub(crate) async fn read(&self, row: &Row, path: &ResourcePath) -> Result<(Bytes, Digest), ReadFailure> {
        let (files, candidate) = (self.files(row).await?, row.candidate());
        let file = files.of(path).ok_or(ReadFailure::NoFile)?;
        let bytes = if file.path.as_str() == SKILL_MD {
            self.skill_md(candidate).await?.0
        } else {
            match self.registry.resource(candidate, &file.path).await {
                Err(error) if error.kind() == SourceErrorKind::NotFound => return Err(self.changed(row).await),
                other => other?,
            }
        };
        if bytes.len() as u64 != file.size || Digest::of(&bytes) != file.digest {
            return Err(self.changed(row).await);
        }
        Ok((bytes, file.digest))
    }

    async fn skill_md(&self, candidate: &Candidate<Skill>) -> Result<(Bytes, bool), ReadFailure> {
        // If the source is newer than the view, the registry refreshes it before this returns.
        let body = self.registry.body(candidate).await?;
        if body.stamp != candidate.stamp {
            return Err(ReadFailure::Changed);
        }
        match self.raw(candidate, &body).await {
            Some(bytes) => Ok((bytes, false)),
            None => Ok((synthesize(&candidate.item, &body.text).into(), true)),
        }
    }

    async fn raw(&self, candidate: &Candidate<Skill>, body: &Body) -> Option<Bytes> {
        let name = candidate.item.location.as_deref().and_then(|location| location.rsplit(['/', '\\']).next());
        let path = ResourcePath::new(name.unwrap_or(SKILL_MD)).ok()?;
        let bytes = self.registry.resource(candidate, &path).await.ok()?;
        (Digest::of(&bytes) == body.digest && skill_md::front_matter(&bytes).is_some()).then_some(bytes)
    }

    async fn changed(&self, row: &Row) -> ReadFailure {
        *row.manifest.lock() = None;
        // A closed registry has no newer view.
        let _ = self.registry.refresh().await;
        ReadFailure::Changed
    }
}
