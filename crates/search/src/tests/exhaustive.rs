//! The search, against one that looks at every skill for itself.

use super::*;
use crate::query_term::{EXPANSION_WEIGHT, QueryWords};

const WORDS: [&str; 24] = [
    "release",
    "releases",
    "notes",
    "deploy",
    "deployment",
    "form",
    "format",
    "forms",
    "pdf",
    "merge",
    "split",
    "sign",
    "read",
    "reader",
    "write",
    "writer",
    "audit",
    "plan",
    "table",
    "chart",
    "mail",
    "letter",
    "表",
    "表計",
];

/// Returns enough skills for lists of several chunks and several blocks; a seed always gives the same ones.
fn many(count: usize, seed: u64) -> Vec<Skill> {
    let mut state = seed;
    let mut word = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // Common and rare ones.
        let (a, b) = (
            (state >> 33) as usize % WORDS.len(),
            (state >> 45) as usize % WORDS.len(),
        );
        WORDS[a.min(b)]
    };
    let skill = |number| {
        skill(
            &format!("{}-{}-{number}", word(), word()),
            &[word(); 9].map(|_| word()).join(" "),
        )
    };
    (0..count).map(skill).collect()
}

/// Returns the score of every skill that has one of the words.
fn each(index: &SearchIndex, text: &str) -> Vec<(Id, f32)> {
    let wanted = QueryWords::of(&index.0, text, None).words;
    let score = |number: u32| {
        let mut score = 0.0;
        for word in &wanted {
            let typed = word
                .typed
                .as_ref()
                .and_then(|term| Some(term.idf * term.postings.get(number)?.weight()));
            let mut brought = typed.unwrap_or_default();
            score += brought;
            for (_, term) in &word.instead {
                let posting = term
                    .postings
                    .get(number)
                    .filter(|posting| posting.is_in_name());
                let weight = posting.map_or(0.0, |posting| {
                    EXPANSION_WEIGHT * term.idf * posting.weight()
                });
                score += (weight - brought).max(0.0);
                brought = weight.max(brought);
            }
        }
        score
    };
    let scores = index
        .0
        .docs()
        .map(|(number, doc)| (doc.entry.id.clone(), score(number)));
    scores.filter(|(_, score)| *score > 0.0).collect()
}

#[test]
fn indexed_scores_equal_exhaustive_scores() {
    let all = many(5_000, 7);
    let mut index = self::index(all.clone());
    // With gaps in blocks and chunks, and others in their places.
    for (from, to, seed) in [(100, 900, 11), (2_000, 2_010, 13)] {
        let mut next = all.clone();
        next.splice(from..to, many((to - from) / 3, seed));
        index = index.updated(&merge(&[layer(Tier::User, "home", 0, next)]));
    }
    for text in [
        "deploy",
        "release notes pdf",
        "pdf merge",
        "forms",
        "relaese",
        "read wirte form",
        "chart plan rea",
        "表",
        "mail letter",
    ] {
        let hits = index.search(&Query::new(text).limit(10_000));
        let mut found: Vec<(Id, f32)> = hits
            .iter()
            .map(|hit| (hit.entry.id.clone(), hit.why.score))
            .collect();
        let best: Vec<Id> = index
            .search(&Query::new(text))
            .iter()
            .map(|hit| hit.entry.id.clone())
            .collect();
        assert!(found.iter().map(|(id, _)| id).take(10).eq(&best), "{text}");
        assert!(
            hits.is_sorted_by(|a, b| (a.why.fit, b.why.score) <= (b.why.fit, a.why.score)),
            "{text}"
        );
        let mut expected = each(&index, text);
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        found.retain(|(_, score)| *score > 0.0);
        found.sort_by(|a, b| a.0.cmp(&b.0));
        assert!(found.len() > 20, "{text}: {}", found.len());
        assert!(found == expected, "{text}");
    }
}
