//! Merging: pure, total, order-free.

use std::sync::Arc;

use repertoire_core::{Code, Diagnostic, Item};
use serde::Serialize;

use crate::{Entry, Layer, Snapshot};

/// A finding and the source it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SourceDiagnostic {
    /// The source.
    pub source: Arc<str>,
    /// The finding.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
}

/// Merges `layers` into one view. The law that everything else is proven against.
///
/// 1. Of several claims to one id the admitted beat the pending, then a preference wins, then the source whose
///    namespace it is, then the lowest [`Tier`](crate::Tier), then the source that was composed first. The order
///    of the slice is of no account.
/// 2. A loser is a [`Shadow`](crate::Shadow) of the winner and stays readable as `source:id`.
/// 3. A namespaced layer claims `source:id` instead of `id`.
/// 4. Entries iterate by tier, then source, then the source's own order.
///
/// ```
/// use repertoire_core::{Listed, Listing, Revision, Skill, Stamp};
/// use repertoire_registry::{Layer, Origin, Tier, merge};
///
/// let skill = |text| Skill::new("tidy".parse().expect("a good id"), text);
/// let listing = |text| Listing::new(Revision(0), [Listed::new(skill(text), Stamp::of(text))], []);
/// let snapshot = merge(&[
///     Layer::new(Origin::new(Tier::User, "home"), 1, listing("mine")),
///     Layer::new(Origin::new(Tier::Builtin, "agent"), 0, listing("theirs")),
/// ]);
/// let entry = snapshot.get("tidy").ok_or("no entry")?;
/// assert_eq!(entry.item().description.as_ref(), "theirs");
/// assert_eq!(entry.shadows[0].claim.origin.source.as_ref(), "home");
/// # Ok::<(), &str>(())
/// ```
pub fn merge<T: Item>(layers: &[Layer<T>]) -> Snapshot<T> {
    Snapshot::of(layers)
}

/// Each source's findings, then what merging found.
pub(crate) fn findings<T: Item>(snapshot: &Snapshot<T>) -> Vec<SourceDiagnostic> {
    let mut all = Vec::new();
    let mut push = |source: &Arc<str>, diagnostic| all.push(SourceDiagnostic { source: source.clone(), diagnostic });
    for layer in snapshot.layers() {
        layer.listing.diagnostics().iter().for_each(|finding| push(&layer.origin.source, finding.clone()));
    }
    for layer in snapshot.layers() {
        for id in &layer.preferred {
            let entry = snapshot.get(layer.effective_id(id).as_str());
            if !entry.is_some_and(|entry| entry.claims().any(|claim| claim.origin == layer.origin)) {
                let message = format!("source `{}` is preferred for `{id}` but does not have it", layer.origin.source);
                push(&layer.origin.source, Diagnostic::new(Code::UNKNOWN_PREFERENCE, message));
            }
        }
    }
    for entry in snapshot.entries() {
        for shadow in &entry.shadows {
            push(&shadow.claim.origin.source, shadowing(entry, shadow));
        }
        if let Some(finding) = preference(entry) {
            push(&entry.claim.origin.source, finding);
        }
    }
    all
}

fn shadowing<T: Item>(entry: &Entry<T>, shadow: &crate::Shadow<T>) -> Diagnostic {
    let (kind, id, winner) = (T::KIND, &entry.id, entry.origin());
    let mut diagnostic = if shadow.identical == Some(true) {
        let message = format!("{kind} `{id}` is an identical copy of the one from {winner}");
        Diagnostic::new(Code::SHADOWED_IDENTICAL, message)
    } else {
        let help = format!("ask for it as `{}`, rename it, or prefer its source", shadow.claim.qualified_id());
        Diagnostic::new(Code::SHADOWED, format!("{kind} `{id}` is hidden by the one from {winner}")).help(help)
    };
    diagnostic.path = shadow.claim.item.location().map(Into::into);
    diagnostic.other = entry.item().location().map(Into::into);
    diagnostic
}

/// Says so when a preference, not the tier, decided.
fn preference<T: Item>(entry: &Entry<T>) -> Option<Diagnostic> {
    let passed = entry.passed.as_ref()?;
    let message = format!("{} `{}` comes from {} by preference, ahead of {passed}", T::KIND, entry.id, entry.origin());
    Some(Diagnostic::new(Code::PREFERRED, message))
}
