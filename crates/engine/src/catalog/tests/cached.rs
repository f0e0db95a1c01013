//! Catalogs that are kept.

use repertoire_registry::{Authority, RuleSet, RuleStack};

use super::*;

/// The same view after a change to the source `home`.
fn after(
    snapshot: &Snapshot<Skill>,
    revision: u64,
    skills: impl IntoIterator<Item = (Skill, &'static str)>,
) -> Snapshot<Skill> {
    let rows = skills.into_iter().map(|(skill, stamp)| ListingEntry::new(skill, Stamp::of(stamp)));
    snapshot.with_listing("home", Listing::new(Revision(revision), rows, []))
}

#[test]
fn a_catalog_is_kept_until_its_text_would_change() {
    let cache = CatalogCache::new(in_tokens(500));
    let first = snapshot([skill("a", "Does."), skill("b", "Does too.")]);
    let catalog = cache.of(&first);
    assert_eq!(*catalog, Catalog::of(&first, cache.options()));
    assert!(Arc::ptr_eq(&catalog, &cache.of(&first.clone())));

    // Another body is no other catalog.
    let edited = after(&first, 1, [(skill("a", "Does."), "2"), (skill("b", "Does too."), "1")]);
    assert!(Arc::ptr_eq(&catalog, &cache.of(&edited)));
    assert!(Arc::ptr_eq(&catalog, &cache.of(&edited)));

    for (revision, about) in [(2, "Does more."), (3, "Does less.")] {
        let changed = after(&edited, revision, [(skill("a", about), "3"), (skill("b", "Does too."), "1")]);
        let next = cache.of(&changed);
        assert_eq!(*next, Catalog::of(&changed, cache.options()));
        assert!(next.text.contains(about));
    }

    let rules = RuleStack::new([RuleSet::new("user", Authority::Full).disable("a".parse().unwrap())]);
    let without = cache.of(&first.with_rules(&rules));
    assert!(!without.text.contains("<name>a</name>"), "{}", without.text);
    assert_eq!(*cache.of(&first), *catalog);
}

proptest! {
    #[test]
    fn a_kept_catalog_is_the_one_that_would_be_made(versions in proptest::collection::vec(skills(), 1..5), options in any_options()) {
        let cache = CatalogCache::new(options.clone());
        for skills in versions {
            let snapshot = snapshot(skills);
            prop_assert_eq!(&*cache.of(&snapshot), &Catalog::of(&snapshot, &options));
        }
    }
}
