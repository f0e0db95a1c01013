//! The parts of a change: diagnostics that came and went, causes, and a summary for people.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use repertoire_core::{
    Code, ContentDigests, Diagnostic, Digest, Id, Listing, ListingEntry, Manifest, Revision, Stamp,
};
use repertoire_registry::{
    Cause, Change, Layer, Mount, Registry, Snapshot, SourceDiagnostic, Tier, merge,
};

use crate::workflow::{Script, Workflow, any_layers, any_rows, digested, id, layer, row};

/// A listing that says something about itself, some of it twice.
fn telling(revision: u64, rows: Vec<ListingEntry<Workflow>>, said: &[u8]) -> Listing<Workflow> {
    let diagnostic = |said: &u8| Diagnostic::new(Code::STALE, format!("number {said}"));
    Listing::new(Revision(revision), rows, said.iter().map(diagnostic))
}

fn any_findings() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0u8..3, 0..4)
}

fn any_telling_layers() -> impl Strategy<Value = Vec<Layer<Workflow>>> {
    (any_layers(), prop::collection::vec(any_findings(), 4)).prop_map(|(mut layers, said)| {
        for (layer, said) in layers.iter_mut().zip(said) {
            layer.listing = telling(0, layer.listing.iter().cloned().collect(), &said);
        }
        layers
    })
}

/// Diagnostics with how often each is there.
fn counted<'a>(
    diagnostics: impl IntoIterator<Item = &'a SourceDiagnostic>,
) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for diagnostic in diagnostics {
        *counts.entry(format!("{diagnostic:?}")).or_default() += 1;
    }
    counts
}

/// Returns the counts by which `a` exceeds `b`.
fn more(a: &BTreeMap<String, i64>, b: &BTreeMap<String, i64>) -> BTreeMap<String, i64> {
    let more = a
        .iter()
        .map(|(diagnostic, count)| (diagnostic.clone(), count - b.get(diagnostic).unwrap_or(&0)));
    more.filter(|(_, count)| *count > 0).collect()
}

fn check_findings(old: &Snapshot<Workflow>, new: &Snapshot<Workflow>, change: &Change<Workflow>) {
    let (before, after) = (counted(old.diagnostics()), counted(new.diagnostics()));
    assert_eq!(counted(&change.diagnostics.new), more(&after, &before));
    assert_eq!(counted(&change.diagnostics.gone), more(&before, &after));
}

proptest! {
    #[test]
    fn changed_diagnostics_are_the_difference(
        old in any_telling_layers(),
        new in any_telling_layers(),
    ) {
        let (old, new) = (merge(&old), merge(&new));
        let change = new.changes_since(&old);
        check_findings(&old, &new, &change);
        prop_assert_eq!(change.is_empty(), change.causes.is_empty());
    }

    #[test]
    fn folded_changes_name_their_sources(
        mut layers in any_telling_layers(),
        edits in prop::collection::vec((0usize..5, any_rows(), any_findings()), 1..6),
    ) {
        let before = layers.clone();
        let mut view = merge(&layers);
        for (revision, (at, rows, said)) in edits.into_iter().enumerate() {
            let at = at % layers.len();
            let next = telling(revision as u64 + 1, rows, &said);
            view = view.with_listing(&layers[at].origin.source, next.clone());
            layers[at].listing = next.with_known(&layers[at].listing);
        }
        let old = merge(&before);
        let change = view.changes_since(&old);
        check_findings(&old, &view, &change);

        let named: BTreeSet<Cause> = change.causes.iter().cloned().collect();
        prop_assert_eq!(named.len(), change.causes.len(), "each once");
        let (mut must, mut may) = (BTreeSet::new(), BTreeSet::new());
        for (old, new) in before.iter().zip(&layers) {
            let rows = |layer: &Layer<Workflow>| -> BTreeMap<Id, ListingEntry<Workflow>> {
                layer.listing.iter().map(|row| (row.item.id.clone(), row.clone())).collect()
            };
            let (a, b) = (rows(old), rows(new));
            let is_like = |same: fn(&ListingEntry<Workflow>, &ListingEntry<Workflow>) -> bool| {
                a.len() == b.len() && a.iter().all(|(id, row)| b.get(id).is_some_and(|other| same(row, other)))
            };
            let said = |layer: &Layer<Workflow>| counted(
                merge(std::slice::from_ref(layer)).diagnostics().iter().filter(|diagnostic| diagnostic.diagnostic.code == Code::STALE)
            );
            let cause = Cause::Source(new.origin.source.clone());
            if said(old) != said(new) || !is_like(ListingEntry::is_same) {
                must.insert(cause.clone());
            }
            // A digest that became known may tell that copies are identical; another order is none of a change's.
            if old.listing.diagnostics() != new.listing.diagnostics() || !is_like(|a, b| a.is_same(b) && a.digest == b.digest) {
                may.insert(cause);
            }
        }
        prop_assert!(must.is_subset(&named), "{must:?} {named:?}");
        prop_assert!(named.is_subset(&may), "{named:?} {may:?}");
    }
}

#[tokio::test]
async fn changes_report_their_causes() {
    let home = Arc::new(Script::new("home", [row("a", 1)]));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .load()
        .await
        .unwrap();
    let first = registry.snapshot();

    registry
        .register(Workflow {
            id: id("a"),
            steps: 2,
        })
        .unwrap();
    let registered = registry.snapshot();
    home.set([row("a", 1), row("b", 1)]);
    let refreshed = registry.refresh().await.unwrap();
    let added = registry
        .add_source(Mount::user(Script::new("team", [row("b", 3)])))
        .await
        .unwrap();
    home.fail("gone");
    let failed = registry.refresh().await.unwrap();

    let causes = |change: &Change<Workflow>| {
        change
            .causes
            .iter()
            .map(Cause::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        causes(&registered.changes_since(&first)),
        ["registered in code"]
    );
    assert_eq!(causes(&refreshed), ["source `home`"]);
    assert_eq!(causes(&added), ["composition of `team`"]);
    assert_eq!(causes(&failed), ["source `home`"]);
    assert_eq!(
        causes(&registry.snapshot().changes_since(&first)),
        [
            "registered in code",
            "source `home`",
            "composition of `team`"
        ]
    );
    assert_eq!(
        registry
            .snapshot()
            .changes_since(&registry.snapshot())
            .causes,
        []
    );
    assert_eq!(
        serde_json::to_value(&registry.snapshot().changes_since(&first).causes).unwrap(),
        serde_json::json!([
            { "kind": "registered" },
            { "kind": "source", "source": "home" },
            { "kind": "composed", "source": "team" },
        ])
    );
}

#[tokio::test]
async fn unused_preferences_lose_their_diagnostic() {
    let mounts = || {
        let home = Mount::user(Script::new("home", [row("a", 1)]));
        (home, Mount::user(Script::new("team", [row("a", 2)])))
    };
    let (home, team) = mounts();
    let builder = Registry::builder()
        .mount(home.clone())
        .mount(team.clone())
        .prefer(id("a"), "team");
    let registry = builder.load().await.unwrap();
    let change = registry
        .recompose(
            Registry::builder()
                .mount(team)
                .mount(home)
                .prefer(id("a"), "team"),
        )
        .await
        .unwrap();
    let gone: Vec<_> = change
        .diagnostics
        .gone
        .iter()
        .map(|diagnostic| diagnostic.diagnostic.code)
        .collect();
    assert_eq!(
        (gone, change.diagnostics.new.len()),
        (vec![Code::PREFERRED], 0)
    );
}

/// A row whose parts are known, written for the `written`th time.
fn with_parts(written: u8, body: &str) -> ListingEntry<Workflow> {
    let files = Manifest::new([]).unwrap();
    let row = ListingEntry::new(
        Workflow {
            id: id("a"),
            steps: 1,
        },
        Stamp::of(&written),
    );
    row.with_parts(ContentDigests::new(body, &files))
}

#[tokio::test]
async fn rewriting_equal_content_is_not_a_change() {
    let home = Arc::new(Script::new("home", [with_parts(1, "Do it.")]));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .load()
        .await
        .unwrap();
    home.set([with_parts(2, "Do it.")]);
    let generation = registry.snapshot().generation();
    let change = registry.refresh().await.unwrap();
    assert_eq!(
        (change.is_empty(), registry.snapshot().generation()),
        (true, generation)
    );
    assert_eq!(
        registry.get("a").unwrap().candidate.stamp,
        Stamp::of(&2u8),
        "what is read is compared with the newer file"
    );
    home.set([with_parts(3, "Do it well.")]);
    assert_eq!(
        registry.refresh().await.unwrap().summary().to_string(),
        "~ a (body)"
    );
}

#[test]
fn summaries_have_one_line_per_id() {
    let home = |rows: Vec<_>| layer(Tier::User, "home", 1, rows);
    let agent = |rows: Vec<_>| layer(Tier::Builtin, "agent", 0, rows);
    let old = merge(&[
        agent(vec![]),
        home(vec![
            row("b", 1),
            row("c", 1),
            row("gone", 1),
            row("same", 1),
            digested("d", 1, 1),
        ]),
    ]);
    let new = merge(&[
        agent(vec![row("b", 1), row("new", 1)]),
        home(vec![
            row("b", 1),
            row("c", 2),
            row("same", 1),
            digested("d", 1, 2),
            row("also", 1),
        ]),
    ]);
    let summary = new.changes_since(&old).summary();
    let lines = [
        "+ also",
        "~ b (source)",
        "~ c (metadata, body, resources)",
        "~ d (body, resources)",
        "- gone",
        "+ new",
    ];
    assert_eq!(summary.to_string(), lines.join("\n"));
    assert_eq!(summary.lines().len(), 6);
    assert_eq!(summary.clone().at_most(6).to_string(), lines.join("\n"));
    assert_eq!(
        summary.clone().at_most(2).to_string(),
        "+ also\n~ b (source)\nand 4 more"
    );
    assert_eq!(summary.at_most(0).to_string(), "and 6 more");
    let nothing = new.changes_since(&new).summary();
    assert_eq!(
        (nothing.is_empty(), nothing.to_string()),
        (true, String::new())
    );

    let mut pending = home(vec![row("c", 1)]);
    pending.trust = repertoire_registry::Trust::Pending;
    let trusted = merge(&[home(vec![row("c", 1)])]);
    assert_eq!(
        merge(&[pending])
            .changes_since(&trusted)
            .summary()
            .to_string(),
        "~ c (trust)"
    );
    let shadowed = merge(&[
        home(vec![row("c", 1)]),
        layer(Tier::Plugin, "kit", 2, [row("c", 9)]),
    ]);
    assert_eq!(
        shadowed.changes_since(&trusted).summary().to_string(),
        "~ c (shadows)"
    );
}

/// A row whose stamp covers the files, which its digest does not.
fn stamped(description: u8, files: &str) -> ListingEntry<Workflow> {
    let item = Workflow {
        id: id("a"),
        steps: description,
    };
    ListingEntry::new(item, Stamp::of(&(description, files))).with_digest(Digest::of(b"Do it."))
}

#[tokio::test]
async fn a_changed_file_is_a_changed_resource() {
    let home = Arc::new(Script::new("home", [stamped(1, "plum")]));
    let registry = Registry::builder()
        .user(Arc::clone(&home))
        .load()
        .await
        .unwrap();
    home.set([stamped(1, "pear")]);
    assert_eq!(
        registry.refresh().await.unwrap().summary().to_string(),
        "~ a (resources)"
    );
    home.set([stamped(2, "pear")]);
    assert_eq!(
        registry.refresh().await.unwrap().summary().to_string(),
        "~ a (metadata)"
    );
}
