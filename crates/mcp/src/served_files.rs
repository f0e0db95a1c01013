//! The files of skills, and a cache of their sizes and digests.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use repertoire::registry::Candidate;
use repertoire::skill::skill_uri::{SKILL_MD, SkillRoot};
use repertoire::skill::{
    Body, Bytes, Code, Diagnostic, Digest, Manifest, Resource, ResourcePath, SourceError,
    SourceErrorKind, skill_md, text,
};
use repertoire::{Skill, SkillRegistry};

use crate::served_view::ServedSkill;
use crate::synthesize::synthesize;

#[derive(Debug)]
pub(crate) struct ServedFiles {
    registry: SkillRegistry,
    manifests: Mutex<HashMap<SkillRoot, CachedManifest>>,
    read_count: AtomicUsize,
}

#[derive(Debug)]
struct CachedManifest {
    skill: ServedSkill,
    manifest: Arc<FileManifest>,
}

/// The row of a skill in `skills/list` while all its tools are ready.
#[derive(Debug)]
pub(crate) struct SkillRow {
    /// The JSON text.
    pub(crate) text: Box<str>,
    /// `true` if the skill meets the Agent Skills standard.
    pub(crate) is_conforming: bool,
}

/// The files of a skill.
#[derive(Debug)]
pub(crate) struct FileManifest {
    pub(crate) files: Arc<[Resource]>,
    pub(crate) is_synthesized: bool,
    pub(crate) hidden: Option<Diagnostic>,
    /// `None` if the skill cannot be listed.
    pub(crate) row: OnceLock<Option<SkillRow>>,
    digest: OnceLock<Option<Digest>>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadFailure {
    #[error("no such file")]
    NoFile,
    #[error("the skill changed")]
    Changed,
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl FileManifest {
    fn new(
        files: Arc<[Resource]>,
        is_synthesized: bool,
        hidden: Option<Diagnostic>,
    ) -> Arc<FileManifest> {
        Arc::new(FileManifest {
            files,
            is_synthesized,
            hidden,
            row: OnceLock::new(),
            digest: OnceLock::new(),
        })
    }

    /// Returns the digests of the files, and that of all of them, by which an installed skill is known.
    pub(crate) fn digests(&self) -> impl Iterator<Item = Digest> {
        let whole = self.digest.get_or_init(|| {
            let manifest = Manifest::new(self.files.iter().cloned());
            manifest.ok().map(|manifest| manifest.digest())
        });
        self.files.iter().map(|file| file.digest).chain(*whole)
    }

    pub(crate) fn find(&self, path: &ResourcePath) -> Option<&Resource> {
        let meant = path.meant_among(self.files.iter().map(|file| &file.path))?;
        self.files.iter().find(|file| file.path == *meant)
    }

    pub(crate) fn size(&self) -> u64 {
        self.files
            .iter()
            .map(|file| file.size)
            .fold(0, u64::saturating_add)
    }
}

impl ServedFiles {
    pub(crate) fn new(registry: SkillRegistry) -> ServedFiles {
        ServedFiles {
            registry,
            manifests: Mutex::default(),
            read_count: AtomicUsize::new(0),
        }
    }

    pub(crate) fn forget(&self, roots: &[SkillRoot]) {
        let mut manifests = self.manifests.lock();
        roots.iter().for_each(|root| drop(manifests.remove(root)));
    }

    /// Returns the manifest that was read of this version of `skill`.
    pub(crate) fn cached(&self, skill: &ServedSkill) -> Option<Arc<FileManifest>> {
        let mut manifests = self.manifests.lock();
        let cached = manifests.get_mut(&skill.root())?;
        if !cached.skill.is(skill) {
            if cached.skill.candidate().stamp != skill.candidate().stamp {
                return None;
            }
            // The files are the same, and the entry that is listed may differ.
            let FileManifest {
                files,
                is_synthesized,
                hidden,
                ..
            } = &*cached.manifest;
            cached.manifest = FileManifest::new(Arc::clone(files), *is_synthesized, hidden.clone());
            cached.skill = skill.clone();
        }
        Some(Arc::clone(&cached.manifest))
    }

    /// Returns the number of skills whose files were read for a manifest so far.
    pub(crate) fn read_count(&self) -> usize {
        self.read_count.load(Ordering::Relaxed)
    }

    pub(crate) async fn manifest(
        &self,
        skill: &ServedSkill,
    ) -> Result<Arc<FileManifest>, ReadFailure> {
        if let Some(manifest) = self.cached(skill) {
            return Ok(manifest);
        }
        self.read_count.fetch_add(1, Ordering::Relaxed);
        let candidate = skill.candidate();
        let (bytes, is_synthesized) = self.skill_md(candidate).await?;
        let path: ResourcePath = SKILL_MD.parse().expect("`SKILL.md` is a path");
        let own = Resource::new(path.clone(), bytes.len() as u64, Digest::of(&bytes));
        let beside = match self.registry.resources(candidate).await {
            // A source without files has none to list.
            Err(error) if error.kind() == SourceErrorKind::Unsupported => Vec::new(),
            other => other?,
        };
        let files = std::iter::once(own)
            .chain(beside.into_iter().filter(|file| file.path != path))
            .collect();
        let manifest = FileManifest::new(files, is_synthesized, hidden_in(&bytes));
        let cached = CachedManifest {
            skill: skill.clone(),
            manifest: Arc::clone(&manifest),
        };
        self.manifests.lock().insert(skill.root(), cached);
        Ok(manifest)
    }

    pub(crate) async fn read(
        &self,
        skill: &ServedSkill,
        path: &ResourcePath,
    ) -> Result<(Bytes, Digest), ReadFailure> {
        let (manifest, candidate) = (self.manifest(skill).await?, skill.candidate());
        let file = manifest.find(path).ok_or(ReadFailure::NoFile)?;
        let bytes = if file.path.as_str() == SKILL_MD {
            self.skill_md(candidate).await?.0
        } else {
            match self.registry.resource(candidate, &file.path).await {
                Err(error) if error.kind() == SourceErrorKind::NotFound => {
                    return Err(self.changed(skill).await);
                }
                other => other?,
            }
        };
        if bytes.len() as u64 != file.size || Digest::of(&bytes) != file.digest {
            return Err(self.changed(skill).await);
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
        let name = candidate
            .item
            .location
            .as_deref()
            .and_then(|location| location.rsplit(['/', '\\']).next());
        let path = ResourcePath::new(name.unwrap_or(SKILL_MD)).ok()?;
        let bytes = self.registry.resource(candidate, &path).await.ok()?;
        (Digest::of(&bytes) == body.digest && skill_md::front_matter(&bytes).is_some())
            .then_some(bytes)
    }

    async fn changed(&self, skill: &ServedSkill) -> ReadFailure {
        self.forget(&[skill.root()]);
        // A closed registry has no newer view.
        let _ = self.registry.refresh().await;
        ReadFailure::Changed
    }
}

pub(crate) fn hidden_in(bytes: &[u8]) -> Option<Diagnostic> {
    let hidden = text::hidden(std::str::from_utf8(bytes).ok()?)?;
    let found = Diagnostic::new(Code::INVISIBLE_TEXT, format!("the file holds {hidden}"));
    Some(found.at(hidden.line, hidden.column))
}
