//! The source.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use repertoire_core::{
    Body, Bytes, Code, ConfigError, Diagnostic, Digest, Id, Listing, ListingEntry, Resource,
    ResourcePath, Revision, Severity, Skill, Source, SourceError, SourceErrorKind, Stamp,
    async_trait,
};
use repertoire_install::{
    Fetcher, GitProgram, HttpSettings, InstallError, InstallErrorKind, LatestRevision, Reference,
    SourceSkill, docker_config_file,
};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::RemoteOptions;
use crate::offline::OfflineCopy;

/// The code of the diagnostic that a server cannot be reached, and its last content is listed.
pub const OFFLINE: Code = Code::foreign(
    "remote-offline",
    Severity::Warning,
    "The server cannot be reached; its last content is listed.",
);

/// The code of the diagnostic that the content of a server is not available offline.
pub const UNSTORED: Code = Code::foreign(
    "remote-unstored",
    Severity::Warning,
    "The content cannot be stored, so that it is not available offline.",
);

/// The code of the diagnostic that a skill of a server is refused.
pub const REFUSED: Code = Code::foreign(
    "remote-refused",
    Severity::Error,
    "The skill is unsafe, or does not have the digest that the server states.",
);

/// A source of the skills of a web server or an OCI registry.
///
/// - Nothing is connected before the first request.
/// - A listing fetches the index or the manifest, and the skills only if a digest changed or is not stated.
/// - While a caller waits for changes, the same happens once in each interval.
/// - Bodies and files are those of the last listing, in memory.
///
/// Requires a tokio runtime with time.
#[derive(Debug)]
pub struct RemoteSource {
    name: String,
    options: RemoteOptions,
    place: Arc<RemotePlace>,
    /// The revision of the content.
    revisions: watch::Sender<u64>,
    content: Mutex<Option<Arc<RemoteContent>>>,
    /// The number of fetches that began.
    begun: AtomicU64,
}

/// The place that is fetched.
#[derive(Debug)]
struct RemotePlace {
    reference: Reference,
    fetcher: Fetcher,
    offline: Option<OfflineCopy>,
}

/// Everything that was fetched at one time.
#[derive(Debug)]
struct RemoteContent {
    revision: Revision,
    /// The number of fetches that began earlier.
    begun: u64,
    latest: LatestRevision,
    skills: BTreeMap<Id, SourceSkill>,
    diagnostics: Vec<Diagnostic>,
}

impl RemoteSource {
    /// Creates a source with the name `name`.
    ///
    /// # Errors
    /// [`ConfigError`] if the reference is neither on a web server nor in an OCI registry.
    pub fn new(
        name: impl Into<String>,
        options: RemoteOptions,
    ) -> Result<RemoteSource, ConfigError> {
        let reference = options.url.clone();
        if !reference.is_web() && reference.oci().is_none() {
            let message =
                format!("`{reference}` is neither on a web server nor in an OCI registry");
            return Err(ConfigError::in_option("url", message));
        }
        let http = HttpSettings::new(options.variables.iter().cloned());
        let hosts = options.allow_hosts.iter();
        let http = hosts.fold(http, |http, host| http.allow_host(host));
        let fetcher = Fetcher::new(GitProgram::new("git", []), "").http(http);
        let fetcher = match logins(&options.variables) {
            Some(file) => fetcher.docker_config(file),
            None => fetcher,
        };
        let place = RemotePlace {
            reference,
            fetcher,
            offline: options.cache.as_deref().map(OfflineCopy::new),
        };
        Ok(RemoteSource {
            name: name.into(),
            options,
            place: Arc::new(place),
            revisions: watch::Sender::new(0),
            content: Mutex::default(),
            begun: AtomicU64::new(0),
        })
    }

    async fn known(&self) -> Result<Arc<RemoteContent>, SourceError> {
        let known = self.content.lock().clone();
        match known {
            Some(known) => Ok(known),
            None => self.fetch().await,
        }
    }

    /// Fetches what the server has now, and signals a change of what was fetched before.
    ///
    /// Nothing is locked in the meantime, as the caller may stop to poll it. Of two fetches the one that began later counts.
    async fn fetch(&self) -> Result<Arc<RemoteContent>, SourceError> {
        let begun = self.begun.fetch_add(1, Ordering::Relaxed);
        let place = Arc::clone(&self.place);
        let known = self.content.lock().clone();
        let known_latest = known.as_ref().map(|known| known.latest.clone());
        let fetched = spawn_blocking(move || place.fetch_unless(known_latest)).await;
        let fetched = fetched.map_err(|error| {
            SourceError::new(SourceErrorKind::Other, "the fetch was ended").caused_by(error)
        })??;
        let mut fetched = match (fetched, known) {
            (Some(fetched), _) => fetched,
            (None, known) => return Ok(known.expect("only known content is not fetched again")),
        };
        fetched.begun = begun;
        let mut content = self.content.lock();
        fetched.revision = match content.as_ref() {
            Some(newer) if newer.begun > begun => return Ok(Arc::clone(newer)),
            Some(old) if old.is_same(&fetched) => old.revision,
            Some(old) => Revision(old.revision.0 + 1),
            None => Revision(0),
        };
        self.revisions.send_replace(fetched.revision.0);
        let fetched = Arc::new(fetched);
        *content = Some(Arc::clone(&fetched));
        Ok(fetched)
    }

    async fn with_skill<T>(
        &self,
        id: &Id,
        read: impl FnOnce(&SourceSkill) -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        let known = self.known().await?;
        let skill = known.skills.get(id);
        read(skill.ok_or_else(|| SourceError::not_found("skill", id))?)
    }
}

/// Returns the file that Docker writes logins into. It need not exist.
fn logins(variables: &[(OsString, OsString)]) -> Option<PathBuf> {
    let home = match cfg!(windows) {
        true => "USERPROFILE",
        false => "HOME",
    };
    docker_config_file(
        variable(variables, "DOCKER_CONFIG"),
        variable(variables, home).map(Path::new),
    )
}

fn variable<'v>(variables: &'v [(OsString, OsString)], name: &str) -> Option<&'v OsStr> {
    let (_, value) = variables.iter().find(|(key, _)| key == name)?;
    Some(value)
}

impl RemotePlace {
    /// Fetches everything; `None` if the server still has exactly what is known.
    fn fetch_unless(
        &self,
        known: Option<LatestRevision>,
    ) -> Result<Option<RemoteContent>, SourceError> {
        // A change between the two requests is seen when the next interval ends.
        let fetched = self.fetcher.latest(&self.reference).and_then(|latest| {
            if latest != LatestRevision::Unknown && known.as_ref() == Some(&latest) {
                return Ok(None);
            }
            let (fetched, faults) = self.fetcher.fetch_each(&self.reference)?;
            Ok(Some((latest, fetched, faults)))
        });
        match fetched {
            Ok(None) => Ok(None),
            Ok(Some((mut latest, fetched, faults))) => {
                // A file that is refused may be replaced while its index stays the same.
                if !faults.is_empty() {
                    latest = LatestRevision::Unknown;
                }
                let mut diagnostics: Vec<_> = faults.iter().map(refused).collect();
                if let Some(offline) = &self.offline
                    && let Err(error) = offline.write(&self.reference, &fetched)
                {
                    let message = format!("the content cannot be stored: {error}");
                    diagnostics.push(Diagnostic::new(UNSTORED, message));
                }
                let content = RemoteContent::new(latest, fetched.skills, diagnostics);
                Ok(Some(content))
            }
            Err(error) if error.kind() == InstallErrorKind::Unavailable => {
                self.stored(error).map(Some)
            }
            Err(error) => Err(source_error(error)),
        }
    }

    /// Returns the stored content, as the server cannot be reached because of `error`.
    fn stored(&self, error: InstallError) -> Result<RemoteContent, SourceError> {
        let stored = self.offline.as_ref().map(|copy| copy.read(&self.reference));
        let Some(Ok(Some(trees))) = stored else {
            return Err(source_error(error));
        };
        let message = format!("{error}; the stored skills are listed");
        let mut diagnostics = vec![Diagnostic::new(OFFLINE, message)];
        let mut skills = Vec::new();
        for (folder, tree) in trees {
            match SourceSkill::parse(&folder, tree) {
                Ok(skill) => skills.push(skill),
                Err(fault) => diagnostics.push(refused(&fault)),
            }
        }
        Ok(RemoteContent::new(
            LatestRevision::Unknown,
            skills,
            diagnostics,
        ))
    }
}

fn refused(fault: &InstallError) -> Diagnostic {
    let diagnostic = Diagnostic::new(REFUSED, fault.to_string());
    match fault.fix() {
        Some(fix) => diagnostic.help(fix),
        None => diagnostic,
    }
}

fn source_error(error: InstallError) -> SourceError {
    let kind = match error.kind() {
        InstallErrorKind::Unavailable => SourceErrorKind::Unavailable,
        InstallErrorKind::Refused | InstallErrorKind::Corrupt => SourceErrorKind::Invalid,
        _ => SourceErrorKind::Other,
    };
    SourceError::new(kind, error.to_string()).caused_by(error)
}

impl RemoteContent {
    fn new(
        latest: LatestRevision,
        skills: Vec<SourceSkill>,
        mut diagnostics: Vec<Diagnostic>,
    ) -> RemoteContent {
        let found = skills.iter().flat_map(|skill| {
            let folder = skill.folder.as_ref().map_or("", ResourcePath::as_str);
            let diagnostics = skill.diagnostics.iter().cloned();
            diagnostics.map(move |diagnostic| match folder {
                "" => diagnostic.at_path("SKILL.md"),
                folder => diagnostic.at_path(format!("{folder}/SKILL.md")),
            })
        });
        diagnostics.extend(found);
        let skills = skills.into_iter();
        RemoteContent {
            revision: Revision(0),
            begun: 0,
            latest,
            skills: skills
                .map(|skill| (skill.skill.id.clone(), skill))
                .collect(),
            diagnostics,
        }
    }

    fn is_same(&self, other: &RemoteContent) -> bool {
        let mine = self.skills.iter().map(|(id, skill)| (id, &skill.tree));
        let others = other.skills.iter().map(|(id, skill)| (id, &skill.tree));
        mine.eq(others) && self.diagnostics == other.diagnostics
    }

    fn listing(&self) -> Listing<Skill> {
        let rows = self.skills.values().map(|skill| {
            let row = ListingEntry::new(skill.skill.clone(), stamp(skill));
            row.with_digest(Digest::of(document(skill)))
        });
        Listing::new(self.revision, rows, self.diagnostics.iter().cloned())
    }
}

/// Returns the stamp of every file of a skill.
fn stamp(skill: &SourceSkill) -> Stamp {
    Stamp::of(&skill.tree.manifest().digest().to_string())
}

fn document(skill: &SourceSkill) -> &[u8] {
    skill.tree.get(SKILL_MD).map_or(&[], |bytes| bytes)
}

const SKILL_MD: &str = "SKILL.md";

#[async_trait]
impl Source<Skill> for RemoteSource {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        Ok(self.fetch().await?.listing())
    }

    async fn list_since(&self, since: Revision) -> Result<Listing<Skill>, SourceError> {
        let known = self.content.lock().clone();
        match known.filter(|known| known.revision > since) {
            Some(known) => Ok(known.listing()),
            None => self.list().await,
        }
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        self.with_skill(id, |skill| {
            let body = Body::of_file(document(skill), stamp(skill));
            body.map_err(|error| SourceError::invalid(error.to_string()))
        })
        .await
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        self.with_skill(id, |skill| {
            let manifest = skill.tree.manifest();
            let files = manifest.files().iter();
            let files = files.filter(|file| file.path.as_str() != SKILL_MD);
            Ok(files.cloned().collect())
        })
        .await
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        self.with_skill(id, |skill| {
            let bytes = skill.tree.get(path.as_str()).cloned();
            bytes.ok_or_else(|| {
                let message = format!("`{id}` has no file `{path}`");
                SourceError::new(SourceErrorKind::NotFound, message)
            })
        })
        .await
    }

    async fn changed(&self, since: Revision) {
        let interval = self.options.poll();
        loop {
            let mut revisions = self.revisions.subscribe();
            let changed = revisions.wait_for(|revision| *revision > since.0);
            if timeout(interval, changed).await.is_ok() {
                return;
            }
            // What cannot be fetched now is fetched in the next interval.
            if self.content.lock().is_some() {
                let _ = self.fetch().await;
            }
        }
    }
}
