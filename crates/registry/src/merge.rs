//! The rule of merging: pure, total, independent of order.

use std::collections::HashSet;

use repertoire_core::{Id, Item};

use crate::layers::Layers;
use crate::{Claim, Entry, Layer, Reason, Rules, Shadow, Snapshot, Standing, Tier, Trust};

/// Merges `layers` into one snapshot. Every faster path is tested to equal this function.
///
/// 1. Of several claims to one id the admitted beat the pending and those the disabled, then a preference wins, then the
///    lowest [`Tier`], then the source whose namespace it is, then the source that was composed first.
///    [`Snapshot::reason`] returns which of these decided. The order of the slice does not matter.
/// 2. A loser is a [`Shadow`] of the winner and stays readable as `source:id`.
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

/// Merges `layers` as [`merge`] does, under `rules` that disable items.
pub fn merge_under<T: Item>(rules: &Rules, layers: &[Layer<T>]) -> Snapshot<T> {
    Snapshot::of(layers, rules)
}

/// The rank of a claim to an id. The smallest one wins. [`Reason`] has a variant for each field, in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    standing: Standing,
    /// A preference beats the tier.
    unpreferred: bool,
    tier: Tier,
    /// Inside a tier, `kit:slides` belongs to the source `kit`.
    plain: bool,
    /// The order of composition.
    place: usize,
    /// `tidy` of the namespaced source `acme` comes before its `acme:tidy`.
    prefixed: bool,
}

fn rank<T: Item>(layers: &Layers<T>, claim: &Claim<T>) -> Rank {
    let place = layers.place(&claim.origin.source).expect("claims are removed before their layer is");
    let layer = &layers.as_slice()[place];
    Rank {
        standing: claim.standing,
        unpreferred: !layer.prefers(claim.item.id()),
        tier: layer.origin.tier,
        plain: !layer.namespaced,
        place,
        prefixed: claim.is_prefixed,
    }
}

impl<T: Item> Entry<T> {
    /// Creates the entry of an id with one claim.
    pub(crate) fn single(id: Id, claim: Claim<T>) -> Entry<T> {
        Entry { id, claim, shadows: Vec::new(), aliases: Vec::new(), passed: None }
    }

    /// Decides which of `claims`, at least one and all made by `layers`, wins `id`. No other function decides that.
    pub(crate) fn resolve(id: Id, mut claims: Vec<Claim<T>>, layers: &Layers<T>) -> Entry<T> {
        claims.sort_by_cached_key(|claim| rank(layers, claim));
        // A link to the same file is not a second skill, unless its tier or trust differs.
        let mut files = HashSet::new();
        let (claims, aliases): (Vec<_>, Vec<_>) = claims.into_iter().partition(|claim| {
            let file = claim.item.real_location();
            file.is_none_or(|file| files.insert((file.to_owned(), claim.origin.tier, claim.trust)))
        });
        let mut claims = claims.into_iter();
        let claim = claims.next().expect("an id without a claim is never resolved");
        let shadows: Vec<_> = claims
            .map(|loser| Shadow {
                identical: claim.digest.zip(loser.digest).map(|(won, lost)| won == lost),
                claim: loser,
            })
            .collect();
        let won = rank(layers, &claim);
        let would_win = |shadow: &&Shadow<T>| rank(layers, &shadow.claim) < Rank { unpreferred: true, ..won };
        let passed = shadows.iter().find(|shadow| !won.unpreferred && would_win(shadow));
        Entry { passed: passed.map(|shadow| shadow.claim.origin.clone()), id, claim, shadows, aliases }
    }
}

impl<T: Item> Layers<T> {
    /// Returns whether the id of `plain`, written `source:id`, gives way to `owner`, which has that full name.
    ///
    /// It does unless it counts more: is admitted where `owner`'s source is not, of an earlier tier, or of more trust.
    pub(crate) fn gives_way(&self, plain: &Claim<T>, owner: &Claim<T>) -> bool {
        let weight = |claim: &Claim<T>| (claim.trust == Trust::Pending, claim.origin.tier, claim.trust);
        plain.origin != owner.origin && weight(owner) <= weight(plain)
    }
}

impl<T: Item> Snapshot<T> {
    /// Returns the reason why `loser` comes after `winner`, both claims to one id in this snapshot: the first field of their
    /// ranks that differs.
    ///
    /// # Panics
    /// If one of the claims is from a source that this snapshot does not have.
    pub fn reason(&self, winner: &Claim<T>, loser: &Claim<T>) -> Reason {
        let (won, lost) = (rank(self.all_layers(), winner), rank(self.all_layers(), loser));
        let source = |claim: &Claim<T>| claim.origin.source.clone();
        if won.standing != lost.standing {
            Reason::Standing { source: source(loser), standing: lost.standing }
        } else if won.unpreferred != lost.unpreferred {
            Reason::Preference { source: source(winner) }
        } else if won.tier != lost.tier {
            Reason::Tier { won: won.tier, lost: lost.tier }
        } else if won.plain != lost.plain {
            Reason::Namespace { source: source(winner) }
        } else if won.place != lost.place {
            Reason::Position { won: source(winner), lost: source(loser) }
        } else {
            Reason::Prefix { source: source(winner) }
        }
    }
}
