//! Resolution of a typed name to a candidate.

use repertoire_registry::{
    Authority, RegistryError, RuleSet, RuleStack, Snapshot, Status, Tier, Trust, merge, merge_under,
};

use crate::workflow::{Workflow, id, layer, listing, row, table};

fn view() -> Snapshot<Workflow> {
    let namespaced = |source: &str, position, rows: &[&str]| {
        let mut layer = layer(
            Tier::Plugin,
            source,
            position,
            rows.iter().map(|name| row(name, 9)),
        );
        layer.namespaced = true;
        layer
    };
    merge(&[
        layer(Tier::Builtin, "agent", 0, [row("review", 1)]),
        layer(
            Tier::User,
            "home",
            1,
            [row("review", 2), row("plain", 2), row("kit:slides", 2)],
        ),
        namespaced("pa", 2, &["seed", "only-a", "plain"]),
        namespaced("pb", 3, &["seed", "x:y"]),
        namespaced("kit", 4, &["slides"]),
    ])
}

/// `effective id @ source` of what a name leads to.
fn found(name: &str) -> Result<String, RegistryError> {
    view()
        .resolve(name)
        .map(|found| format!("{} @ {}", found.entry.id, found.candidate.origin.source))
}

#[test]
fn an_exact_id_comes_first() {
    assert_eq!(found("review"), Ok("review @ agent".to_owned()));
    assert_eq!(found("pa:seed"), Ok("pa:seed @ pa".to_owned()));
    assert_eq!(
        found("plain"),
        Ok("plain @ home".to_owned()),
        "a plain entry beats namespaced ones"
    );
}

#[test]
fn namespaces_hide_no_entry_of_earlier_tiers() {
    let view = view();
    let entry = view.get("kit:slides").unwrap();
    let chain: Vec<_> = entry
        .candidates()
        .map(|candidate| candidate.origin.source.to_string())
        .collect();
    assert_eq!(
        chain,
        ["home", "kit"],
        "the user tier comes before the plugin tier"
    );
    assert_eq!(
        view.reason(&entry.candidate, &entry.shadows[0].candidate)
            .to_string(),
        "the plugin tier comes after the user tier"
    );
    assert_eq!(found("kit:slides"), Ok("kit:slides @ home".to_owned()));
    assert_eq!(found("home:kit:slides"), Ok("kit:slides @ home".to_owned()));
    assert_eq!(
        found("kit:kit:slides"),
        Ok("kit:slides @ kit".to_owned()),
        "the way to the shadow"
    );
    let shadowed =
        "warning[shadowed]: workflow `kit:slides` is hidden by the one from user source `home`";
    let looks_alike = "warning[shadowed]: workflow `kit:slides` of the user source `home` is written like one of the source `kit`";
    let of_both: Vec<_> = view
        .diagnostics()
        .iter()
        .filter(|one| one.diagnostic.message.contains("kit:"))
        .collect();
    let lines: Vec<_> = of_both
        .iter()
        .map(|one| format!("{}: {}", one.source, one.diagnostic))
        .collect();
    assert_eq!(
        lines,
        [format!("kit: {shadowed}"), format!("home: {looks_alike}")]
    );
    let helps: Vec<_> = of_both
        .iter()
        .filter_map(|one| one.diagnostic.help.as_deref())
        .collect();
    assert_eq!(
        helps,
        [
            "ask for it as `kit:kit:slides`, rename it, or prefer its source",
            "ask for it as `home:kit:slides`, or rename it"
        ]
    );
}

#[test]
fn inside_a_tier_a_namespace_is_its_sources() {
    let home = layer(Tier::Plugin, "other", 0, [row("kit:slides", 2)]);
    let mut kit = layer(Tier::Plugin, "kit", 1, [row("slides", 9)]);
    (kit.namespaced, kit.trust) = (true, Trust::Restricted);
    let view = merge(&[home, kit]);
    let entry = view.get("kit:slides").unwrap();
    let chain: Vec<_> = entry
        .candidates()
        .map(|candidate| candidate.origin.source.to_string())
        .collect();
    assert_eq!(chain, ["kit", "other"]);
    let reason = view.reason(&entry.candidate, &entry.shadows[0].candidate);
    assert_eq!(
        reason.to_string(),
        "ids that begin with `kit:` belong to `kit`"
    );
}

#[test]
fn a_lower_tier_takes_no_full_name() {
    let home = layer(Tier::User, "home", 0, [row("deploy", 1)]);
    let mut other = layer(
        Tier::Plugin,
        "other",
        1,
        [row("home:deploy", 2), row("home:only", 2)],
    );
    other.trust = Trust::Restricted;
    let layers = [home, other];
    let view = merge(&layers);
    let source = |view: &Snapshot<Workflow>, name: &str| {
        view.resolve(name)
            .unwrap()
            .candidate
            .origin
            .source
            .to_string()
    };
    assert_eq!(source(&view, "home:deploy"), "home");
    assert_eq!(source(&view, "other:home:deploy"), "other");
    assert_eq!(
        table(&view),
        [
            "deploy <- home",
            "other:home:deploy <- other",
            "other:home:only <- other"
        ]
    );
    assert!(
        view.resolve("home:only").is_err(),
        "the source `home` does not have it"
    );
    let alike: Vec<_> = view
        .diagnostics()
        .iter()
        .map(|one| one.diagnostic.to_string())
        .collect();
    assert_eq!(
        alike,
        ["home:deploy", "home:only"].map(|id| {
            format!("warning[shadowed]: workflow `{id}` of the plugin source `other` is written like one of the source `home`")
        })
    );

    let off = |target: &str| {
        let level = RuleSet::new("user", Authority::Full).disable(target.parse().unwrap());
        merge_under(&RuleStack::new([level]), &layers)
    };
    let status = |view: &Snapshot<Workflow>, id: &str| view.get(id).unwrap().candidate.status;
    let both =
        |view: &Snapshot<Workflow>| ["deploy", "other:home:deploy"].map(|id| status(view, id));
    assert_eq!(
        both(&off("home:deploy")),
        [Status::Disabled, Status::Active],
        "the one that the name leads to"
    );
    assert_eq!(
        source(&off("home:deploy"), "home:deploy"),
        "home",
        "what is off gives its name to no stranger"
    );
    assert_eq!(
        both(&off("other:home:deploy")),
        [Status::Active, Status::Disabled]
    );
    assert_eq!(
        status(&off("home:only"), "other:home:only"),
        Status::Active,
        "the rule is about the source `home`"
    );
}

#[test]
fn no_spelling_poses_as_another_source() {
    let home = layer(
        Tier::User,
        "home",
        0,
        [row("deploy", 1), row("HOME:own", 1)],
    );
    // In order: letter case, a Cyrillic letter, the ratio sign, a blank.
    let spellings = [
        "HOME:deploy",
        "h\u{43e}me:deploy",
        "home\u{2236}deploy",
        "home :deploy",
    ];
    for namespaced in [false, true] {
        let mut other = layer(Tier::Plugin, "other", 1, spellings.map(|id| row(id, 2)));
        other.namespaced = namespaced;
        let view = merge(&[home.clone(), other.clone()]);
        let listed: Vec<_> = view
            .entries()
            .iter()
            .map(|entry| entry.id.to_string())
            .collect();
        let expected: Vec<_> = spellings.iter().map(|id| format!("other:{id}")).collect();
        assert_eq!(
            listed,
            [vec!["deploy".to_owned(), "HOME:own".to_owned()], expected].concat()
        );
        for spelling in spellings {
            assert_ne!(
                view.resolve(spelling)
                    .map(|found| &*found.candidate.origin.source),
                Ok("other"),
                "{spelling}"
            );
            let rules = RuleSet::new("user", Authority::Full).disable(spelling.parse().unwrap());
            let ruled = merge_under(&RuleStack::new([rules]), &[home.clone(), other.clone()]);
            assert!(
                ruled
                    .entries()
                    .iter()
                    .all(|entry| entry.candidate.status == Status::Active),
                "{spelling}"
            );
        }
    }
}

#[test]
fn a_written_prefix_is_taken_off_once() {
    let mut acme = layer(
        Tier::Plugin,
        "acme",
        0,
        [
            row("acme:tidy", 1),
            row("acme:acme:deep", 2),
            row("kit:other", 3),
        ],
    );
    acme.namespaced = true;
    let mut both = acme.clone();
    both.listing = listing(1, [row("acme:tidy", 1), row("tidy", 4)]);
    let view = merge(&[acme]);
    assert_eq!(
        table(&view),
        [
            "acme:tidy <- acme",
            "acme:acme:deep <- acme",
            "acme:kit:other <- acme"
        ]
    );
    let steps =
        |view: &Snapshot<Workflow>, name: &str| view.resolve(name).unwrap().candidate.item.steps;
    for (name, expected) in [
        ("acme:tidy", 1),
        ("tidy", 1),
        ("acme:acme:tidy", 1),
        ("acme:acme:deep", 2),
        ("kit:other", 3),
    ] {
        assert_eq!(steps(&view, name), expected, "{name}");
    }
    assert_eq!(
        view.get("acme:tidy").unwrap().candidate.qualified_id(),
        id("acme:tidy")
    );

    let view = merge(&[both]);
    assert_eq!(table(&view), ["acme:tidy <- acme > acme"]);
    assert_eq!(
        (steps(&view, "acme:tidy"), steps(&view, "acme:acme:tidy")),
        (4, 1)
    );
    let entry = view.get("acme:tidy").unwrap();
    let reason = view.reason(&entry.candidate, &entry.shadows[0].candidate);
    assert_eq!(reason.to_string(), "it writes the prefix `acme:` itself");
    let diagnostics: Vec<_> = view
        .diagnostics()
        .iter()
        .map(|one| one.diagnostic.to_string())
        .collect();
    assert_eq!(
        diagnostics,
        ["warning[shadowed]: workflow `acme:tidy` is hidden by the one from plugin source `acme`"]
    );
}

#[test]
fn a_name_is_found_as_people_type_it() {
    let view = merge(&[layer(
        Tier::User,
        "home",
        0,
        [row("na\u{ef}ve-list", 1), row("Wide", 2)],
    )]);
    for typed in [
        "nai\u{308}ve-list",
        " na\u{ef}ve-list\n",
        "home:nai\u{308}ve-list",
        "\u{ff37}ide",
        "home: Wide",
    ] {
        assert!(view.resolve(typed).is_ok(), "{typed}");
    }
    let nearest = |typed: &str| view.nearest(typed).map(|id| id.to_string());
    assert_eq!(nearest("wide"), Some("Wide".to_owned()));
    assert_eq!(nearest("naive-list"), Some("na\u{ef}ve-list".to_owned()));
    assert_eq!(nearest("Wide"), None, "never the question itself");
    assert_eq!(nearest("\u{ff37}ide"), None);
}

#[test]
fn a_source_and_an_id_reach_a_shadow() {
    assert_eq!(found("home:review"), Ok("review @ home".to_owned()));
    assert_eq!(found("agent:review"), Ok("review @ agent".to_owned()));
    assert_eq!(
        found("pb:x:y"),
        Ok("pb:x:y @ pb".to_owned()),
        "split at the first colon"
    );
}

#[test]
fn pending_skills_take_no_full_name() {
    let mut project = layer(
        Tier::User,
        "project",
        0,
        [row("home:review", 1), row("nobody:x", 1)],
    );
    project.trust = Trust::Pending;
    let home = layer(Tier::User, "home", 1, [row("review", 2)]);
    let view = merge(&[project, home]);
    let source = |name: &str| {
        view.resolve(name)
            .unwrap()
            .candidate
            .origin
            .source
            .to_string()
    };
    assert_eq!(source("home:review"), "home");
    assert_eq!(
        source("nobody:x"),
        "project",
        "the operator still reaches what no other source has"
    );
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
    assert_eq!(
        error.to_string(),
        "workflow `seed` is ambiguous; give the full name: `pa:seed`, `pb:seed`"
    );
}

fn ambiguous(name: &str, candidates: &[&str]) -> RegistryError {
    match found(name) {
        Err(RegistryError::Ambiguous {
            kind,
            name,
            candidates: listed,
            ..
        }) => {
            assert_eq!(
                listed,
                candidates.iter().map(|name| id(name)).collect::<Vec<_>>()
            );
            RegistryError::Ambiguous {
                kind,
                name,
                candidates: listed,
            }
        }
        other => panic!("expected an ambiguous name, found {other:?}"),
    }
}

#[test]
fn everything_else_is_not_found() {
    for name in [
        "nope",
        "home:nope",
        "nowhere:review",
        "pa:review",
        ":review",
        "review:",
        "",
    ] {
        assert!(
            matches!(found(name), Err(RegistryError::NotFound { .. })),
            "{name}"
        );
    }
    assert_eq!(
        found("\u{1b}[2J").unwrap_err().to_string(),
        "no workflow `\\u{1b}[2J`"
    );
}
