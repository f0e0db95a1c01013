//! The operator's choice for each skill.

use super::*;

fn outcomes(options: &CatalogOptions, snapshot: &Snapshot<Skill>) -> Vec<(String, LineOutcome)> {
    Catalog::new(snapshot, options)
        .report
        .lines()
        .iter()
        .map(|line| (line.id.to_string(), line.outcome))
        .collect()
}

#[test]
fn exposure_applies_at_any_budget() {
    let snapshot =
        snapshot(["named", "off", "plain", "theirs"].map(|id| skill(id, "Does something.")));
    let modes = VisibilityPolicy::default()
        .with("named".parse().unwrap(), Exposure::NameOnly)
        .with("off".parse().unwrap(), Exposure::Off)
        .with("home:theirs".parse().unwrap(), Exposure::ManualOnly);
    let expected = [
        ("named".to_owned(), LineOutcome::NameOnly),
        ("plain".to_owned(), LineOutcome::Full),
    ];
    assert_eq!(
        outcomes(&options().modes(modes.clone()), &snapshot),
        expected
    );
    assert_eq!(
        outcomes(&in_tokens(1_000).modes(modes), &snapshot),
        expected
    );
}

#[test]
fn pinned_skills_are_truncated_last() {
    let pinned = VisibilityPolicy::default().with("skill-69".parse().unwrap(), Exposure::Pinned);
    for limit in [350, 700, 1_200] {
        for overflow in [
            Overflow::Shorten,
            Overflow::RoundRobin,
            Overflow::NameOnly,
            Overflow::Omit,
        ] {
            let options = in_tokens(limit).overflow(overflow).modes(pinned.clone());
            let outcomes = outcomes(&options, &sixty());
            assert_eq!(
                outcomes.last(),
                Some(&("skill-69".to_owned(), LineOutcome::Full)),
                "{limit} {:?}",
                options.overflow
            );
            assert!(
                outcomes
                    .iter()
                    .any(|(_, outcome)| *outcome != LineOutcome::Full)
            );
        }
    }
    // Where not even that fits, it is the last to give way.
    let tight = outcomes(&in_tokens(60).modes(pinned), &sixty());
    assert_eq!(
        tight
            .iter()
            .filter(|(_, outcome)| *outcome == LineOutcome::Omitted)
            .count(),
        59
    );
    assert_ne!(tight[59].1, LineOutcome::Omitted);
}

#[test]
fn least_used_skills_are_truncated_first() {
    let used: BTreeMap<Id, u64> = [("skill-40", 9), ("skill-69", 2)]
        .map(|(id, uses)| (id.parse().unwrap(), uses))
        .into();
    let overflow = Overflow::LeastUsed(Arc::new(used));
    let outcomes = outcomes(&in_tokens(1_300).overflow(overflow), &sixty());
    let full: Vec<&str> = outcomes
        .iter()
        .filter(|(_, outcome)| *outcome == LineOutcome::Full)
        .map(|(id, _)| id.as_str())
        .collect();
    assert!(
        full.contains(&"skill-40") && full.contains(&"skill-69") && full.contains(&"skill-10"),
        "{full:?}"
    );
    assert!(!full.contains(&"skill-68"), "{full:?}");
    assert_eq!(outcomes.len(), 60, "in the catalog's order");
}

#[test]
fn overflow_truncates_at_clauses_or_at_words() {
    let about = "Number 1 handles forms, checks every total twice, and writes a letter. Use when forms come in.";
    let skills = ["a", "b", "c", "d"].map(|id| skill(id, about));
    let text = |overflow| {
        Catalog::new(
            &snapshot(skills.clone()),
            &in_tokens(165).overflow(overflow),
        )
        .text
    };
    assert!(
        text(Overflow::Shorten)
            .contains("<description>Number 1 handles forms… Use when forms come in.</description>"),
        "{}",
        text(Overflow::Shorten)
    );
    assert!(
        text(Overflow::RoundRobin)
            .contains("<description>Number 1 handles forms, checks every total twice, and writes a…</description>"),
        "{}",
        text(Overflow::RoundRobin)
    );
}

#[test]
fn a_window_gives_a_share_with_a_floor() {
    for (window, limit) in [
        (Some(200_000), Some(4_000)),
        (Some(1_000), Some(128)),
        (None, Some(8_000)),
    ] {
        assert_eq!(Budget::for_window(window).limit(), limit);
    }
    assert_eq!(Budget::for_window(None), Budget::Characters(8_000));
}

#[test]
fn the_report_counts_removed_invisible_characters() {
    let hidden = "Formats files.\u{E0070}\u{E0072}\u{202E}\n";
    let rows = [
        skill("ghost", hidden),
        skill("one", "A.\u{200B}"),
        skill("plain", "Two\n  lines. "),
    ];
    let report = Catalog::new(&snapshot(rows), &options()).report;
    assert_eq!(
        report
            .lines()
            .iter()
            .map(|line| line.hidden)
            .collect::<Vec<_>>(),
        [3, 1, 0]
    );
    assert_eq!(
        report.lines()[1].to_string(),
        "`one`: listed in full, 2 characters; 1 invisible character taken out"
    );
    assert_eq!(
        report.lines()[0].to_string(),
        "`ghost`: listed in full, 14 characters; 3 invisible characters taken out"
    );
}

#[test]
fn an_edit_moves_no_other_line() {
    let before = Catalog::new(
        &snapshot(["a", "b", "c"].map(|id| skill(id, "Does."))),
        &options(),
    )
    .text;
    let edited =
        ["a", "b", "c"].map(|id| skill(id, if id == "b" { "Does more." } else { "Does." }));
    let after = Catalog::new(&snapshot(edited), &options()).text;
    let differ = before
        .lines()
        .zip(after.lines())
        .filter(|(one, other)| one != other)
        .count();
    assert_eq!(
        (before.lines().count(), after.lines().count(), differ),
        (5, 5, 1)
    );
}

/// Tokens of a vocabulary may reach over the seam between two parts; the budget holds all the same.
#[cfg(feature = "exact-tokens")]
#[test]
fn a_budget_of_exact_tokens_is_kept() {
    for format in FORMATS {
        for limit in [60, 300, 900, 1_500, 4_000] {
            let options = in_tokens(limit)
                .format(format)
                .tokenizer(Tokenizer::O200K_EXACT);
            let Catalog { text, report } = Catalog::new(&sixty(), &options);
            assert!(
                report.used <= limit && report.used == options.count(&text),
                "{format:?} {limit}: {}",
                report.used
            );
            assert_eq!(
                text.is_empty(),
                limit < 200 && report.totals().left_out == 60,
                "{format:?} {limit}"
            );
        }
    }
}
