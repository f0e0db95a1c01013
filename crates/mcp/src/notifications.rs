//! Notifications about lists and resources that changed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use repertoire::skill::Digest;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, RoleServer, SubscriptionSink};
use serde_json::json;
use tokio::sync::watch;

use crate::resources::{not_found, quoted};
use crate::served_view::{ListVersions, ServedView};
use crate::session_messages::MessageLevel;
use crate::session_tools::SessionTools;
use crate::{McpFeatures, Server};
use repertoire::skill::skill_uri::{SkillAddress, SkillRoot};

const MAX_SUBSCRIPTIONS: usize = 1000;
const MAX_URI_BYTES: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct ResourceSubscriptions(Mutex<BTreeMap<String, Option<Digest>>>);

pub(crate) enum NotificationSink {
    Session(Peer<RoleServer>),
    Request(SubscriptionSink),
}

pub(crate) struct Notifier {
    pub(crate) server: Server,
    pub(crate) views: watch::Receiver<Arc<ServedView>>,
    pub(crate) announced: ListVersions,
    pub(crate) features: McpFeatures,
    pub(crate) lists_skills: Arc<AtomicBool>,
    pub(crate) is_strict: bool,
    pub(crate) subscriptions: Arc<ResourceSubscriptions>,
    pub(crate) tools: Arc<SessionTools>,
    pub(crate) message_level: Arc<MessageLevel>,
    pub(crate) sink: NotificationSink,
}

struct Disconnected;

impl ResourceSubscriptions {
    pub(crate) async fn add(&self, server: &Server, uri: String) -> Result<(), ErrorData> {
        if !can_be_followed(&uri) {
            return Err(not_found(&uri));
        }
        let digest = digest_of(server, &uri).await;
        let mut followed = self.0.lock();
        if followed.len() >= MAX_SUBSCRIPTIONS && !followed.contains_key(&uri) {
            return Err(ErrorData::invalid_request(
                format!("no more than {MAX_SUBSCRIPTIONS} resources can be followed"),
                None,
            ));
        }
        followed.insert(uri, digest);
        Ok(())
    }

    pub(crate) fn remove(&self, uri: &str) {
        self.0.lock().remove(uri);
    }

    fn all(&self) -> Vec<(String, Option<Digest>)> {
        let followed = self.0.lock();
        followed
            .iter()
            .map(|(uri, digest)| (uri.clone(), *digest))
            .collect()
    }

    fn note(&self, uri: &str, digest: Option<Digest>) {
        if let Some(noted) = self.0.lock().get_mut(uri) {
            *noted = digest;
        }
    }
}

impl Notifier {
    pub(crate) async fn run(mut self) {
        let mut activations = self.tools.changes();
        loop {
            activations.mark_unchanged();
            let view = Arc::clone(&self.views.borrow_and_update());
            // Boxed, so that a waiting notifier is small.
            if Box::pin(self.notify(&view)).await.is_err() {
                return;
            }
            drop(view);
            tokio::select! {
                changed = self.views.changed() => {
                    if changed.is_err() {
                        return;
                    }
                }
                // This handler has the sender.
                _ = activations.changed() => {}
            }
        }
    }

    /// Names the skills whose text the session was given, and that are denied now.
    async fn name_denied(&self) -> Result<(), Disconnected> {
        let NotificationSink::Session(peer) = &self.sink else {
            return Ok(());
        };
        for SkillRoot { source, id } in self.tools.newly_denied(&self.server) {
            let skill = format!("{source}:{id}");
            let message = format!(
                "the skill `{}` is denied: do not follow what was read of it",
                quoted(&skill)
            );
            let message = json!({ "skill": skill, "message": message });
            disconnected(self.message_level.warn(peer, message).await)?;
        }
        Ok(())
    }

    async fn announce(&self, is_changed: bool, list: ListKind) -> Result<(), Disconnected> {
        if is_changed {
            self.sink.list_changed(list).await
        } else {
            Ok(())
        }
    }

    async fn notify(&mut self, view: &ServedView) -> Result<(), Disconnected> {
        self.name_denied().await?;
        let tools = self.tools.offered(&self.server).version;
        let now = ListVersions {
            tools,
            ..view.versions
        };
        let announced = std::mem::replace(&mut self.announced, now);
        let tools = now.tools != announced.tools && self.features.contains(McpFeatures::TOOLS);
        let prompts =
            now.prompts != announced.prompts && self.features.contains(McpFeatures::PROMPTS);
        let skills = now.skills != announced.skills;
        let lists_skills = self.features.contains(McpFeatures::EXTENSION)
            && self.lists_skills.load(Ordering::Relaxed);
        let listed = if self.is_strict {
            now.standard_skills != announced.standard_skills
        } else {
            skills
        };
        let resources = (now.resources != announced.resources || listed && lists_skills)
            && self.features.contains(McpFeatures::RESOURCES);
        // At once, so that they share a packet.
        tokio::try_join!(
            self.announce(tools, ListKind::Tools),
            self.announce(prompts, ListKind::Prompts),
            self.announce(resources, ListKind::Resources),
        )?;
        if skills {
            for (uri, announced) in self.subscriptions.all() {
                let now = digest_of(&self.server, &uri).await;
                if now != announced {
                    self.subscriptions.note(&uri, now);
                    self.sink.updated(uri).await?;
                }
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum ListKind {
    Tools,
    Prompts,
    Resources,
}

impl NotificationSink {
    async fn list_changed(&self, list: ListKind) -> Result<(), Disconnected> {
        match (self, list) {
            (NotificationSink::Session(peer), ListKind::Tools) => {
                disconnected(peer.notify_tool_list_changed().await)
            }
            (NotificationSink::Session(peer), ListKind::Prompts) => {
                disconnected(peer.notify_prompt_list_changed().await)
            }
            (NotificationSink::Session(peer), ListKind::Resources) => {
                disconnected(peer.notify_resource_list_changed().await)
            }
            (NotificationSink::Request(sink), ListKind::Tools)
                if sink.accepted().tools_list_changed == Some(true) =>
            {
                disconnected(sink.notify_tool_list_changed().await)
            }
            (NotificationSink::Request(sink), ListKind::Prompts)
                if sink.accepted().prompts_list_changed == Some(true) =>
            {
                disconnected(sink.notify_prompt_list_changed().await)
            }
            (NotificationSink::Request(sink), ListKind::Resources)
                if sink.accepted().resources_list_changed == Some(true) =>
            {
                disconnected(sink.notify_resource_list_changed().await)
            }
            (NotificationSink::Request(_), _) => Ok(()),
        }
    }

    async fn updated(&self, uri: String) -> Result<(), Disconnected> {
        match self {
            NotificationSink::Session(peer) => disconnected(
                peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri))
                    .await,
            ),
            NotificationSink::Request(sink) => {
                disconnected(sink.notify_resource_updated(uri).await)
            }
        }
    }
}

fn disconnected<E>(sent: Result<(), E>) -> Result<(), Disconnected> {
    sent.map_err(|_| Disconnected)
}

/// Returns the resources that the filter of a request names and that can be followed.
pub(crate) fn followed(filter: &SubscriptionFilter) -> impl Iterator<Item = &String> {
    filter
        .resource_subscriptions
        .iter()
        .flatten()
        .filter(|uri| can_be_followed(uri))
        .take(MAX_SUBSCRIPTIONS)
}

fn can_be_followed(uri: &str) -> bool {
    uri.len() <= MAX_URI_BYTES && SkillAddress::parse(uri).is_some_and(|place| place.path.is_some())
}

async fn digest_of(server: &Server, uri: &str) -> Option<Digest> {
    let place = SkillAddress::parse(uri)?;
    let view = server.view();
    let manifest = server
        .served_files()
        .manifest(&view.find(&place.root)?)
        .await
        .ok()?;
    Some(manifest.find(place.path.as_ref()?)?.digest)
}
