//! The project folders that clients name as their roots.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rmcp::service::{Peer, RoleServer};
use tokio::sync::{Notify, watch};

const MAX_ROOTS: usize = 64;
const MAX_URI_BYTES: usize = 4096;

/// The time limit for a client's answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The project folders of each client that is connected, by a number of the connection.
#[derive(Debug, Default)]
pub(crate) struct ClientRoots {
    folders: watch::Sender<BTreeMap<u64, BTreeSet<PathBuf>>>,
    count: AtomicU64,
}

/// The folders of one client. Dropping it removes them.
struct RootsOfClient {
    all: Arc<ClientRoots>,
    number: u64,
}

impl ClientRoots {
    pub(crate) async fn changed(&self, known: &[PathBuf]) -> Vec<PathBuf> {
        let mut folders = self.folders.subscribe();
        let folders = folders
            .wait_for(|folders| union(folders) != known)
            .await
            .expect("the sender is borrowed");
        union(&folders)
    }

    /// Asks `peer` for its roots now and after each notification.
    #[expect(
        deprecated,
        reason = "clients of the protocols before 2026-07-28 have roots"
    )]
    pub(crate) async fn follow(
        self: Arc<ClientRoots>,
        peer: Peer<RoleServer>,
        notified: Arc<Notify>,
    ) {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let roots = RootsOfClient { all: self, number };
        loop {
            let answer = tokio::time::timeout(TIMEOUT, peer.list_roots()).await;
            match answer {
                Ok(Ok(answer)) => {
                    let folders = answer
                        .roots
                        .iter()
                        .filter_map(|root| folder(&root.uri))
                        .take(MAX_ROOTS)
                        .collect();
                    roots
                        .all
                        .folders
                        .send_modify(|all| drop(all.insert(roots.number, folders)));
                }
                Ok(Err(error)) => {
                    tracing::debug!(%error, "the client does not answer with its roots")
                }
                Err(_) => tracing::debug!("the client does not answer with its roots in time"),
            }
            notified.notified().await;
        }
    }
}

impl Drop for RootsOfClient {
    fn drop(&mut self) {
        self.all
            .folders
            .send_modify(|all| drop(all.remove(&self.number)));
    }
}

fn union(folders: &BTreeMap<u64, BTreeSet<PathBuf>>) -> Vec<PathBuf> {
    folders
        .values()
        .flatten()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .cloned()
        .collect()
}

/// Returns the folder of a `file:` URI of this machine.
fn folder(uri: &str) -> Option<PathBuf> {
    if uri.len() > MAX_URI_BYTES {
        return None;
    }
    let path = uri.strip_prefix("file://")?;
    let path = percent_decode_str(path.strip_prefix("localhost").unwrap_or(path))
        .decode_utf8()
        .ok()?;
    // In a URI the letter of a drive has a slash in front.
    let path = if cfg!(windows) {
        path.strip_prefix('/')?
    } else {
        &path
    };
    let path: PathBuf = PathBuf::from(path).components().collect();
    let is_plain = !path.components().any(|part| part == Component::ParentDir)
        && !path.as_os_str().as_encoded_bytes().contains(&0);
    (path.is_absolute() && is_plain).then_some(path)
}

#[cfg(all(test, unix))]
mod tests;
