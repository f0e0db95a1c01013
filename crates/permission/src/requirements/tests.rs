use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::requirements::*;
use crate::tests::{declaring, skill};
use crate::{Audience, HiddenReason, VisibilityPolicy};

/// A machine with these things; it cannot tell anything of settings, and breaks over `bomb`.
#[derive(Debug)]
struct Machine(&'static [(RequirementKind, &'static str)], AtomicUsize);

impl RequirementCheck for Machine {
    fn has(&self, kind: RequirementKind, name: &str) -> Option<bool> {
        self.1.fetch_add(1, Ordering::Relaxed);
        assert_ne!(name, "bomb", "on purpose");
        (kind != RequirementKind::Setting).then(|| self.0.contains(&(kind, name)))
    }
}

fn machine() -> Machine {
    Machine(
        &[
            (RequirementKind::System, "linux"),
            (RequirementKind::Program, "rg"),
            (RequirementKind::Variable, "TOKEN"),
        ],
        AtomicUsize::new(0),
    )
}

#[test]
fn needs_are_read_as_clients_write_them() {
    for (front_matter, expected) in [
        ("license: MIT", &[][..]),
        (
            "metadata: {openclaw: {os: [darwin, win32], requires: {bins: [rg, jq], anyBins: [a, b], env: [TOKEN], config: [browser.enabled]}}}",
            &[
                "one of the systems `macos`, `windows`",
                "the program `rg`",
                "the program `jq`",
                "one of the programs `a`, `b`",
                "the environment variable `TOKEN`",
                "the setting `browser.enabled`",
            ],
        ),
        (
            "metadata: {\"clawdbot\":{\"requires\":{\"bins\":[\"rg\"]}}}",
            &["the program `rg`"],
        ),
        (
            "metadata:\n  clawdis:\n    os: linux",
            &["the system `linux`"],
        ),
        (
            "metadata: {openclaw: {always: true, os: linux, requires: {bins: [rg]}}}",
            &["the system `linux`"],
        ),
        (
            "metadata: {openclaw: {envVars: [{name: A, required: true}, {name: B}, {name: C, required: false}]}}",
            &["the environment variable `A`"],
        ),
        (
            "platforms: [macos, linux]",
            &["one of the systems `macos`, `linux`"],
        ),
        ("platforms: [openclaw, cursor]", &[]),
        (
            "required_environment_variables: [A, {name: B}]",
            &[
                "the environment variable `A`",
                "the environment variable `B`",
            ],
        ),
        (
            "metadata: {hermes: {requires_tools: [web]}}",
            &["the tool `web`"],
        ),
        (
            "metadata: {hermes: {requires_toolsets: [web, web]}}",
            &["the toolset `web`"],
        ),
        ("metadata: {hermes: {fallback_for_tools: [web]}}", &[]),
        ("required_tools: [web, web]", &["the tool `web`"]),
        ("metadata: {openclaw: {requires: {bins: []}}}", &[]),
        (
            "metadata: {openclaw: {requires: {env: [{name: A}, {name: B, optional: true}, {about: C}]}}}",
            &[
                "the environment variable `A`",
                "an environment variable whose name cannot be read",
            ],
        ),
        (
            "metadata: {openclaw: {requires: {bins: {rg: 1}}}}",
            &["a program whose name cannot be read"],
        ),
        (
            "metadata: {openclaw: {requires: {bins: [[rg]]}}}",
            &["a program whose name cannot be read"],
        ),
        (
            "metadata: {openclaw: {requires: rg}}",
            &["a setting whose name cannot be read"],
        ),
        (
            "metadata: {openclaw: \"{requires: {bins: ['rg']}}\"}",
            &["a setting whose name cannot be read"],
        ),
        (
            "metadata: \"{openclaw: {requires: {bins: ['rg']}}}\"",
            &["a setting whose name cannot be read"],
        ),
    ] {
        let needs: Vec<_> = Requirement::all_of(&skill(front_matter))
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(needs, expected, "{front_matter}");
    }
}

#[test]
fn requirements_are_met_missing_or_unknown() {
    for (front_matter, missing, unknown) in [
        ("platforms: [macos, linux]", "", 0),
        ("platforms: [macos]", "needs the system `macos`", 0),
        (
            "metadata: {openclaw: {requires: {anyBins: [jq, rg]}}}",
            "",
            0,
        ),
        (
            "metadata: {openclaw: {requires: {bins: [jq, rg], env: [TOKEN, NONE]}}}",
            "needs the program `jq`; needs the environment variable `NONE`",
            0,
        ),
        ("metadata: {openclaw: {requires: {config: [a.b]}}}", "", 1),
        (
            "metadata: {openclaw: {requires: {bins: [bomb]}}}",
            "needs the program `bomb`",
            0,
        ),
        (
            "metadata: {openclaw: {requires: [rg]}}",
            "needs a setting whose name cannot be read",
            0,
        ),
    ] {
        let readiness = Requirements::new(&skill(front_matter), &machine());
        assert_eq!(
            (readiness.to_string().as_str(), readiness.unknown.len()),
            (missing, unknown),
            "{front_matter}"
        );
        assert_eq!(readiness.is_ready(), missing.is_empty());
    }
}

#[test]
fn fallback_skills_are_ready_without_their_tool() {
    let tools = Machine(
        &[
            (RequirementKind::Tool, "search"),
            (RequirementKind::Toolset, "browser"),
        ],
        AtomicUsize::new(0),
    );
    let readiness_of = |hermes: &str| {
        let candidate = declaring(&format!("metadata: {{hermes: {{{hermes}}}}}"));
        let readiness = Requirements::new(&candidate.item, &tools);
        let modes =
            VisibilityPolicy::default().ready_by(Arc::new(Machine(tools.0, AtomicUsize::new(0))));
        assert_eq!(
            readiness.is_ready(),
            modes.sees(Audience::Model, &candidate),
            "{hermes}"
        );
        (
            modes.hidden_reason(Audience::User, &candidate),
            readiness.to_string(),
        )
    };
    let there = |what: &str| {
        (
            Some(HiddenReason::NotNeeded),
            format!("stands in for {what}, which is there"),
        )
    };
    assert_eq!(
        readiness_of("fallback_for_tools: [search]"),
        there("the tool `search`")
    );
    assert_eq!(
        readiness_of("fallback_for_tools: [none, search, search]"),
        there("the tool `search`"),
        "any of them"
    );
    assert_eq!(
        readiness_of("fallback_for_toolsets: browser"),
        there("the toolset `browser`")
    );
    assert_eq!(
        readiness_of("fallback_for_tools: [browser], fallback_for_toolsets: [search]"),
        (None, String::new())
    );
    assert_eq!(
        readiness_of("fallback_for_tools: []"),
        (None, String::new())
    );
    assert_eq!(
        readiness_of("fallback_for_tools: [bomb]"),
        there("the tool `bomb`"),
        "a probe that panics hides"
    );
    let unreadable = (
        Some(HiddenReason::NotReady),
        "needs a tool whose name cannot be read".to_owned(),
    );
    assert_eq!(readiness_of("fallback_for_tools: {search: 1}"), unreadable);
    let both = "needs the tool `none`; stands in for the tool `search`, which is there".to_owned();
    assert_eq!(
        readiness_of("requires_tools: [none], fallback_for_tools: [search]"),
        (Some(HiddenReason::NotReady), both)
    );
    // A host that cannot tell hides nothing.
    #[derive(Debug)]
    struct Blind;
    impl RequirementCheck for Blind {
        fn has(&self, _: RequirementKind, _: &str) -> Option<bool> {
            None
        }
    }
    let readiness = Requirements::new(
        &skill("metadata: {hermes: {fallback_for_tools: [search]}}"),
        &Blind,
    );
    assert_eq!((readiness.is_ready(), readiness.unknown.len()), (true, 1));
}

#[test]
fn unready_skills_are_hidden_on_request() {
    let jq = declaring("metadata: {openclaw: {requires: {bins: [jq]}}}");
    let machine = Arc::new(machine());
    let modes = VisibilityPolicy::default().ready_by(machine.clone());
    let hidden = |modes: &VisibilityPolicy, candidate| {
        [Audience::Model, Audience::User].map(|audience| modes.hidden_reason(audience, candidate))
    };
    assert_eq!(
        hidden(&VisibilityPolicy::default(), &jq),
        [None; 2],
        "inventory and visibility do not ask"
    );
    assert_eq!(hidden(&modes, &jq), [Some(HiddenReason::NotReady); 2]);
    assert_eq!(machine.1.load(Ordering::Relaxed), 1, "looked once");
    let why = "something that it needs is missing: needs the program `jq`";
    assert_eq!(modes.explain(Audience::Model, &jq).as_deref(), Some(why));
    assert_eq!(hidden(&modes, &declaring("platforms: [linux]")), [None; 2]);
}
