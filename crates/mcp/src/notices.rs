//! Telling clients that what they see is another.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use repertoire::skill::Digest;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, RoleServer, SubscriptionSink};
use tokio::sync::watch;

use crate::resources::not_found;
use crate::view::{Since, View};
use crate::{Face, Faces, Server};
use repertoire::skill::skill_uri::SkillAddress;

/// Resources that one client may follow, and bytes of the URI of each.
const MOST: usize = 1000;
const LONGEST: usize = 4096;

/// The resources that one client follows, each with the content that it was told of; without, where there is none.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions(Mutex<BTreeMap<String, Option<Digest>>>);

/// Whom to tell.
pub(crate) enum Listener {
    /// A client that has a session: of everything that was declared.
    Session(Peer<RoleServer>),
    /// A client that asked for some of it.
    Request(SubscriptionSink),
}

/// What a client was told of, and what it is told of from now on.
pub(crate) struct Follower {
    pub(crate) server: Server,
    pub(crate) views: watch::Receiver<Arc<View>>,
    pub(crate) told: Since,
    pub(crate) faces: Faces,
    /// Whether the client lists by the extension, whose lists change with the skills and have no notice of their own.
    pub(crate) lists_skills: Arc<AtomicBool>,
    /// Whether the client is listed the skills of the standard alone.
    pub(crate) is_strict: bool,
    pub(crate) subscriptions: Arc<Subscriptions>,
    pub(crate) listener: Listener,
}

/// The client is gone.
struct Gone;

impl Subscriptions {
    /// Follows what is at `uri`, or will be: what is hidden is followed as what is not there.
    pub(crate) async fn add(&self, server: &Server, uri: String) -> Result<(), ErrorData> {
        if !can_be_followed(&uri) {
            return Err(not_found(&uri));
        }
        let digest = server.digest_of(&uri).await;
        let mut followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if followed.len() >= MOST && !followed.contains_key(&uri) {
            return Err(ErrorData::invalid_request(format!("no more than {MOST} resources can be followed"), None));
        }
        followed.insert(uri, digest);
        Ok(())
    }

    pub(crate) fn remove(&self, uri: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(uri);
    }

    fn all(&self) -> Vec<(String, Option<Digest>)> {
        let followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        followed.iter().map(|(uri, digest)| (uri.clone(), *digest)).collect()
    }

    /// Notes what `uri` is now, if it is followed still.
    fn note(&self, uri: &str, digest: Option<Digest>) {
        if let Some(noted) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get_mut(uri) {
            *noted = digest;
        }
    }
}

impl Follower {
    /// Tells of every view that differs from the one before, once, until the client is gone.
    pub(crate) async fn run(mut self) {
        loop {
            let view = Arc::clone(&self.views.borrow_and_update());
            // In a box, so that one who waits is small.
            if Box::pin(self.tell(&view)).await.is_err() {
                return;
            }
            drop(view);
            if self.views.changed().await.is_err() {
                return;
            }
        }
    }

    async fn tell(&mut self, view: &View) -> Result<(), Gone> {
        let (now, told) = (view.since, std::mem::replace(&mut self.told, view.since));
        let tools = now.tools != told.tools && self.faces.has(Face::Tools);
        let prompts = now.prompts != told.prompts && self.faces.has(Face::Prompts);
        let skills = now.skills != told.skills;
        let lists_skills = self.faces.has(Face::Extension) && self.lists_skills.load(Ordering::Relaxed);
        let listed = if self.is_strict { now.standard_skills != told.standard_skills } else { skills };
        let resources = (now.resources != told.resources || listed && lists_skills) && self.faces.has(Face::Resources);
        // Together, so that they are sent together.
        tokio::try_join!(
            async { if tools { self.listener.tools_changed().await } else { Ok(()) } },
            async { if prompts { self.listener.prompts_changed().await } else { Ok(()) } },
            async { if resources { self.listener.resources_changed().await } else { Ok(()) } },
        )?;
        if skills {
            for (uri, told) in self.subscriptions.all() {
                let now = self.server.digest_of(&uri).await;
                if now != told {
                    self.subscriptions.note(&uri, now);
                    self.listener.updated(uri).await?;
                }
            }
        }
        Ok(())
    }
}

impl Listener {
    async fn tools_changed(&self) -> Result<(), Gone> {
        match self {
            Listener::Session(peer) => peer.notify_tool_list_changed().await.map_err(|_| Gone),
            Listener::Request(sink) if sink.accepted().tools_list_changed == Some(true) => {
                sink.notify_tool_list_changed().await.map_err(|_| Gone)
            }
            Listener::Request(_) => Ok(()),
        }
    }

    async fn prompts_changed(&self) -> Result<(), Gone> {
        match self {
            Listener::Session(peer) => peer.notify_prompt_list_changed().await.map_err(|_| Gone),
            Listener::Request(sink) if sink.accepted().prompts_list_changed == Some(true) => {
                sink.notify_prompt_list_changed().await.map_err(|_| Gone)
            }
            Listener::Request(_) => Ok(()),
        }
    }

    async fn resources_changed(&self) -> Result<(), Gone> {
        match self {
            Listener::Session(peer) => peer.notify_resource_list_changed().await.map_err(|_| Gone),
            Listener::Request(sink) if sink.accepted().resources_list_changed == Some(true) => {
                sink.notify_resource_list_changed().await.map_err(|_| Gone)
            }
            Listener::Request(_) => Ok(()),
        }
    }

    async fn updated(&self, uri: String) -> Result<(), Gone> {
        match self {
            Listener::Session(peer) => {
                peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.map_err(|_| Gone)
            }
            Listener::Request(sink) => sink.notify_resource_updated(uri).await.map_err(|_| Gone),
        }
    }
}

/// The resources that a request follows.
pub(crate) fn followed(filter: &SubscriptionFilter) -> impl Iterator<Item = &String> {
    filter.resource_subscriptions.iter().flatten().filter(|uri| can_be_followed(uri)).take(MOST)
}

/// Whether there could ever be a file at `uri`.
fn can_be_followed(uri: &str) -> bool {
    uri.len() <= LONGEST && SkillAddress::parse(uri).is_some_and(|place| place.path.is_some())
}

impl Server {
    /// What is at `uri` now; `None` where there is nothing that can be read.
    async fn digest_of(&self, uri: &str) -> Option<Digest> {
        let place = SkillAddress::parse(uri)?;
        let view = self.view();
        let files = self.shelf().files(view.find(&place.root)?).await.ok()?;
        Some(files.of(place.path.as_ref()?)?.digest)
    }
}
