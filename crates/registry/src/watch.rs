//! Keeping up with sources.

use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use repertoire_core::{Item, Revision};
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::registry::WeakRegistry;
use crate::{Mount, Registry};

/// The first wait after a source said "changed" and then could not be listed; doubled up to the last.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LAST_WAIT: Duration = Duration::from_secs(60);

impl<T: Item> Registry<T> {
    /// Starts the one task that looks again at each source that says so.
    pub(crate) fn watch_on(&self, runtime: &Handle) {
        let task = keep_up(self.downgrade(), self.mounts().to_vec(), self.closing());
        self.keep_task(runtime.spawn(task));
    }
}

/// Ends when the registry is closed or its last handle is dropped.
async fn keep_up<T: Item>(registry: WeakRegistry<T>, mounts: Vec<Mount<T>>, mut closing: watch::Receiver<bool>) {
    tokio::select! {
        biased;
        _ = closing.wait_for(|closing| *closing) => {}
        _ = follow(registry, mounts) => {}
    }
}

/// Looks again at whatever says so, until the registry is gone.
async fn follow<T: Item>(registry: WeakRegistry<T>, mounts: Vec<Mount<T>>) -> Option<()> {
    let mut waits = FuturesUnordered::new();
    for mount in mounts {
        let since = registry.upgrade()?.revision_of(&mount);
        waits.push(wait(mount, since, Duration::ZERO));
    }
    while let Some((mount, since, waited)) = waits.next().await {
        let handle = registry.upgrade()?;
        handle.look_again(&mount).await;
        let now = handle.revision_of(&mount);
        let pause = if now > since { Duration::ZERO } else { (waited * 2).clamp(FIRST_WAIT, LAST_WAIT) };
        waits.push(wait(mount, now, pause));
    }
    None
}

async fn wait<T: Item>(mount: Mount<T>, since: Revision, pause: Duration) -> (Mount<T>, Revision, Duration) {
    if !pause.is_zero() {
        tokio::time::sleep(pause).await;
    }
    mount.changed(since).await;
    (mount, since, pause)
}
