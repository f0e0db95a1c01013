//! The rule of merging: pure, total, independent of order.

use std::collections::HashSet;

use repertoire_core::{Id, Item};

use crate::entry::Conflict;
use crate::layers::Layers;
use crate::reason::Reason;
use crate::{Candidate, Entry, Layer, RuleStack, Shadow, Snapshot, Status, Tier};

/// Merges `layers` into one snapshot. Every faster path is tested to equal this function.
///
/// 1. Of several candidates for one id, active ones come before pending ones, and those before disabled ones. Then a preference wins, then the
///    lowest [`Tier`], then the source whose namespace it is, then the source that was composed first.
///    [`Snapshot::reason`] returns which of these decided. The order of the slice does not matter.
/// 2. A loser is a [`Shadow`] of the winner and stays readable as `source:id`.
/// 3. The id of a candidate from a namespaced layer is `source:id`. A prefix `source:` that `id` is written with is not repeated.
///    The same holds for an `id` that begins with the name of a different source that counts as much, in any letter case or
///    look-alike letters.
/// 4. Entries iterate by tier, then source, then the source's own order.
///
/// ```
/// use repertoire_core::{ListingEntry, Listing, Revision, Skill, Stamp};
/// use repertoire_registry::{Layer, Origin, Tier, merge};
///
/// let skill = |text| Skill::new("tidy".parse().expect("a good id"), text);
/// let listing = |text| Listing::new(Revision(0), [ListingEntry::new(skill(text), Stamp::of(text))], []);
/// let snapshot = merge(&[
///     Layer::new(Origin::new(Tier::User, "home"), 1, listing("mine")),
///     Layer::new(Origin::new(Tier::Builtin, "agent"), 0, listing("theirs")),
/// ]);
/// let entry = snapshot.get("tidy").ok_or("no entry")?;
/// assert_eq!(entry.item().description.as_ref(), "theirs");
/// assert_eq!(entry.shadows[0].candidate.origin.source.as_ref(), "home");
/// # Ok::<(), &str>(())
/// ```
pub fn merge<T: Item>(layers: &[Layer<T>]) -> Snapshot<T> {
    merge_under(&RuleStack::default(), layers)
}

/// Merges `layers` as [`merge`] does, under `rules` that disable items.
pub fn merge_under<T: Item>(rules: &RuleStack, layers: &[Layer<T>]) -> Snapshot<T> {
    Snapshot::of(layers, rules)
}

/// The rank of a candidate for an id. The smallest one wins. [`Reason`] has a variant for each field, in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    status: Status,
    /// A preference beats the tier.
    unpreferred: bool,
    tier: Tier,
    /// Inside a tier, `kit:slides` belongs to the source `kit`.
    plain: bool,
    place: usize,
    /// `tidy` of the namespaced source `acme` comes before its `acme:tidy`.
    prefixed: bool,
}

fn rank<T: Item>(layers: &Layers<T>, candidate: &Candidate<T>) -> Rank {
    let place = layers
        .place(&candidate.origin.source)
        .expect("candidates are removed before their layer is");
    let layer = &layers.as_slice()[place];
    Rank {
        status: candidate.status,
        unpreferred: !layer.prefers(candidate.item.id()),
        tier: layer.origin.tier,
        plain: !layer.namespaced,
        place,
        prefixed: candidate
            .item
            .id()
            .as_str()
            .strip_prefix(&*layer.origin.source)
            .is_some_and(|rest| rest.starts_with(':')),
    }
}

impl<T: Item> Entry<T> {
    pub(crate) fn single(id: Id, candidate: Candidate<T>) -> Entry<T> {
        Entry {
            id,
            candidate,
            shadows: Vec::new(),
            conflict: None,
        }
    }

    pub(crate) fn resolve(
        id: Id,
        mut candidates: Vec<Candidate<T>>,
        layers: &Layers<T>,
    ) -> Entry<T> {
        candidates.sort_by_cached_key(|candidate| rank(layers, candidate));
        // A link to the same file is not a second skill, unless its tier or trust differs.
        let mut files = HashSet::new();
        let (candidates, aliases): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|candidate| {
                let file = candidate.item.real_location();
                file.is_none_or(|file| {
                    files.insert((file.to_owned(), candidate.origin.tier, candidate.trust))
                })
            });
        let mut candidates = candidates.into_iter();
        let candidate = candidates
            .next()
            .expect("an id without a candidate is never resolved");
        let shadows: Vec<_> = candidates
            .map(|loser| Shadow {
                identical: candidate
                    .digest
                    .zip(loser.digest)
                    .map(|(won, lost)| won == lost),
                candidate: loser,
            })
            .collect();
        let won = rank(layers, &candidate);
        let plain = Rank {
            unpreferred: true,
            ..won
        };
        let passed = shadows
            .iter()
            .find(|shadow| !won.unpreferred && rank(layers, &shadow.candidate) < plain);
        let passed = passed.map(|shadow| shadow.candidate.origin.clone());
        let is_noted = passed.is_some() || !aliases.is_empty();
        Entry {
            id,
            candidate,
            shadows,
            conflict: is_noted.then(|| Box::new(Conflict { aliases, passed })),
        }
    }
}

impl<T: Item> Snapshot<T> {
    /// Returns in words why `loser` comes after `winner`, both candidates for one id in this snapshot.
    ///
    /// # Panics
    /// If one of the candidates is from a source that this snapshot does not have.
    pub fn reason(&self, winner: &Candidate<T>, loser: &Candidate<T>) -> String {
        let (won, lost) = (
            rank(self.all_layers(), winner),
            rank(self.all_layers(), loser),
        );
        let (winner, loser) = (winner.origin.source.clone(), loser.origin.source.clone());
        let reason = if won.status != lost.status {
            Reason::Status {
                loser,
                status: lost.status,
            }
        } else if won.unpreferred != lost.unpreferred {
            Reason::Preference { winner }
        } else if won.tier != lost.tier {
            Reason::Tier {
                won: won.tier,
                lost: lost.tier,
            }
        } else if won.plain != lost.plain {
            Reason::Namespace { winner }
        } else if won.place != lost.place {
            Reason::Position { winner, loser }
        } else {
            Reason::Prefix { source: winner }
        };
        reason.to_string()
    }
}
