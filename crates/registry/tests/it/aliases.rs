//! One file that several sources reach counts once.

use repertoire_core::{Code, Listing, ListingEntry, Revision, Skill, Stamp};
use repertoire_registry::{
    Authority, Layer, Origin, RuleSet, RuleStack, Snapshot, Tier, Trust, merge, merge_under,
};

fn row(path: &str, real: &str) -> ListingEntry<Skill> {
    let skill = Skill::new("tidy".parse().unwrap(), "Tidies.")
        .from_location(path)
        .from_real_location(real);
    ListingEntry::new(skill, Stamp::of(path))
}

fn layer(
    source: &str,
    position: usize,
    rows: impl IntoIterator<Item = ListingEntry<Skill>>,
) -> Layer<Skill> {
    Layer::new(
        Origin::new(Tier::User, source),
        position,
        Listing::new(Revision(0), rows, []),
    )
}

/// The sources that have the id, the winner first, and the codes of what is reported.
fn seen(snapshot: &Snapshot<Skill>) -> (Vec<&str>, Vec<Code>) {
    let entry = snapshot.get("tidy").unwrap();
    let sources = entry
        .candidates()
        .map(|candidate| candidate.origin.source.as_ref())
        .collect();
    (
        sources,
        snapshot
            .diagnostics()
            .iter()
            .map(|found| found.diagnostic.code)
            .collect(),
    )
}

fn layers() -> [Layer<Skill>; 3] {
    [
        layer("agents", 0, [row("/agents/tidy", "/agents/tidy")]),
        layer("claude", 1, [row("/claude/tidy", "/agents/tidy")]),
        layer("copy", 2, [row("/copy/tidy", "/copy/tidy")]),
    ]
}

#[test]
fn links_to_a_skill_are_not_shadows() {
    let snapshot = merge(&layers());
    assert_eq!(
        seen(&snapshot),
        (vec!["agents", "copy"], vec![Code::SHADOWED])
    );
    let found = snapshot.resolve("claude:tidy").unwrap();
    assert_eq!(
        found.candidate.origin.source.as_ref(),
        "claude",
        "it is still found by its full name"
    );
}

#[test]
fn aliases_replace_removed_candidates() {
    let [agents, claude, copy] = layers();
    let snapshot = merge(&[agents, claude.clone(), copy.clone()]);
    let gone = layer("agents", 0, []);
    let next = snapshot.with_listing("agents", Listing::empty(Revision(1)));
    assert_eq!(seen(&next).0, ["claude", "copy"]);
    assert_eq!(seen(&next), seen(&merge(&[gone, claude, copy])));
}

#[test]
fn active_aliases_precede_inactive_aliases() {
    let [agents, claude, copy] = layers();
    let rules = RuleStack::new([
        RuleSet::new("test", Authority::Full).disable("agents:tidy".parse().unwrap())
    ]);
    let snapshot = merge_under(&rules, &[agents.clone(), claude.clone(), copy.clone()]);
    assert_eq!(seen(&snapshot).0, ["claude", "copy"]);
    let mut pending = agents;
    pending.trust = Trust::Pending;
    assert_eq!(
        seen(&merge(&[pending, claude, copy])).0,
        ["claude", "copy", "agents"]
    );
}

#[test]
fn equal_location_texts_are_not_one_file() {
    let row = || {
        ListingEntry::new(
            Skill::new("tidy".parse().unwrap(), "Tidies.").from_location("/agents/tidy"),
            Stamp::of("x"),
        )
    };
    let snapshot = merge(&[layer("agents", 0, [row()]), layer("stranger", 1, [row()])]);
    assert_eq!(seen(&snapshot).0, ["agents", "stranger"]);
}
