//! Following a registry.

use futures_util::stream::{self, Stream};
use repertoire_core::Item;

use crate::signals::Notices;
use crate::{Change, Registry, Snapshot};

/// A new view, and what changed since the one that was delivered before it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Update<T: Item> {
    /// The latest view.
    pub snapshot: Snapshot<T>,
    /// From the view delivered last to this one, whatever lay in between.
    pub change: Change<T>,
}

/// The views of a registry, the latest each time: skipped generations are folded into one change.
///
/// Nothing is queued, so a slow subscriber costs nothing, and one that is dropped or panics harms nobody.
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
    registry: Registry<T>,
    seen: Snapshot<T>,
    notices: Notices,
}

impl<T: Item> Subscription<T> {
    pub(crate) fn new(registry: Registry<T>) -> Subscription<T> {
        Subscription { notices: registry.notices(), seen: registry.snapshot(), registry }
    }

    /// The view delivered last; at first the one to begin with: what was current when following began.
    pub fn current(&self) -> &Snapshot<T> {
        &self.seen
    }

    /// Waits for a newer view; `None` once the registry is closed.
    ///
    /// # Cancel safety
    /// May be dropped at any point; nothing is lost.
    pub async fn next(&mut self) -> Option<Update<T>> {
        loop {
            // Marked first, read second: a view published in between is delivered, not missed.
            self.notices.mark_seen();
            let snapshot = self.registry.snapshot();
            if snapshot.generation() > self.seen.generation() {
                let change = snapshot.changes_since(&self.seen);
                self.seen = snapshot.clone();
                return Some(Update { snapshot, change });
            }
            // The same view, of whose contents more may be known: the next change can tell better what moved.
            self.seen = snapshot;
            tokio::select! {
                biased;
                is_more = self.notices.changed() => is_more.then_some(())?,
                () = self.registry.closed() => return None,
            }
        }
    }

    /// The same as a stream.
    pub fn into_stream(self) -> impl Stream<Item = Update<T>> + Send {
        stream::unfold(self, async |mut subscription| {
            let update = subscription.next().await?;
            Some((update, subscription))
        })
    }
}
