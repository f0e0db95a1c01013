//! Following a registry.

use repertoire_core::Item;

use crate::registry::WeakRegistry;
use crate::signals::{ChangeSignals, CloseSignals};
use crate::{Registry, Snapshot, Update};

/// A subscription to the snapshots of a registry. Skipped generations are folded into one change.
///
/// Nothing is queued, so a slow subscriber costs nothing.
///
/// ```
/// use repertoire_core::Skill;
/// use repertoire_registry::SkillRegistry;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = SkillRegistry::builder().load().await?;
/// let mut subscription = registry.subscribe();
/// assert!(subscription.current().is_empty());
///
/// registry.register(Skill::new("tidy".parse()?, "Sorts a folder."))?.unregister("tidy");
/// registry.register(Skill::new("greet".parse()?, "Greets people."))?;
/// let update = subscription.next().await.ok_or("closed")?;
/// assert_eq!(update.change.added.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>(), ["greet"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Subscription<T: Item> {
    registry: WeakRegistry<T>,
    seen: Snapshot<T>,
    notices: ChangeSignals,
    closing: CloseSignals,
}

impl<T: Item> Subscription<T> {
    pub(crate) fn new(registry: &Registry<T>) -> Subscription<T> {
        let (notices, closing) = (registry.notices(), registry.closing());
        Subscription {
            notices,
            closing,
            seen: registry.snapshot(),
            registry: registry.downgrade(),
        }
    }

    /// Returns the snapshot that was delivered last, at first the one at the time of subscribing.
    pub fn current(&self) -> &Snapshot<T> {
        &self.seen
    }

    /// Waits for a newer snapshot. Returns `None` once the registry is closed or its last handle is dropped. A subscription
    /// does not keep the registry alive.
    ///
    /// # Cancel safety
    /// May be dropped at any point; nothing is lost.
    pub async fn next(&mut self) -> Option<Update<T>> {
        loop {
            // Marked before it is read, so that a snapshot published in between is delivered.
            self.notices.mark_seen();
            let snapshot = self.registry.upgrade()?.snapshot();
            if snapshot.generation() > self.seen.generation() {
                let change = snapshot.changes_since(&self.seen);
                self.seen = snapshot.clone();
                return Some(Update { snapshot, change });
            }
            // The same snapshot, which may know more digests, so that the next change is more precise.
            self.seen = snapshot;
            tokio::select! {
                biased;
                is_more = self.notices.changed() => is_more.then_some(())?,
                () = self.closing.closed() => return None,
            }
        }
    }
}
