//! Catalogs that are kept.

use repertoire_registry::{Authority, RuleSet, RuleStack};

use super::*;

/// The same view after a change to the source `home`.
fn after(
    snapshot: &Snapshot<Skill>,
    revision: u64,
    skills: impl IntoIterator<Item = (Skill, &'static str)>,
) -> Snapshot<Skill> {
    let rows = skills
        .into_iter()
        .map(|(skill, stamp)| ListingEntry::new(skill, Stamp::of(stamp)));
    snapshot.with_listing("home", Listing::new(Revision(revision), rows, []))
}

#[test]
fn cached_catalogs_last_until_their_text_changes() {
    let cache = CatalogCache::new(in_tokens(500));
    let first = snapshot([skill("a", "Does."), skill("b", "Does too.")]);
    let catalog = cache.catalog(&first);
    assert_eq!(*catalog, Catalog::new(&first, &in_tokens(500)));
    assert!(Arc::ptr_eq(&catalog, &cache.catalog(&first.clone())));

    // Another body is no other catalog.
    let edited = after(
        &first,
        1,
        [(skill("a", "Does."), "2"), (skill("b", "Does too."), "1")],
    );
    assert!(Arc::ptr_eq(&catalog, &cache.catalog(&edited)));
    assert!(Arc::ptr_eq(&catalog, &cache.catalog(&edited)));

    for (revision, about) in [(2, "Does more."), (3, "Does less.")] {
        let changed = after(
            &edited,
            revision,
            [(skill("a", about), "3"), (skill("b", "Does too."), "1")],
        );
        let next = cache.catalog(&changed);
        assert_eq!(*next, Catalog::new(&changed, &in_tokens(500)));
        assert!(next.text.contains(about));
    }

    let rules =
        RuleStack::new([RuleSet::new("user", Authority::Full).disable("a".parse().unwrap())]);
    let without = cache.catalog(&first.with_rules(&rules));
    assert!(!without.text.contains("<name>a</name>"), "{}", without.text);
    assert_eq!(*cache.catalog(&first), *catalog);
}

proptest! {
    #[test]
    fn cached_catalogs_equal_new_catalogs(versions in proptest::collection::vec(skills(), 1..5), options in any_options()) {
        let cache = CatalogCache::new(options.clone());
        for skills in versions {
            let snapshot = snapshot(skills);
            prop_assert_eq!(&*cache.catalog(&snapshot), &Catalog::new(&snapshot, &options));
        }
    }
}

#[test]
fn oldest_first_keeps_all_before_the_edited() {
    let skills = || [skill("a", "One."), skill("b", "Two."), skill("c", "Three.")];
    let before = snapshot(skills());
    let [_, b, c] = skills();
    let after = after(
        &before,
        1,
        [(skill("a", "Edited."), "2"), (b, "1"), (c, "1")],
    );
    let mut ages = SkillAges::default();
    ages.follow(&after.changes_since(&before));
    let options = CatalogOptions::default()
        .format(CatalogFormat::Lines)
        .oldest_first(ages.clone());
    let lines = |snapshot: &Snapshot<Skill>| {
        let text = Catalog::new(snapshot, &options).text;
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&after), ["b: Two.", "c: Three.", "a: Edited."]);
    ages.follow(&after.changes_since(&after));
    assert_eq!(ages.last_change(&"a".parse().unwrap()), 1);
}
