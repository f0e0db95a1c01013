//! Following a registry: subscriptions, callbacks and rules.

use std::sync::Arc;

use repertoire_core::Item;

use crate::listener::Listener;
use crate::registry::WeakRegistry;
use crate::signals::{ChangeSignals, CloseSignals};
use crate::{CallbackGuard, Registry, RuleStack, Subscription, Update};

impl<T: Item> Registry<T> {
    /// Returns a subscription that starts with the current snapshot.
    pub fn subscribe(&self) -> Subscription<T> {
        Subscription::new(self)
    }

    /// Calls `callback` with every change from now on, until the guard is dropped or the registry closed.
    ///
    /// - On a registry that was [started](crate::Builder::start), it runs on the runtime's threads for blocking work.
    /// - On a registry that was only [loaded](crate::Builder::load), it runs in the thread that published, before
    ///   [`register`](Registry::register), [`refresh`](Registry::refresh) or the like returns.
    /// - No lock is held, so the callback may modify the registry. It is called again for its own changes after it returns.
    /// - One call runs at a time. Changes during a call are folded into one for the next call, in the same thread.
    /// - No caller waits for a callback in a different thread. A callback that panics is still called for the next change.
    /// - A callback that holds a handle of the registry keeps it alive until the callback ends.
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
    /// use repertoire_core::Skill;
    /// use repertoire_registry::SkillRegistry;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = SkillRegistry::builder().load().await?;
    /// let (sender, summaries) = mpsc::channel();
    /// let handle = registry.on_change(move |update| sender.send(update.change.summary().to_string()).unwrap_or_default());
    ///
    /// registry.register(Skill::new("tidy".parse()?, "Sorts a folder."))?;
    /// assert_eq!(summaries.recv()?, "+ tidy");
    ///
    /// drop(handle);
    /// registry.unregister("tidy");
    /// assert!(summaries.recv().is_err(), "the callback is gone");
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_change(&self, callback: impl FnMut(&Update<T>) + Send + 'static) -> CallbackGuard {
        let notices = self.notices();
        self.follow_base();
        let listener = {
            // A publisher reads the list after publishing, so no snapshot is missed in between.
            let mut list = self.0.listeners.list();
            let listener = Listener::new(Box::new(callback), self.snapshot());
            let task = self.runtime().map(|runtime| {
                runtime.spawn(follow(
                    self.downgrade(),
                    Arc::clone(&listener),
                    notices,
                    self.closing(),
                ))
            });
            if self.closing().is_closed() {
                listener.end();
            } else {
                list.push((Arc::clone(&listener), task));
            }
            listener
        };
        let registry = self.downgrade();
        CallbackGuard(Some(Box::new(move || {
            listener.end();
            if let Some(registry) = registry.upgrade() {
                registry
                    .0
                    .listeners
                    .list()
                    .retain(|(other, _)| !Arc::ptr_eq(other, &listener));
            }
            listener.wait();
        })))
    }

    /// Waits until the rules are not `known`, and returns them. Does not return once the registry is closed.
    ///
    /// A change of the rules alone is not a new snapshot for a [`Subscription`](crate::Subscription).
    ///
    /// # Cancel safety
    /// May be dropped at any point; no change is lost.
    #[doc(hidden)]
    pub async fn rules_changed(&self, known: &RuleStack) -> RuleStack {
        let mut notices = self.notices();
        loop {
            // Marked before they are read, so that rules set in between are returned.
            notices.mark_seen();
            let rules = self.read(|view| view.rules().clone());
            if rules != *known {
                return rules;
            }
            if !notices.changed().await {
                std::future::pending::<()>().await;
            }
        }
    }

    pub(crate) fn notify_all_callbacks(&self) {
        if let Some(base) = self.base() {
            base.notify_all_callbacks();
        }
        self.notify_callbacks();
    }

    fn follow_base(&self) {
        if let (Some(base), None, false) = (self.base(), self.runtime(), self.closing().is_closed())
        {
            self.0.hook.lock().get_or_insert_with(|| {
                let overlay = self.downgrade();
                base.on_change(move |_| {
                    overlay
                        .upgrade()
                        .iter()
                        .for_each(Registry::notify_callbacks)
                })
            });
        }
    }

    pub(crate) fn notify_callbacks(&self) {
        if self.runtime().is_none() {
            let all: Vec<_> = self
                .0
                .listeners
                .list()
                .iter()
                .map(|(listener, _)| Arc::clone(listener))
                .collect();
            all.iter()
                .for_each(|listener| listener.notify(|| self.snapshot()));
        }
    }
}

async fn follow<T: Item>(
    registry: WeakRegistry<T>,
    listener: Arc<Listener<T>>,
    mut notices: ChangeSignals,
    mut closing: CloseSignals,
) {
    let mut ended = listener.ended.subscribe();
    loop {
        tokio::select! {
            biased;
            () = closing.closed() => return,
            _ = ended.wait_for(|ended| *ended) => return,
            is_more = notices.changed() => if !is_more { return },
        }
        let Some(registry) = registry.upgrade() else {
            return;
        };
        let listener = Arc::clone(&listener);
        // It cannot panic: the callback is caught.
        let _ = tokio::task::spawn_blocking(move || listener.notify(|| registry.snapshot())).await;
    }
}
