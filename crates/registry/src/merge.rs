//! Merging: pure, total, order-free.

use repertoire_core::Item;

use crate::{Layer, Rules, Snapshot};

/// Merges `layers` into one view. The law that everything else is proven against.
///
/// 1. Of several claims to one id the admitted beat the pending and those the disabled, then a preference wins, then the
///    lowest [`Tier`](crate::Tier), then the source whose namespace it is, then the source that was composed first.
///    [`Snapshot::reason`] returns which of these decided. The order of the slice is of no account.
/// 2. A loser is a [`Shadow`](crate::Shadow) of the winner and stays readable as `source:id`.
/// 3. A namespaced layer claims `source:id` instead of `id`. A prefix `source:` that `id` is written with is not repeated.
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
    merge_under(&Rules::default(), layers)
}

/// As [`merge`], under `rules` about what is switched off.
pub fn merge_under<T: Item>(rules: &Rules, layers: &[Layer<T>]) -> Snapshot<T> {
    Snapshot::of(layers, rules)
}
