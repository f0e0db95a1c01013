use repertoire_core::{Listing, ListingEntry, Revision, Stamp};
use repertoire_registry::{Authority, Layer, Origin, RuleSet, RuleStack, Tier, Trust, merge};

use crate::Exposure;
use crate::changes::*;

/// A skill whose body is `body`.
fn skill(name: &str, about: &str, body: &str) -> ListingEntry<Skill> {
    ListingEntry::new(Skill::new(name.parse().unwrap(), about), Stamp::of(body))
}

fn for_users_only(mut row: ListingEntry<Skill>) -> ListingEntry<Skill> {
    let mut skill = Skill::clone(&row.item);
    skill.disable_model_invocation = true;
    row.item = skill.into();
    row
}

fn layer(source: &str, trust: Trust, rows: Vec<ListingEntry<Skill>>) -> Layer<Skill> {
    let listing = Listing::new(Revision(0), rows, []);
    let mut layer = Layer::new(Origin::new(Tier::User, source), 0, listing);
    layer.trust = trust;
    layer
}

fn view(rows: Vec<ListingEntry<Skill>>) -> Snapshot<Skill> {
    merge(&[layer("home", Trust::Trusted, rows)])
}

fn changes_for_both(old: &Snapshot<Skill>, new: &Snapshot<Skill>) -> [Option<String>; 2] {
    [Audience::Model, Audience::User]
        .map(|audience| VisibilityPolicy::default().changes(audience, old, new, 99))
}

fn both(text: &str) -> [Option<String>; 2] {
    [Some(text.to_owned()), Some(text.to_owned())]
}

#[test]
fn changes_list_added_changed_and_removed_names() {
    let old = view(vec![
        skill("a", "A.", "1"),
        skill("b", "B.", "1"),
        skill("c", "C.", "1"),
        skill("d", "D.", "1"),
    ]);
    let new = view(vec![
        skill("a", "A.", "1"),
        skill("b", "B.", "2"),
        skill("c", "See.", "2"),
        skill("e", "E.", "1"),
    ]);
    assert_eq!(
        changes_for_both(&old, &new),
        both("~ b (body, resources)\n~ c (description, body, resources)\n- d\n+ e")
    );
    let short = VisibilityPolicy::default().changes(Audience::Model, &old, &new, 1);
    assert_eq!(short.as_deref(), Some("~ b (body, resources)\nand 3 more"));
}

#[test]
fn visibility_changes_are_reported_as_removed_or_added() {
    let seen = view(vec![skill("a", "A.", "1")]);
    let hidden = view(vec![for_users_only(skill("a", "A.", "1"))]);
    let changed = Some("~ a (metadata)".to_owned());
    assert_eq!(
        changes_for_both(&seen, &hidden),
        [Some("- a".to_owned()), changed.clone()]
    );
    assert_eq!(
        changes_for_both(&hidden, &seen),
        [Some("+ a".to_owned()), changed]
    );
}

#[test]
fn disabled_skills_are_reported_as_removed() {
    let on = view(vec![skill("a", "A.", "1")]);
    let rules =
        RuleStack::new([RuleSet::new("user", Authority::Full).disable("a".parse().unwrap())]);
    let off = on.with_rules(&rules);
    assert_eq!(
        (changes_for_both(&on, &off), changes_for_both(&off, &on)),
        (both("- a"), both("+ a"))
    );
}

#[test]
fn pending_skills_are_omitted_from_changes() {
    let pending = |rows| merge(&[layer("project", Trust::Pending, rows)]);
    let nothing = view(vec![]);
    let some = pending(vec![skill("secret", "S.", "1")]);
    let other = pending(vec![skill("secret", "S.", "2"), skill("more", "M.", "1")]);
    for (old, new) in [
        (&nothing, &some),
        (&some, &other),
        (&other, &nothing),
        (&some, &some),
    ] {
        assert_eq!(changes_for_both(old, new), [None, None]);
    }
    assert_eq!(
        changes_for_both(
            &some,
            &merge(&[layer(
                "project",
                Trust::Trusted,
                vec![skill("secret", "S.", "1")]
            )])
        ),
        both("+ secret")
    );
}

#[test]
fn shadowed_skills_are_omitted_from_changes() {
    let alone = view(vec![skill("a", "A.", "1")]);
    let shadowed = merge(&[
        layer("home", Trust::Trusted, vec![skill("a", "A.", "1")]),
        layer("other", Trust::Pending, vec![skill("a", "Not A.", "2")]),
    ]);
    assert!(!shadowed.changes_since(&alone).is_empty());
    assert_eq!(changes_for_both(&alone, &shadowed), [None, None]);
}

#[test]
fn no_name_leaves_the_markup_around_it() {
    assert_eq!(
        changes_for_both(&view(vec![]), &view(vec![skill("a<b>", "A.", "1")])),
        both("+ a&lt;b>")
    );
}

#[test]
fn changes_omit_skills_that_the_operator_hides() {
    let old = view(vec![
        skill("a", "A.", "1"),
        skill("b", "B.", "1"),
        skill("c", "C.", "1"),
    ]);
    let new = view(vec![
        skill("a", "A.", "2"),
        skill("b", "B.", "2"),
        skill("d", "D.", "1"),
    ]);
    let hide = |id: &str, mode| VisibilityPolicy::default().with(id.parse().unwrap(), mode);
    let changes_under = |modes: &VisibilityPolicy| {
        [Audience::Model, Audience::User].map(|audience| modes.changes(audience, &old, &new, 99))
    };
    assert_eq!(
        changes_under(&VisibilityPolicy::default()),
        both("~ a (body, resources)\n~ b (body, resources)\n- c\n+ d")
    );
    assert_eq!(
        changes_under(&hide("b", Exposure::Off)),
        both("~ a (body, resources)\n- c\n+ d")
    );
    assert_eq!(
        changes_under(&hide("c", Exposure::Off).with("d".parse().unwrap(), Exposure::Off)),
        both("~ a (body, resources)\n~ b (body, resources)")
    );
    let manual = changes_under(&hide("home:*", Exposure::ManualOnly));
    assert_eq!(
        manual,
        [
            None,
            Some("~ a (body, resources)\n~ b (body, resources)\n- c\n+ d".to_owned())
        ]
    );
}
