//! A server as a source.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use repertoire_core::skill_md::{self, Site};
use repertoire_core::{
    Backoff, Body, Bytes, Code, Digest, Id, Listing, Omission, Resource, ResourcePath, Revision, Skill, Source,
    SourceError, SourceErrorKind, async_trait,
};
use tokio::time::Instant;

use crate::entry::{Entry, Files, Said, skill_md};
use crate::face::{Catalog, Face, place};
use crate::front_matter::{difference, finding, mismatch};
use crate::level::Level;
use crate::link::{Link, seconds};
use crate::shelf::{Shelf, Shelved};
use crate::told::told;
use crate::{InvalidOption, McpOptions, Unverified};
use repertoire_core::skill_uri::SKILL_MD;

/// How often is looked whether a connection still stands over which the server tells of changes.
const LOOK: Duration = Duration::from_secs(1);

/// A server that tells of changes is asked all the same, this many times more rarely: its word may get lost.
const TRUSTED_LONGER: u32 = 10;

/// Another MCP server as a source: its skills, read when they are asked for and believed when they are verified.
///
/// Nothing is connected or started before the source is asked for something, and nothing is read ahead: a listing costs the
/// pages of the server's list. What is read must have the size and the digest that the list gives, and the front matter that
/// the list shows; otherwise it is refused. A connection that is lost is made again, later each time.
///
/// Needs a tokio runtime with I/O and time, on which the connection has its tasks. Dropping the source ends them, and the
/// program with all that it started.
#[derive(Debug)]
pub struct McpSource {
    name: String,
    options: McpOptions,
    level: Arc<Level>,
    gate: tokio::sync::Mutex<Gate>,
    connected: Mutex<Option<Arc<Connected>>>,
    shelf: Mutex<Shelf>,
}

/// Who may connect, and when.
#[derive(Debug, Default)]
struct Gate {
    tries: Backoff,
    failure: Option<String>,
}

#[derive(Debug)]
struct Connected {
    link: Link,
    face: Face,
}

impl McpSource {
    /// A source called `name`. Nothing is connected before it is asked for something.
    ///
    /// # Errors
    /// [`InvalidOption`] when the options name no server, or one that must not be used in this way.
    pub fn new(name: impl Into<String>, options: McpOptions) -> Result<McpSource, InvalidOption> {
        options.reach()?;
        Ok(McpSource {
            name: name.into(),
            options,
            level: Arc::new(Level::new()),
            gate: tokio::sync::Mutex::default(),
            connected: Mutex::default(),
            shelf: Mutex::default(),
        })
    }

    /// The way in which the server shows skills; unknown as long as there is no connection.
    pub fn face(&self) -> Option<Face> {
        self.current().map(|connected| connected.face)
    }

    fn current(&self) -> Option<Arc<Connected>> {
        let connected = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        connected.clone().filter(|connected| !connected.link.is_closed())
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection, made if there is none and it is time.
    async fn connected(&self) -> Result<Arc<Connected>, SourceError> {
        let mut gate = self.gate.lock().await;
        if let Some(connected) = self.current() {
            return Ok(connected);
        }
        self.keep(None);
        if let Err(wait) = gate.tries.begin(Instant::now().into_std()) {
            let failure = gate.failure.as_deref().unwrap_or("the connection was lost");
            let message = format!("the server is tried again in {}; {failure}", seconds(wait));
            return Err(SourceError::new(SourceErrorKind::Unavailable, message));
        }
        match self.connect().await {
            Ok(connected) => {
                gate.failure = None;
                self.keep(Some(Arc::clone(&connected)));
                Ok(connected)
            }
            Err(error) => {
                gate.failure = Some(error.to_string());
                Err(error)
            }
        }
    }

    async fn connect(&self) -> Result<Arc<Connected>, SourceError> {
        let link = Link::open(&self.options, &self.level).await?;
        let face = Face::of(&link, &self.options).await?;
        Ok(Arc::new(Connected { link, face }))
    }

    fn keep(&self, connected: Option<Arc<Connected>>) {
        *self.connected.lock().unwrap_or_else(PoisonError::into_inner) = connected;
    }

    /// What the server lists now.
    async fn catalog(&self) -> Result<Catalog, SourceError> {
        let work = async {
            let connected = self.connected().await?;
            let mut catalog = connected.face.list(&connected.link, &self.options, &self.name).await?;
            if connected.face != Face::Extension {
                let message =
                    format!("the server does not know the skills extension; its {} are read instead", connected.face);
                catalog.diagnostics.push(finding(Code::MCP_FALLBACK, message, &self.name));
            }
            Ok(catalog)
        };
        let limit = self.options.listing();
        tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
            let message = format!("the list was not complete within {}", seconds(limit));
            Err(SourceError::new(SourceErrorKind::Unavailable, message))
        })
    }

    /// A skill by its id, as it was listed; by a list made now if there is none, or a newer one is due.
    async fn shelved(&self, id: &Id) -> Result<Shelved, SourceError> {
        let is_current = self.shelf().revision().is_some_and(|listed| self.level.now() <= listed);
        let known = self.shelf().get(id);
        if known.is_none() && !is_current {
            self.list().await?;
        }
        known.or_else(|| self.shelf().get(id)).ok_or_else(|| SourceError::not_found("skill", id))
    }

    /// The same skill, after the server was asked for it.
    async fn renewed(&self, id: &Id, old: &Shelved, connected: &Connected) -> Result<Shelved, SourceError> {
        let fresh = connected.face.entry(&connected.link, &old.entry, &self.options).await;
        let fresh = fresh.map_err(|error| self.gone(id, error))?;
        if self.shelf().renew(id, fresh) {
            self.level.rise();
        }
        self.shelf().get(id).ok_or_else(|| SourceError::not_found("skill", id))
    }

    /// A skill that the server does not know any more is gone from the next listing.
    fn gone(&self, id: &Id, error: SourceError) -> SourceError {
        if error.kind() != SourceErrorKind::NotFound {
            return error;
        }
        self.level.rise();
        SourceError::not_found("skill", id).caused_by(error)
    }

    /// The bytes of a file of `id`, which are what the server says they are, and the skill to which they belong.
    ///
    /// What changed since it was listed is asked for anew, once.
    async fn read(&self, id: &Id, path: &ResourcePath) -> Result<(Vec<u8>, Shelved), SourceError> {
        let mut shelved = self.shelved(id).await?;
        let connected = self.connected().await?;
        let mut is_fresh = matches!(shelved.entry.files, Files::Beside);
        if is_fresh {
            shelved = self.renewed(id, &shelved, &connected).await?;
        }
        loop {
            let read = self.read_once(&shelved.entry, path, &connected.link).await;
            match read {
                Ok(bytes) => return Ok((bytes, shelved)),
                Err(Unread::Otherwise(error)) => return Err(error),
                Err(Unread::NotAsListed(error)) if is_fresh => return Err(error),
                Err(Unread::NotAsListed(error)) => {
                    let before = Arc::clone(&shelved.entry);
                    shelved = self.renewed(id, &shelved, &connected).await?;
                    if shelved.entry == before {
                        return Err(error);
                    }
                    is_fresh = true;
                }
            }
        }
    }

    async fn read_once(&self, entry: &Entry, path: &ResourcePath, link: &Link) -> Result<Vec<u8>, Unread> {
        let not_found =
            || SourceError::new(SourceErrorKind::NotFound, format!("no file `{}` is listed", told(path.as_str())));
        match &entry.files {
            Files::Listed(files) => {
                let file = files.get(path).ok_or_else(|| Unread::NotAsListed(not_found()))?;
                let (bytes, _) = link.read(&file.uri).await.map_err(|error| match error.kind() {
                    SourceErrorKind::NotFound => Unread::NotAsListed(error),
                    _ => Unread::Otherwise(error),
                })?;
                verify(file.digest, Some(file.size), path, &bytes)?;
                Ok(bytes)
            }
            _ if path.as_str() != SKILL_MD => {
                let message = "the server does not list the files of this skill, and what is not listed is not read";
                Err(Unread::Otherwise(SourceError::new(SourceErrorKind::Unsupported, message)))
            }
            Files::Alone(Some(digest)) => {
                let (bytes, _) = link.read(entry.uri.as_str()).await.map_err(Unread::Otherwise)?;
                verify(*digest, None, path, &bytes)?;
                Ok(bytes)
            }
            Files::Alone(None) | Files::Dynamic | Files::Beside => {
                self.read_unverified(entry, link).await.map_err(Unread::Otherwise)
            }
        }
    }

    /// `SKILL.md`, of which nobody says what it should hold; the answer must at least be about what was asked for.
    async fn read_unverified(&self, entry: &Entry, link: &Link) -> Result<Vec<u8>, SourceError> {
        let asked = entry.uri.as_str();
        if self.options.unverified == Unverified::LeftOut {
            let message = "the server gives no digests of this skill, and `unverified` says to leave it out";
            return Err(SourceError::new(SourceErrorKind::Denied, message));
        }
        let (bytes, answered) = link.read(asked).await?;
        if !answered.eq_ignore_ascii_case(asked) {
            let (asked, found) = (told(asked), told(&answered));
            return Err(SourceError::invalid(format!("asked for `{asked}`, the server answers with `{found}`")));
        }
        if bytes.len() as u64 > self.options.limits.file_bytes {
            let message = format!("`{SKILL_MD}` has more than {} bytes", self.options.limits.file_bytes);
            return Err(SourceError::new(SourceErrorKind::TooLarge, message));
        }
        Ok(bytes)
    }

    /// Compares the front matter of the file with what was listed, or learns what was not.
    fn compare(&self, id: &Id, shelved: &Shelved, bytes: &[u8], digest: Digest) -> Result<(), SourceError> {
        let uri = &shelved.entry.uri;
        let location = place(&self.name, uri.as_str());
        let parsed = skill_md::parse(bytes, Site::new(&location).in_directory(uri.folder()));
        let Some(mut skill) = parsed.skill else {
            let reason = parsed.diagnostics.last().map_or("it cannot be read", |finding| finding.message.as_str());
            return Err(SourceError::invalid(format!("the server's `{SKILL_MD}` holds no skill: {}", told(reason))));
        };
        match &shelved.entry.said {
            Said::All(fields) => match difference(fields, &skill) {
                Some(field) => Err(SourceError::invalid(mismatch(field))),
                None => Ok(()),
            },
            Said::Some(_) => {
                skill.id = id.clone();
                let skill = skill.from_location(location);
                let is_wider = is_wider(&shelved.skill, &skill);
                if self.shelf().learn(id, skill, digest) {
                    self.level.rise();
                }
                if is_wider {
                    let message = format!(
                        "the `{SKILL_MD}` limits who may use the skill, which the server's list did not show; list it again"
                    );
                    return Err(SourceError::new(SourceErrorKind::Denied, message));
                }
                Ok(())
            }
        }
    }
}

/// Why bytes are not handed out.
enum Unread {
    /// They are not what the list says; the list may be old.
    NotAsListed(SourceError),
    Otherwise(SourceError),
}

fn verify(digest: Digest, size: Option<u64>, path: &ResourcePath, bytes: &[u8]) -> Result<(), Unread> {
    let (shown, found) = (told(path.as_str()), bytes.len() as u64);
    let message = match size {
        Some(size) if size != found => format!("`{shown}` has {found} bytes, and the server lists {size}"),
        _ => match Digest::of(bytes) {
            same if same == digest => return Ok(()),
            other => format!("`{shown}` has the digest {other}, and the server lists {digest}"),
        },
    };
    Err(Unread::NotAsListed(SourceError::invalid(message)))
}

/// Whether `listed` lets somebody use a skill who must not by its file.
fn is_wider(listed: &Skill, file: &Skill) -> bool {
    file.disable_model_invocation && !listed.disable_model_invocation
        || !file.user_invocable && listed.user_invocable
        || file.allowed_workflows.is_some() && file.allowed_workflows != listed.allowed_workflows
}

#[async_trait]
impl Source<Skill> for McpSource {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let before = self.level.now();
        let catalog = self.catalog().await?;
        Ok(self.shelf().take(catalog, &self.name, before, &self.level))
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let (bytes, shelved) = self.read(id, &skill_md()).await.map_err(|error| self.gone(id, error))?;
        let digest = Digest::of(&bytes);
        self.compare(id, &shelved, &bytes, digest)?;
        Body::of_file(&bytes, shelved.stamp)
            .map_err(|at| SourceError::invalid(format!("the `{SKILL_MD}` is not UTF-8: byte {at}")))
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        let shelved = self.shelved(id).await?;
        let connected = self.connected().await?;
        let shelved = self.renewed(id, &shelved, &connected).await?;
        match &shelved.entry.files {
            Files::Listed(files) => Ok(Entry::resources(files)),
            _ => Err(SourceError::unsupported("skill", id, "list of files")),
        }
    }

    async fn omissions(&self, id: &Id) -> Result<Vec<Omission>, SourceError> {
        Ok(self.shelved(id).await?.entry.omitted.clone())
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        let (bytes, shelved) = self.read(id, path).await?;
        // No file beside the skill, but what was read as the skill: whoever serves it on wants the very bytes.
        if path.as_str() == SKILL_MD {
            self.compare(id, &shelved, &bytes, Digest::of(&bytes))?;
        }
        Ok(bytes.into())
    }

    async fn changed(&self, since: Revision) {
        let mut asked = Instant::now();
        loop {
            let Some(connected) = self.current() else {
                let wait = self.gate.lock().await.tries.wait(Instant::now().into_std());
                tokio::select! {
                    () = self.level.past(since) => return,
                    () = tokio::time::sleep(wait) => {}
                }
                if self.level.now() <= since {
                    self.level.rise();
                }
                return;
            };
            let tells = connected.link.tells();
            let every = if tells { self.options.poll() * TRUSTED_LONGER } else { self.options.poll() };
            drop(connected);
            tokio::select! {
                () = self.level.past(since) => return,
                () = tokio::time::sleep(every.min(LOOK)) => {}
            }
            if asked.elapsed() < every || self.current().is_none() {
                continue;
            }
            asked = Instant::now();
            match self.catalog().await {
                Ok(catalog) if self.shelf().is_as(&catalog) => {}
                // Whoever lists again is told what is wrong.
                _ => self.level.rise(),
            }
        }
    }
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<McpSource>();
};
