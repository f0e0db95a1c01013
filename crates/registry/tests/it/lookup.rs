//! From what somebody typed to a claim.

use repertoire_registry::{LookupError, Snapshot, Tier, Trust, merge};

use crate::workflow::{Workflow, id, layer, row};

fn view() -> Snapshot<Workflow> {
    let namespaced = |source: &str, position, rows: &[&str]| {
        let mut layer = layer(Tier::Plugin, source, position, rows.iter().map(|name| row(name, 9)));
        layer.namespaced = true;
        layer
    };
    merge(&[
        layer(Tier::Builtin, "agent", 0, [row("review", 1)]),
        layer(Tier::User, "home", 1, [row("review", 2), row("plain", 2), row("kit:slides", 2)]),
        namespaced("pa", 2, &["seed", "only-a", "plain"]),
        namespaced("pb", 3, &["seed", "x:y"]),
        namespaced("kit", 4, &["slides"]),
    ])
}

/// `effective id @ source` of what a name leads to.
fn found(name: &str) -> Result<String, LookupError> {
    view().resolve(name).map(|found| format!("{} @ {}", found.entry.id, found.claim.origin.source))
}

#[test]
fn an_exact_id_comes_first() {
    assert_eq!(found("review"), Ok("review @ agent".to_owned()));
    assert_eq!(found("pa:seed"), Ok("pa:seed @ pa".to_owned()));
    assert_eq!(found("plain"), Ok("plain @ home".to_owned()), "a plain entry beats namespaced ones");
}

#[test]
fn a_name_in_a_namespace_belongs_to_its_source_whoever_else_writes_it_so() {
    let view = view();
    let entry = view.get("kit:slides").unwrap();
    let chain: Vec<_> = entry.claims().map(|claim| claim.origin.source.to_string()).collect();
    assert_eq!(chain, ["kit", "home"]);
    assert_eq!(found("home:kit:slides"), Ok("kit:slides @ home".to_owned()));
}

#[test]
fn a_source_and_an_id_reach_a_shadow() {
    assert_eq!(found("home:review"), Ok("review @ home".to_owned()));
    assert_eq!(found("agent:review"), Ok("review @ agent".to_owned()));
    assert_eq!(found("pb:x:y"), Ok("pb:x:y @ pb".to_owned()), "split at the first colon");
}

#[test]
fn a_pending_skill_takes_no_full_name_from_anybody() {
    let mut project = layer(Tier::User, "project", 0, [row("home:review", 1), row("nobody:x", 1)]);
    project.trust = Trust::Pending;
    let home = layer(Tier::User, "home", 1, [row("review", 2)]);
    let view = merge(&[project, home]);
    let source = |name: &str| view.resolve(name).unwrap().claim.origin.source.to_string();
    assert_eq!(source("home:review"), "home");
    assert_eq!(source("nobody:x"), "project", "the operator still reaches what nobody else has");
    assert_eq!(source("project:home:review"), "project");
}

#[test]
fn a_bare_name_reaches_the_one_namespaced_entry() {
    assert_eq!(found("only-a"), Ok("pa:only-a @ pa".to_owned()));
}

#[test]
fn an_ambiguous_bare_name_lists_the_full_names() {
    let error = found("seed").unwrap_err();
    assert_eq!(error, ambiguous("seed", &["pa:seed", "pb:seed"]),);
    assert_eq!(error.to_string(), "workflow `seed` is ambiguous; give the full name: `pa:seed`, `pb:seed`");
}

fn ambiguous(name: &str, candidates: &[&str]) -> LookupError {
    match found(name) {
        Err(LookupError::Ambiguous { kind, name, candidates: listed, .. }) => {
            assert_eq!(listed, candidates.iter().map(|name| id(name)).collect::<Vec<_>>());
            LookupError::Ambiguous { kind, name, candidates: listed }
        }
        other => panic!("expected an ambiguous name, found {other:?}"),
    }
}

#[test]
fn everything_else_is_not_found() {
    for name in ["nope", "home:nope", "nowhere:review", "pa:review", ":review", "review:", ""] {
        assert!(matches!(found(name), Err(LookupError::NotFound { .. })), "{name}");
    }
    assert_eq!(found("\u{1b}[2J").unwrap_err().to_string(), "no workflow `\\u{1b}[2J`");
}
