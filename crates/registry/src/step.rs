//! What listing one source again brings to the view.

use std::sync::Arc;

use repertoire_core::{Code, Delta, Diagnostic, Id, Item, Listing, Revision, SourceError, with_causes};

use crate::clock::Clock;
use crate::draft::Draft;
use crate::{Layer, Mount, Snapshot};

/// One source's next listing, as a delta over the one it was made for.
#[derive(Debug)]
pub(crate) struct Step<T: Item> {
    source: Arc<str>,
    base: Revision,
    delta: Delta<T>,
    fresh: Listing<T>,
}

/// Why a source is listed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Somebody wants to see what there is now, whether the source knows of it yet or not.
    Anew,
    /// The source itself says that it moved on, and can tell what changed.
    Again,
}

impl<T: Item> Step<T> {
    /// Asks `mount` what changed since `old`. A source that fails, or whose delta does not fit, keeps its rows and gets
    /// a finding.
    pub(crate) async fn of(mount: &Mount<T>, old: Listing<T>, look: Look, clock: Clock<'_>) -> Step<T> {
        let source = &mount.origin().source;
        let answer = match look {
            Look::Anew => mount.list(&old, clock).await,
            Look::Again => mount.list_since(&old, clock).await,
        };
        let error = match answer {
            Ok(delta) => match old.apply(&delta) {
                Ok(fresh) => return Step { source: source.clone(), base: old.revision(), delta, fresh },
                Err(error) => {
                    let message = format!("source `{source}` gave a change that does not fit");
                    SourceError::invalid(message).caused_by(error)
                }
            },
            Err(error) => error,
        };
        Step::new(source, &old, keep(&old, source, &error))
    }

    /// `delta` must fit `old`.
    pub(crate) fn new(source: &str, old: &Listing<T>, delta: Delta<T>) -> Step<T> {
        let fresh = old.apply(&delta).expect("a step is made of a delta that fits");
        Step { source: source.into(), base: old.revision(), delta, fresh }
    }

    /// Whose step it is.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// The source's listing after this step.
    pub(crate) fn listing(&self) -> &Listing<T> {
        &self.fresh
    }

    /// Whether there is anything to apply to `view`. The common case by far is that there is not.
    pub(crate) fn moves(&self, view: &Snapshot<T>) -> bool {
        view.layer(&self.source).is_some_and(|Layer { listing, .. }| {
            !self.delta.is_empty_for(listing) || self.delta.revision != listing.revision()
        })
    }

    /// Applies this step. When the source's rows moved on meanwhile, its later listing stays.
    pub(crate) fn apply(&self, draft: &mut Draft<T>) {
        let Some(Layer { listing, .. }) = draft.layers.get(&self.source) else { return };
        // What does not fit is a change that comes too late.
        let _ = if listing.revision() == self.base {
            draft.apply(&self.source, &self.delta)
        } else {
            let delta = Delta::between(listing, &self.fresh);
            draft.apply(&self.source, &delta)
        };
    }

    /// The effective ids that may have got a new rival.
    pub(crate) fn touched(&self, view: &Snapshot<T>) -> Vec<Id> {
        let Some(layer) = view.layer(&self.source) else { return Vec::new() };
        let effective = |row: &repertoire_core::Listed<T>| layer.effective_id(row.item.id());
        if layer.is_registered {
            // Registering publishes without asking anybody for a digest: look at all of them now.
            return layer.listing.iter().map(effective).collect();
        }
        self.delta.inserted().map(effective).collect()
    }
}

/// No change but a finding that says what went wrong.
fn keep<T: Item>(old: &Listing<T>, source: &str, error: &SourceError) -> Delta<T> {
    let mut message = format!("source `{source}` could not be listed: {}", with_causes(error));
    if !old.is_empty() {
        message.push_str("; its last listing stays");
    }
    let others = old.diagnostics().iter().filter(|finding| finding.code != Code::SOURCE_FAILED).cloned();
    let findings: Vec<_> = others.chain([Diagnostic::new(Code::SOURCE_FAILED, message)]).collect();
    Delta::new(old.revision(), [], findings)
}
