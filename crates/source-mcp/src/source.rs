//! The source.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use repertoire_core::skill_md::{self, FileContext};
use repertoire_core::{
    Backoff, Body, Bytes, Code, ConfigError, Digest, Id, Listing, Omission, Resource, ResourcePath,
    Revision, Skill, Source, SourceError, SourceErrorKind, async_trait,
};
use tokio::time::Instant;

use crate::connection::ServerConnection;
use crate::error::{excerpt, seconds};
use crate::front_matter::{diagnostic, difference, mismatch};
use crate::listed_skill::{ListedFields, ListedFiles, ListedSkill, skill_md};
use crate::listing_cache::{CachedSkill, ListingCache};
use crate::listing_method::{ListingMethod, ServerCatalog, location_of};
use crate::revision_signal::RevisionSignal;
use crate::{McpOptions, Unverified};
use repertoire_core::skill_uri::SKILL_MD;

const CONNECTION_CHECK: Duration = Duration::from_secs(1);

const NOTIFYING_FACTOR: u32 = 10;

/// A source of the skills of another MCP server.
///
/// - Nothing is connected or started before the first request, and no file is read ahead. A listing costs the pages of the
///   server's list.
/// - A file must have the size and the digest that the list shows, and `SKILL.md` the front matter that it shows. A different
///   file is an error.
/// - A lost connection is made again, with a growing pause between attempts.
///
/// Requires a tokio runtime with I/O and time. Dropping the source closes the connection and ends the program.
#[derive(Debug)]
pub struct McpSource {
    name: String,
    options: McpOptions,
    signal: Arc<RevisionSignal>,
    backoff: tokio::sync::Mutex<ConnectBackoff>,
    connected: Mutex<Option<Arc<Connected>>>,
    cache: Mutex<ListingCache>,
}

#[derive(Debug, Default)]
struct ConnectBackoff {
    tries: Backoff,
    failure: Option<String>,
}

#[derive(Debug)]
struct Connected {
    connection: ServerConnection,
    method: ListingMethod,
}

impl McpSource {
    /// Creates a source with the name `name`. Connects at the first request.
    ///
    /// # Errors
    /// [`ConfigError`] when the options name no server, or combine settings that exclude each other.
    pub fn new(name: impl Into<String>, options: McpOptions) -> Result<McpSource, ConfigError> {
        options.endpoint()?;
        Ok(McpSource {
            name: name.into(),
            options,
            signal: Arc::new(RevisionSignal::new()),
            backoff: tokio::sync::Mutex::default(),
            connected: Mutex::default(),
            cache: Mutex::default(),
        })
    }

    fn current(&self) -> Option<Arc<Connected>> {
        let connected = self.connected.lock();
        connected
            .clone()
            .filter(|connected| !connected.connection.is_closed())
    }

    fn cache(&self) -> MutexGuard<'_, ListingCache> {
        self.cache.lock()
    }

    async fn connected(&self) -> Result<Arc<Connected>, SourceError> {
        let mut backoff = self.backoff.lock().await;
        if let Some(connected) = self.current() {
            return Ok(connected);
        }
        self.set_connected(None);
        if let Err(wait) = backoff.tries.begin(Instant::now().into_std()) {
            let failure = backoff
                .failure
                .as_deref()
                .unwrap_or("the connection was lost");
            let message = format!("the server is tried again in {}; {failure}", seconds(wait));
            return Err(SourceError::new(SourceErrorKind::Unavailable, message));
        }
        match self.connect().await {
            Ok(connected) => {
                backoff.failure = None;
                self.set_connected(Some(Arc::clone(&connected)));
                Ok(connected)
            }
            Err(error) => {
                backoff.failure = Some(error.to_string());
                Err(error)
            }
        }
    }

    async fn connect(&self) -> Result<Arc<Connected>, SourceError> {
        let connection = ServerConnection::open(&self.options, &self.signal).await?;
        let method = ListingMethod::of(&connection, &self.options).await?;
        Ok(Arc::new(Connected { connection, method }))
    }

    fn set_connected(&self, connected: Option<Arc<Connected>>) {
        *self.connected.lock() = connected;
    }

    async fn catalog(&self) -> Result<ServerCatalog, SourceError> {
        let work = async {
            let connected = self.connected().await?;
            let mut catalog = connected
                .method
                .list(&connected.connection, &self.options, &self.name)
                .await?;
            if connected.method != ListingMethod::Extension {
                let message = format!(
                    "the server does not know the skills extension; its {} are read instead",
                    connected.method
                );
                catalog
                    .diagnostics
                    .push(diagnostic(Code::MCP_FALLBACK, message, &self.name));
            }
            Ok(catalog)
        };
        let limit = self.options.listing();
        tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
            let message = format!("the list was not complete within {}", seconds(limit));
            Err(SourceError::new(SourceErrorKind::Unavailable, message))
        })
    }

    async fn cached(&self, id: &Id) -> Result<CachedSkill, SourceError> {
        let is_current = self
            .cache()
            .revision()
            .is_some_and(|listed| self.signal.now() <= listed);
        let known = self.cache().get(id);
        if known.is_none() && !is_current {
            self.list().await?;
        }
        known
            .or_else(|| self.cache().get(id))
            .ok_or_else(|| SourceError::not_found("skill", id))
    }

    async fn refreshed(
        &self,
        id: &Id,
        old: &CachedSkill,
        connected: &Connected,
    ) -> Result<CachedSkill, SourceError> {
        let fresh = connected
            .method
            .entry(&connected.connection, &old.entry, &self.options)
            .await;
        let fresh = fresh.map_err(|error| self.gone(id, error))?;
        if self.cache().refresh(id, fresh) {
            self.signal.bump();
        }
        self.cache()
            .get(id)
            .ok_or_else(|| SourceError::not_found("skill", id))
    }

    fn gone(&self, id: &Id, error: SourceError) -> SourceError {
        if error.kind() != SourceErrorKind::NotFound {
            return error;
        }
        self.signal.bump();
        SourceError::not_found("skill", id).caused_by(error)
    }

    async fn read(
        &self,
        id: &Id,
        path: &ResourcePath,
    ) -> Result<(Vec<u8>, CachedSkill), SourceError> {
        let mut cached = self.cached(id).await?;
        let connected = self.connected().await?;
        let mut is_fresh = matches!(cached.entry.files, ListedFiles::Beside);
        if is_fresh {
            cached = self.refreshed(id, &cached, &connected).await?;
        }
        loop {
            let read = self
                .read_once(&cached.entry, path, &connected.connection)
                .await;
            match read {
                Ok(bytes) => return Ok((bytes, cached)),
                Err(ReadError::Otherwise(error)) => return Err(error),
                Err(ReadError::NotAsListed(error)) if is_fresh => return Err(error),
                Err(ReadError::NotAsListed(error)) => {
                    let before = Arc::clone(&cached.entry);
                    cached = self.refreshed(id, &cached, &connected).await?;
                    if cached.entry == before {
                        return Err(error);
                    }
                    is_fresh = true;
                }
            }
        }
    }

    async fn read_once(
        &self,
        entry: &ListedSkill,
        path: &ResourcePath,
        connection: &ServerConnection,
    ) -> Result<Vec<u8>, ReadError> {
        let not_found = || {
            SourceError::new(
                SourceErrorKind::NotFound,
                format!("no file `{}` is listed", excerpt(path.as_str())),
            )
        };
        match &entry.files {
            ListedFiles::Listed(files) => {
                let file = files
                    .get(path)
                    .ok_or_else(|| ReadError::NotAsListed(not_found()))?;
                let (bytes, _) =
                    connection
                        .read(&file.uri)
                        .await
                        .map_err(|error| match error.kind() {
                            SourceErrorKind::NotFound => ReadError::NotAsListed(error),
                            _ => ReadError::Otherwise(error),
                        })?;
                verify(file.digest, Some(file.size), path, &bytes)?;
                Ok(bytes)
            }
            _ if path.as_str() != SKILL_MD => {
                let message = "the server does not list the files of this skill, and what is not listed is not read";
                Err(ReadError::Otherwise(SourceError::new(
                    SourceErrorKind::Unsupported,
                    message,
                )))
            }
            ListedFiles::Alone(Some(digest)) => {
                let (bytes, _) = connection
                    .read(entry.uri.as_str())
                    .await
                    .map_err(ReadError::Otherwise)?;
                verify(*digest, None, path, &bytes)?;
                Ok(bytes)
            }
            ListedFiles::Alone(None) | ListedFiles::Dynamic | ListedFiles::Beside => self
                .read_unverified(entry, connection)
                .await
                .map_err(ReadError::Otherwise),
        }
    }

    async fn read_unverified(
        &self,
        entry: &ListedSkill,
        connection: &ServerConnection,
    ) -> Result<Vec<u8>, SourceError> {
        let asked = entry.uri.as_str();
        if self.options.unverified == Unverified::LeftOut {
            let message =
                "the server gives no digests of this skill, and `unverified` omits such skills";
            return Err(SourceError::new(SourceErrorKind::Denied, message));
        }
        let (bytes, answered) = connection.read(asked).await?;
        if !answered.eq_ignore_ascii_case(asked) {
            let (asked, found) = (excerpt(asked), excerpt(&answered));
            return Err(SourceError::invalid(format!(
                "asked for `{asked}`, the server answers with `{found}`"
            )));
        }
        if bytes.len() as u64 > self.options.limits.file_bytes {
            let message = format!(
                "`{SKILL_MD}` has more than {} bytes",
                self.options.limits.file_bytes
            );
            return Err(SourceError::new(SourceErrorKind::TooLarge, message));
        }
        Ok(bytes)
    }

    fn compare(
        &self,
        id: &Id,
        cached: &CachedSkill,
        bytes: &[u8],
        digest: Digest,
    ) -> Result<(), SourceError> {
        let uri = &cached.entry.uri;
        let location = location_of(&self.name, uri.as_str());
        let parsed = skill_md::parse(
            bytes,
            FileContext::new(&location).in_directory(uri.folder()),
        );
        let Some(mut skill) = parsed.skill else {
            let reason = parsed
                .diagnostics
                .last()
                .map_or("it cannot be read", |diagnostic| {
                    diagnostic.message.as_str()
                });
            return Err(SourceError::invalid(format!(
                "the server's `{SKILL_MD}` is not a skill: {}",
                excerpt(reason)
            )));
        };
        match &cached.entry.fields {
            ListedFields::Complete(fields) => match difference(fields, &skill) {
                Some(field) => Err(SourceError::invalid(mismatch(field))),
                None => Ok(()),
            },
            ListedFields::Partial(_) => {
                skill.id = id.clone();
                let skill = skill.from_location(location);
                let is_wider = is_wider(&cached.skill, &skill);
                if self.cache().record_fetched(id, skill, digest) {
                    self.signal.bump();
                }
                if is_wider {
                    let message = format!(
                        "the `{SKILL_MD}` restricts who may use the skill more than the server's list; list it again"
                    );
                    return Err(SourceError::new(SourceErrorKind::Denied, message));
                }
                Ok(())
            }
        }
    }
}

enum ReadError {
    NotAsListed(SourceError),
    Otherwise(SourceError),
}

fn verify(
    digest: Digest,
    size: Option<u64>,
    path: &ResourcePath,
    bytes: &[u8],
) -> Result<(), ReadError> {
    let (shown, found) = (excerpt(path.as_str()), bytes.len() as u64);
    let message = match size {
        Some(size) if size != found => {
            format!("`{shown}` has {found} bytes, and the server lists {size}")
        }
        _ => match Digest::of(bytes) {
            same if same == digest => return Ok(()),
            other => format!("`{shown}` has the digest {other}, and the server lists {digest}"),
        },
    };
    Err(ReadError::NotAsListed(SourceError::invalid(message)))
}

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
        let before = self.signal.now();
        let catalog = self.catalog().await?;
        Ok(self
            .cache()
            .update(catalog, &self.name, before, &self.signal))
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let (bytes, cached) = self
            .read(id, &skill_md())
            .await
            .map_err(|error| self.gone(id, error))?;
        let digest = Digest::of(&bytes);
        self.compare(id, &cached, &bytes, digest)?;
        Body::of_file(&bytes, cached.stamp)
            .map_err(|error| SourceError::invalid(format!("the `{SKILL_MD}` is {error}")))
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        let cached = self.cached(id).await?;
        let connected = self.connected().await?;
        let cached = self.refreshed(id, &cached, &connected).await?;
        match &cached.entry.files {
            ListedFiles::Listed(files) => Ok(ListedSkill::resources(files)),
            _ => Err(SourceError::unsupported("skill", id, "list of files")),
        }
    }

    async fn omissions(&self, id: &Id) -> Result<Vec<Omission>, SourceError> {
        Ok(self.cached(id).await?.entry.omitted.clone())
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        let (bytes, cached) = self.read(id, path).await?;
        // `SKILL.md` is not one of the listed resources, but a server that passes the skill on needs its bytes.
        if path.as_str() == SKILL_MD {
            self.compare(id, &cached, &bytes, Digest::of(&bytes))?;
        }
        Ok(bytes.into())
    }

    async fn changed(&self, since: Revision) {
        let mut asked = Instant::now();
        loop {
            let Some(connected) = self.current() else {
                let wait = self
                    .backoff
                    .lock()
                    .await
                    .tries
                    .wait(Instant::now().into_std());
                tokio::select! {
                    () = self.signal.wait_past(since) => return,
                    () = tokio::time::sleep(wait) => {}
                }
                if self.signal.now() <= since {
                    self.signal.bump();
                }
                return;
            };
            let notifies = connected.connection.notifies();
            let every = if notifies {
                self.options.poll() * NOTIFYING_FACTOR
            } else {
                self.options.poll()
            };
            drop(connected);
            tokio::select! {
                () = self.signal.wait_past(since) => return,
                () = tokio::time::sleep(every.min(CONNECTION_CHECK)) => {}
            }
            if asked.elapsed() < every || self.current().is_none() {
                continue;
            }
            asked = Instant::now();
            match self.catalog().await {
                Ok(catalog) if self.cache().matches(&catalog) => {}
                // The next listing returns the error.
                _ => self.signal.bump(),
            }
        }
    }
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<McpSource>();
};
