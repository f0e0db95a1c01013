//! Files of one name, and one file under several paths.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::judge::SkillCandidate;
use crate::schema::{Duplicates, SameName};
use crate::view::UnseenReason;

/// The most rivals that one file names, so that many files of one name stay cheap.
const MOST_RIVALS: usize = 8;

/// The place of a file in the order of its agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    pub(crate) root: usize,
    pub(crate) level: usize,
    pub(crate) path: Arc<Path>,
}

/// A candidate that competes with others.
pub(crate) struct Contender<'a> {
    pub(crate) found: &'a mut SkillCandidate,
    pub(crate) rank: Rank,
    pub(crate) real: Arc<Path>,
}

/// Decides which of several files an agent takes. `contenders` are in the order of their ranks.
pub(crate) fn resolve(rules: &Duplicates, contenders: &mut [Contender<'_>]) {
    same_file(rules, contenders);
    let mut by_name: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
    for (at, contender) in contenders.iter().enumerate() {
        if contender.found.omitted.is_none() {
            let name = contender.found.name.clone();
            by_name.entry(name).or_default().push(at);
        }
    }
    for group in by_name.into_values().filter(|group| group.len() > 1) {
        same_name(rules, contenders, &group);
    }
}

fn same_file(rules: &Duplicates, contenders: &mut [Contender<'_>]) {
    let possible = rules.same_file_once.possible();
    if !possible.contains(&true) {
        return;
    }
    let mut first: HashMap<Arc<Path>, Arc<Path>> = HashMap::new();
    for contender in contenders {
        if contender.found.omitted.is_some() {
            continue;
        }
        match first.get(&contender.real) {
            None => {
                first.insert(contender.real.clone(), contender.rank.path.clone());
            }
            Some(by) => {
                let reason = UnseenReason::SameFile { by: by.clone() };
                match possible.contains(&false) {
                    true => contender.found.doubt(reason),
                    false => contender.found.omit(reason),
                }
            }
        }
    }
}

fn same_name(rules: &Duplicates, contenders: &mut [Contender<'_>], group: &[usize]) {
    let possible = rules.same_name.possible();
    if possible == [SameName::AllStay] {
        return;
    }
    let shadowed = |by: &Rank| UnseenReason::Shadowed {
        by: by.path.clone(),
    };
    let may_stay = possible.contains(&SameName::AllStay);
    // The certain winner among the earlier ones, and those that win if they load.
    let (mut winner, mut rivals): (Option<Rank>, Vec<Rank>) = (None, Vec::new());
    let members: Vec<_> = group
        .iter()
        .map(|at| (*at, contenders[*at].rank.clone()))
        .collect();
    for tie in members.chunk_by(|(_, a), (_, b)| are_tied(rules, a, b)) {
        let tied: Vec<_> = tie.iter().map(|(_, rank)| rank.clone()).collect();
        for (at, rank) in tie {
            let found = &mut *contenders[*at].found;
            match &winner {
                Some(winner) if may_stay => found.doubt(shadowed(winner)),
                Some(winner) => found.omit(shadowed(winner)),
                None => {
                    let others = tied.iter().filter(|other| *other != rank);
                    for rival in rivals.iter().chain(others).take(MOST_RIVALS) {
                        found.doubt(shadowed(rival));
                    }
                }
            }
        }
        let mut loads = tie.iter().filter(|(at, _)| {
            let doubts = &contenders[*at].found.doubts;
            doubts.iter().all(|doubt| is_shadow(doubt, &tied))
        });
        let first = loads.next().map(|(_, rank)| rank.clone());
        winner = winner.or(first);
        rivals.extend(tied);
    }
}

/// Returns whether `doubt` states that a file of the same tie wins, so that one of them loads for certain.
fn is_shadow(doubt: &UnseenReason, tied: &[Rank]) -> bool {
    matches!(doubt, UnseenReason::Shadowed { by } if tied.iter().any(|rank| rank.path == *by))
}

/// Returns whether no source says which of two neighbours is preferred.
fn are_tied(rules: &Duplicates, a: &Rank, b: &Rank) -> bool {
    if rules.same_name.possible().contains(&SameName::OneOfThem) {
        return true;
    }
    a.root == b.root
        && if a.level == b.level {
            rules.sorted.known() != Some(&true)
        } else {
            rules.nearest_first.known().is_none()
        }
}
