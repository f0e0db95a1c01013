//! Signals of a registry and of its bases: a publication, and the end.

use futures_util::future::select_all;
use tokio::sync::watch;

#[derive(Debug)]
pub(crate) struct ChangeSignals(pub(crate) Vec<watch::Receiver<u64>>);

impl ChangeSignals {
    pub(crate) fn mark_seen(&mut self) {
        self.0
            .iter_mut()
            .for_each(|notices| drop(notices.borrow_and_update()));
    }

    /// Waits for a publication; `false` when there will be none.
    pub(crate) async fn changed(&mut self) -> bool {
        let changes = self.0.iter_mut().map(|notices| Box::pin(notices.changed()));
        select_all(changes).await.0.is_ok()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct CloseSignals(pub(crate) Vec<watch::Receiver<bool>>);

impl CloseSignals {
    pub(crate) fn is_closed(&self) -> bool {
        self.0.iter().any(|closed| *closed.borrow())
    }

    /// Resolves once one of them is closed, or gone with its last handle.
    pub(crate) async fn closed(&mut self) {
        let ends = self
            .0
            .iter_mut()
            .map(|closed| Box::pin(closed.wait_for(|closed| *closed)));
        let _ = select_all(ends).await;
    }
}
