//! A second kind of item: merging knows nothing of skills.

use std::collections::BTreeMap;
use std::sync::Mutex;

use proptest::prelude::*;
use repertoire_core::{
    Body, Digest, Id, Item, Listing, ListingEntry, Revision, Source, SourceError, SourceErrorKind,
    Stamp, async_trait,
};
use repertoire_registry::{Layer, Origin, Snapshot, Tier, Trust};
use tokio::sync::watch;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Workflow {
    pub(crate) id: Id,
    pub(crate) steps: u8,
}

impl Item for Workflow {
    const KIND: &'static str = "workflow";

    fn id(&self) -> &Id {
        &self.id
    }
}

pub(crate) fn id(text: &str) -> Id {
    text.parse().unwrap()
}

/// A row whose content is its number of steps.
pub(crate) fn row(name: &str, steps: u8) -> ListingEntry<Workflow> {
    ListingEntry::new(
        Workflow {
            id: id(name),
            steps,
        },
        Stamp::of(&steps),
    )
}

/// Returns a [`row`] whose digest depends on `content`.
pub(crate) fn digested(name: &str, steps: u8, content: u8) -> ListingEntry<Workflow> {
    row(name, steps).with_digest(Digest::of(&[content]))
}

pub(crate) fn listing(
    revision: u64,
    rows: impl IntoIterator<Item = ListingEntry<Workflow>>,
) -> Listing<Workflow> {
    Listing::new(Revision(revision), rows, [])
}

pub(crate) fn layer(
    tier: Tier,
    source: &str,
    position: usize,
    rows: impl IntoIterator<Item = ListingEntry<Workflow>>,
) -> Layer<Workflow> {
    Layer::new(Origin::new(tier, source), position, listing(0, rows))
}

/// `id <- source` and `id <- source > shadow > shadow`, in order of iteration.
pub(crate) fn table(snapshot: &Snapshot<Workflow>) -> Vec<String> {
    let row = |entry: &std::sync::Arc<repertoire_registry::Entry<Workflow>>| {
        let chain: Vec<_> = entry
            .candidates()
            .map(|candidate| candidate.origin.source.to_string())
            .collect();
        format!("{} <- {}", entry.id, chain.join(" > "))
    };
    snapshot.entries().iter().map(row).collect()
}

/// Ids that are written like the full names of items, or with the prefix of a namespace.
const FULL_NAMES: [&str; 6] = ["s0:w0", "s0:w1", "s1:w0", "s2:w1", "b0:w0", "o0:w0"];

fn spelled(number: u8) -> String {
    usize::from(number)
        .checked_sub(8)
        .map_or_else(|| format!("w{number}"), |at| FULL_NAMES[at].to_owned())
}

/// The item's id without the prefix of its layer's namespace.
pub(crate) fn bare(layer: &Layer<Workflow>, id: &Id) -> Id {
    let rest = id
        .as_str()
        .strip_prefix(&format!("{}:", layer.origin.source))
        .filter(|_| layer.namespaced);
    rest.map_or_else(|| id.clone(), |rest| rest.parse().unwrap())
}

prop_compose! {
    /// Up to eight rows over fourteen ids, some with digests.
    pub(crate) fn any_rows()(
        rows in prop::collection::btree_map(0u8..14, (0u8..4, prop::option::of(0u8..3)), 0..8),
        order in any::<u64>(),
    ) -> Vec<ListingEntry<Workflow>> {
        let mut rows: Vec<_> = rows
            .into_iter()
            .map(|(name, (steps, content))| {
                let name = spelled(name);
                content.map_or_else(|| row(&name, steps), |content| digested(&name, steps, content))
            })
            .collect();
        if !rows.is_empty() {
            let middle = order as usize % rows.len();
            rows.rotate_left(middle);
        }
        rows
    }
}

prop_compose! {
    pub(crate) fn any_layer(position: usize)(
        tier in prop_oneof![Just(Tier::Builtin), Just(Tier::User), Just(Tier::Plugin)],
        trust in prop_oneof![4 => Just(Trust::Trusted), 1 => Just(Trust::Restricted), 1 => Just(Trust::Pending)],
        namespaced in prop::bool::weighted(0.2),
        preferred in prop::collection::btree_set(0u8..8, 0..2),
        rows in any_rows(),
    ) -> Layer<Workflow> {
        let mut layer = layer(tier, &format!("s{position}"), position, rows);
        layer.trust = trust;
        layer.namespaced = namespaced;
        layer.preferred = preferred.into_iter().map(|name| id(&format!("w{name}"))).collect();
        layer
    }
}

pub(crate) fn any_layers() -> impl Strategy<Value = Vec<Layer<Workflow>>> {
    (1usize..5).prop_flat_map(|count| (0..count).map(any_layer).collect::<Vec<_>>())
}

/// A source whose rows, failures and pace a test decides.
#[derive(Debug)]
pub(crate) struct Script {
    name: String,
    rows: Mutex<Result<Vec<ListingEntry<Workflow>>, String>>,
    bodies: Mutex<BTreeMap<Id, u8>>,
    revision: watch::Sender<u64>,
}

impl Script {
    pub(crate) fn new(
        name: &str,
        rows: impl IntoIterator<Item = ListingEntry<Workflow>>,
    ) -> Script {
        let rows = Mutex::new(Ok(rows.into_iter().collect()));
        Script {
            name: name.to_owned(),
            rows,
            bodies: Mutex::default(),
            revision: watch::Sender::new(0),
        }
    }

    pub(crate) fn with_body(self, name: &str, content: u8) -> Script {
        self.bodies.lock().unwrap().insert(id(name), content);
        self
    }

    pub(crate) fn set(&self, rows: impl IntoIterator<Item = ListingEntry<Workflow>>) {
        *self.rows.lock().unwrap() = Ok(rows.into_iter().collect());
        self.revision.send_modify(|revision| *revision += 1);
    }

    pub(crate) fn fail(&self, message: &str) {
        *self.rows.lock().unwrap() = Err(message.to_owned());
        self.revision.send_modify(|revision| *revision += 1);
    }
}

#[async_trait]
impl Source<Workflow> for Script {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Workflow>, SourceError> {
        let revision = *self.revision.borrow();
        match &*self.rows.lock().unwrap() {
            Ok(rows) => Ok(listing(revision, rows.clone())),
            Err(message) => Err(SourceError::new(
                SourceErrorKind::Unavailable,
                message.as_str(),
            )),
        }
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let content = self.bodies.lock().unwrap().get(id).copied();
        let content = content.ok_or_else(|| SourceError::not_found("workflow", id))?;
        let row = self
            .rows
            .lock()
            .unwrap()
            .as_ref()
            .unwrap()
            .iter()
            .find(|row| row.item.id == *id)
            .cloned();
        Ok(Body::new(
            content.to_string(),
            Digest::of(&[content]),
            row.unwrap().stamp,
        ))
    }

    async fn changed(&self, since: Revision) {
        let _ = self
            .revision
            .subscribe()
            .wait_for(|now| *now > since.0)
            .await;
    }
}
