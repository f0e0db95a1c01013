//! Looking at sources again, and publishing what that brings.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use repertoire_core::{Digest, Id, Item, Listing};

use crate::clock::Clock;
use crate::composition::Composition;
use crate::entry::Claim;
use crate::step::{Look, Step};
use crate::{Mount, Registry, Snapshot};

/// Sources asked at the same time, and bodies read at the same time to compare them.
const CONCURRENT: usize = 16;

/// What became known of contents: by source, then id.
pub(crate) type Digests = HashMap<Arc<str>, HashMap<Id, Digest>>;

impl<T: Item> Registry<T> {
    /// Lists every source anew and publishes the result as one view; inside the worker's turn only.
    pub(crate) async fn list_all(&self) {
        self.list_these(&self.composition().mounts, Look::Anew).await;
    }

    /// Lists one source again, in the worker's turn; unless it is no longer composed by then.
    pub(crate) async fn look_again(&self, mount: &Mount<T>) {
        let look = async || {
            let composition = self.composition();
            if let Some(mount) = composition.mount(mount.name()).filter(|now| now.is(mount)) {
                self.list_these(std::slice::from_ref(mount), Look::Again).await;
            }
        };
        self.worker().between(look).await;
        self.tell_all();
    }

    async fn list_these(&self, mounts: &[Mount<T>], look: Look) {
        let base = self.own();
        let steps = steps_of(
            mounts,
            |name| base.layer(name).expect("every mount has a layer").listing.clone(),
            look,
            self.clock(),
        )
        .await;
        let candidate = after(&base, &steps);
        let touched = steps.iter().flat_map(|step| step.touched(&candidate));
        let digests = self.missing_digests(&self.shown(&candidate), touched, &self.composition()).await;
        self.publish(|current| {
            // Unless something was registered meanwhile.
            let next = if current.is(&base) { candidate } else { after(current, &steps) };
            learned(next, &digests)
        });
        self.learn(digests);
    }

    /// The digests of rows that share one of the ids `touched` and that nobody knows yet, so that "identical" is known
    /// for shadows before the view is published. A source without bodies leaves it open.
    ///
    /// `composition` is the one of `view`, which may not be in force yet.
    pub(crate) async fn missing_digests(
        &self,
        view: &Snapshot<T>,
        touched: impl Iterator<Item = Id>,
        composition: &Composition<T>,
    ) -> Digests {
        if !view.is_contested() {
            return HashMap::new();
        }
        // Each once, though many sources have it.
        let touched: HashSet<Id> = touched.collect();
        let entries = touched.iter().filter_map(|id| view.get(id.as_str())).filter(|entry| !entry.shadows.is_empty());
        let unknown = entries.flat_map(|entry| entry.claims()).filter(|claim| claim.digest.is_none());
        let asked: Vec<_> = unknown.map(|claim| self.digest_of(claim, composition)).collect();
        let mut answers = stream::iter(asked).buffer_unordered(CONCURRENT);
        let mut digests = Digests::new();
        while let Some(answer) = answers.next().await {
            if let Some((claim, digest)) = answer {
                digests.entry(claim.origin.source.clone()).or_default().insert(claim.item.id().clone(), digest);
            }
        }
        digests
    }

    async fn digest_of<'c>(&self, claim: &'c Claim<T>, composition: &Composition<T>) -> Option<(&'c Claim<T>, Digest)> {
        let mount = match composition.mount(&claim.origin.source) {
            Some(own) => own.clone(),
            None => self.owner_of(claim).ok()?.1,
        };
        Some((claim, mount.digest(claim.item.id(), self.clock()).await?))
    }
}

/// What each of `mounts` has now over what it had, many asked at a time.
pub(crate) async fn steps_of<T: Item>(
    mounts: &[Mount<T>],
    old: impl Fn(&str) -> Listing<T>,
    look: Look,
    clock: Clock<'_>,
) -> Vec<Step<T>> {
    let steps: Vec<_> = mounts.iter().map(|mount| Step::of(mount, old(mount.name()), look, clock)).collect();
    stream::iter(steps).buffer_unordered(CONCURRENT).collect().await
}

/// The view after `steps`.
pub(crate) fn after<T: Item>(view: &Snapshot<T>, steps: &[Step<T>]) -> Snapshot<T> {
    let mut steps = steps.iter().filter(|step| step.moves(view)).peekable();
    if steps.peek().is_none() {
        // It must not cost a copy of what all the sources have.
        return view.clone();
    }
    let mut draft = view.draft();
    steps.for_each(|step| step.apply(&mut draft));
    view.revised(draft)
}

/// The view with what is known of contents now.
pub(crate) fn learned<T: Item>(view: Snapshot<T>, digests: &Digests) -> Snapshot<T> {
    if digests.is_empty() {
        return view;
    }
    let mut draft = view.draft();
    digests.iter().for_each(|(source, digests)| draft.learn(source, digests));
    view.revised(draft)
}
