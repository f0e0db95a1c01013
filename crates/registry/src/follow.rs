//! Following the changes that sources report.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{AbortHandle, Abortable};
use futures_util::stream::{FuturesUnordered, StreamExt};
use repertoire_core::{Backoff, Item};
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::composition::Composition;
use crate::registry::WeakRegistry;
use crate::signals::CloseSignals;
use crate::{Mount, Registry};

/// Starts the task that refreshes each source that reports a change.
pub(crate) fn follow_sources<T: Item>(registry: &Registry<T>, runtime: &Handle) {
    let task = follow_until_closed(
        registry.downgrade(),
        registry.0.composition.subscribe(),
        registry.closing(),
    );
    registry.0.tasks.lock().push(runtime.spawn(task));
}

/// Ends when the registry is closed or its last handle is dropped.
async fn follow_until_closed<T: Item>(
    registry: WeakRegistry<T>,
    compositions: watch::Receiver<Arc<Composition<T>>>,
    mut closing: CloseSignals,
) {
    tokio::select! {
        biased;
        () = closing.closed() => {}
        () = follow_all(registry, compositions) => {}
    }
}

async fn follow_all<T: Item>(
    registry: WeakRegistry<T>,
    mut compositions: watch::Receiver<Arc<Composition<T>>>,
) {
    let mut followed: Vec<(Mount<T>, AbortHandle)> = Vec::new();
    // They are polled together, because a source may hold what a different caller waits for.
    let mut running = FuturesUnordered::new();
    loop {
        let composition = compositions.borrow_and_update().clone();
        followed.retain(|(mount, handle)| {
            let stays = composition.mounts.iter().any(|now| now.ptr_eq(mount));
            if !stays {
                handle.abort();
            }
            stays
        });
        for mount in &composition.mounts {
            if !followed.iter().any(|(known, _)| known.ptr_eq(mount)) {
                let (handle, registration) = AbortHandle::new_pair();
                running.push(Abortable::new(
                    follow(registry.clone(), mount.clone()),
                    registration,
                ));
                followed.push((mount.clone(), handle));
            }
        }
        drop(composition);
        loop {
            tokio::select! {
                changed = compositions.changed() => match changed {
                    Ok(()) => break,
                    Err(_) => return,
                },
                Some(_) = running.next() => {}
            }
        }
    }
}

async fn follow<T: Item>(registry: WeakRegistry<T>, mount: Mount<T>) -> Option<()> {
    let mut since = {
        let handle = registry.upgrade()?;
        // In a turn, so that a source that is just being composed has its layer.
        handle
            .0
            .worker
            .run_exclusive(async || handle.revision_of(&mount))
            .await?
    };
    let mut pause = Duration::ZERO;
    loop {
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        mount.changed(since).await;
        let handle = registry.upgrade()?;
        handle.refresh_source(&mount).await;
        let now = handle.revision_of(&mount)?;
        pause = if now > since {
            Duration::ZERO
        } else {
            Backoff::pause_after(pause)
        };
        since = now;
    }
}
