use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use repertoire_core::skill_md::{FileContext, parse};
use repertoire_core::{
    Check, Listing, ListingEntry, Revision, Skill, Stamp, Trust, Value, async_trait,
};
use repertoire_registry::{Candidate, Layer, Origin, Tier, merge};
use repertoire_render::{Arguments, Context, Unknown};
use serde_json::json;

use super::*;
use crate::error::EngineError;
use repertoire_permission::{Access, AccessDecision, Authorizer, Capability, PermissionPolicy};

/// Returns the candidate of a source of this trust: a skill with these lines of front matter.
fn candidate(trust: Trust, lines: &str) -> Candidate<Skill> {
    let text = format!("---\nname: a\ndescription: A.\n{lines}\n---\n");
    let skill = parse(text.as_bytes(), FileContext::new("SKILL.md"))
        .skill
        .unwrap();
    let listing = Listing::new(Revision(0), [ListingEntry::new(skill, Stamp::of("1"))], []);
    let mut layer = Layer::new(Origin::new(Tier::User, "home"), 0, listing);
    layer.trust = trust;
    merge(&[layer]).entries()[0].candidate.clone()
}

/// Notes what it is asked for.
#[derive(Default)]
struct Host(Mutex<Vec<String>>);

impl Host {
    fn note(&self, line: String) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line);
    }

    fn noted(self) -> Vec<String> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Checker for Host {
    async fn check(&self, kind: &str, item: &Value) -> CheckOutcome {
        self.note(format!("{kind} {}", item.json()));
        match kind {
            "command" => CheckOutcome::Passed,
            "file-exists" => CheckOutcome::Failed("there is no such file".into()),
            _ => CheckOutcome::Skipped("unknown kind".into()),
        }
    }
}

fn faults(error: &EngineError) -> Vec<String> {
    match error {
        EngineError::InvalidWorkflow { faults, .. } => faults.clone(),
        other => panic!("{other}"),
    }
}

const STEPS: &str = "required_tools: [git_log, mcp__github__*]\narguments: [since]\nworkflow:\n  \
    - {id: a, step: Collect, tool: git_log, params: {since: $since, list: ['${HOME_PAGE}', 3, true], '$1': x}}\n  \
    - Group them\n  \
    - {step: Publish, tool: mcp__github__release}";

#[test]
fn tools_are_there_or_missing_or_denied() {
    let check = |required: &str, available: &[&str], denied: &[&str]| {
        let candidate = candidate(Trust::Trusted, &format!("required_tools: {required}"));
        let allowed: Vec<&str> = available
            .iter()
            .filter(|tool| !denied.contains(tool))
            .copied()
            .collect();
        let policy = PermissionPolicy::new([("all", allowed)], "all").unwrap();
        let check = ToolCheck::new(&candidate.item, available, &[Arc::new(policy)]);
        [check.missing, check.denied, check.ok].map(|tools| tools.join(" "))
    };
    let owned = |lists: [&str; 3]| lists.map(str::to_owned);
    assert_eq!(check("[]", &[], &[]), owned(["", "", ""]));
    assert_eq!(check("[b, a]", &["a", "b"], &[]), owned(["", "", "b a"]));
    assert_eq!(
        check("[a, b, c]", &["a", "b"], &["b"]),
        owned(["c", "b", "a"])
    );
    let github = ["mcp__github__list", "mcp__github__write"];
    assert_eq!(
        check("[mcp__github__*]", &github, &[]),
        owned(["", "", "mcp__github__*"])
    );
    assert_eq!(
        check("[mcp__github__*]", &github, &github[..1]),
        owned(["", "", "mcp__github__*"])
    );
    assert_eq!(
        check("[mcp__github__*]", &github, &github),
        owned(["", "mcp__github__*", ""])
    );
    assert_eq!(
        check("[mcp__github__*]", &["mcp__gitlab__list"], &[]),
        owned(["mcp__github__*", "", ""])
    );
}

#[test]
fn parameters_are_filled_in_and_never_read_again() {
    let workflow = Workflow::new(&candidate(Trust::Trusted, STEPS)).unwrap();
    let context = Context::new()
        .arguments(Arguments::new("'${HOME_PAGE} !`x`'"))
        .variable("HOME_PAGE", "$since");
    let planned = workflow.planned(&context).unwrap();
    let steps = planned
        .iter()
        .map(|step| (&*step.step, step.params.as_ref().map(Value::json)));
    assert_eq!(
        steps.collect::<Vec<_>>(),
        [
            (
                "Collect",
                Some(json!({"since": "${HOME_PAGE} !`x`", "list": ["$since", 3, true], "$1": "x"}))
            ),
            ("Group them", None),
            ("Publish", None),
        ]
    );
    let unknown = workflow
        .planned(&Context::new().unknown(Unknown::Error))
        .unwrap_err();
    assert_eq!(unknown.to_string(), "line 1: unknown variable `HOME_PAGE`");
}

#[test]
fn invalid_plans_report_every_fault() {
    let lines = "required_tools: [git_log]\nworkflow:\n  - {id: a, step: One, tool: git_push}\n  - [no step]\n  \
        - {id: a, step: Two, tool: git_log, params: [1], on_error: maybe}\n  - {step: Three, params: {text: 'x !`date`'}}";
    let error = Workflow::new(&candidate(Trust::Trusted, lines)).unwrap_err();
    let messages: Vec<String> = faults(&error);
    assert_eq!(
        messages,
        [
            "step 1 calls `git_push`, which is not among the `required_tools`",
            "item 2 is not a step: expected a text, or a map with `step`",
            "step 3 has the id `a` of an earlier one",
            "the `params` of step 3 are not a map",
            "the `on_error` of step 3 is unknown: expected `fail`, `continue` or `skip`",
            "a parameter of step 4 asks for `date` to be run, which happens in bodies alone",
        ]
    );
    assert_eq!(
        error.to_string(),
        format!("the workflow of `a` is not valid: {}", messages.join("; "))
    );
    let messages_of = |lines: &str| {
        let error = Workflow::new(&candidate(Trust::Trusted, lines)).unwrap_err();
        faults(&error)
    };
    assert_eq!(
        messages_of("workflow: {step: One}"),
        ["expected a list of steps, found a map"]
    );
    let unnamed = [
        "the `id` of step 1 is not text",
        "the `tool` of step 1 is not text",
    ];
    assert_eq!(
        messages_of("workflow: [{id: [a], step: One, tool: {name: t}}]"),
        unnamed,
        "no step for a model by a slip"
    );
    for nothing in ["license: MIT", "workflow:", "workflow: []"] {
        assert_eq!(
            Workflow::new(&candidate(Trust::Trusted, nothing))
                .unwrap()
                .planned(&Context::new()),
            Ok(vec![]),
            "{nothing}"
        );
    }
}

/// A YAML value without a JSON equivalent becomes a text, so every plan can be sent.
#[test]
fn parameters_are_json_whatever_they_are() {
    let lines = "required_tools: t\nworkflow:\n  - {step: One, tool: t, params: {a: .nan, b: .inf, c: ~, d: 0x1F, e: 1e3, f: [{g: 1.10}]}}";
    let planned = Workflow::new(&candidate(Trust::Trusted, lines))
        .unwrap()
        .planned(&Context::new())
        .unwrap();
    let expected =
        json!({"a": ".nan", "b": ".inf", "c": null, "d": "0x1F", "e": "1e3", "f": [{"g": "1.10"}]});
    assert_eq!(planned[0].params.as_ref().map(Value::json), Some(expected));
}

#[tokio::test]
async fn untrusted_sources_run_no_checks() {
    let host = Host::default();
    let restricted = candidate(
        Trust::Restricted,
        &format!("{STEPS}\nverification: [{{kind: command, run: make}}, It works]"),
    );
    let outcomes: Vec<_> = verify(&restricted, &host)
        .await
        .into_iter()
        .map(|(_, outcome)| outcome)
        .collect();
    assert_eq!(
        outcomes,
        [
            CheckOutcome::Skipped("its source is restricted".into()),
            CheckOutcome::NeedsJudgement
        ]
    );
    assert_eq!(host.noted(), [""; 0]);
}

#[tokio::test]
async fn text_checks_need_judgement_and_typed_checks_run() {
    let lines = "verification:\n  - All tests pass\n  - {id: t, kind: command, run: make test}\n  \
        - {kind: file-exists, path: out.md}\n  - {kind: moon-phase}\n  - {run: make lint}";
    let host = Host::default();
    let checked = verify(&candidate(Trust::Trusted, lines), &host).await;
    assert_eq!(checked[0].0, Check::Text("All tests pass".into()));
    assert_eq!(
        checked[4].0,
        Check::Text(r#"{"run":"make lint"}"#.into()),
        "nothing is dropped"
    );
    let outcomes: Vec<_> = checked.into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(
        outcomes,
        [
            CheckOutcome::NeedsJudgement,
            CheckOutcome::Passed,
            CheckOutcome::Failed("there is no such file".into()),
            CheckOutcome::Skipped("unknown kind".into()),
            CheckOutcome::Skipped("expected a text or a map with `kind`".into()),
        ]
    );
    assert_eq!(
        host.noted(),
        [
            r#"command {"id":"t","kind":"command","run":"make test"}"#,
            r#"file-exists {"kind":"file-exists","path":"out.md"}"#,
            r#"moon-phase {"kind":"moon-phase"}"#,
        ]
    );
    let map = verify(
        &candidate(Trust::Trusted, "verification: {kind: command, run: make}"),
        &Host::default(),
    )
    .await;
    assert_eq!(
        map.iter().map(|(_, outcome)| outcome).collect::<Vec<_>>(),
        [&CheckOutcome::Passed]
    );
    assert_eq!(
        verify(&candidate(Trust::Trusted, "license: MIT"), &Host::default()).await,
        []
    );
}

/// A rule of a host that fails for every access.
#[derive(Debug)]
struct Panics;

impl Authorizer for Panics {
    fn governs(&self, _: &Capability) -> bool {
        true
    }

    fn check(&self, _: &Access<'_>) -> Result<AccessDecision, Box<dyn Error + Send + Sync>> {
        panic!("on purpose")
    }
}

#[test]
fn required_tools_are_missing_denied_or_fine() {
    let policy = PermissionPolicy::new([("run", vec!["read", "mcp__github__get"])], "run").unwrap();
    let authorizers = [Arc::new(policy) as Arc<dyn Authorizer>];
    let skill = |required: &str| {
        let lines = format!("required_tools: [{required}]");
        candidate(Trust::Trusted, &lines).item
    };
    let check = |required: &str, available: &[&str]| {
        let check = ToolCheck::new(&skill(required), available, &authorizers);
        (check.missing.join(" "), check.denied.join(" "))
    };
    let none = String::new;
    assert_eq!(check("", &[]), (none(), none()));
    assert_eq!(check("read", &["read", "write"]), (none(), none()));
    assert_eq!(
        check("read, write, run", &["read", "write"]),
        ("run".into(), "write".into())
    );
    let github = ["mcp__github__get", "mcp__github__delete"];
    assert_eq!(
        check("mcp__github__*", &github),
        (none(), none()),
        "one that may be called will do"
    );
    assert_eq!(
        check("mcp__github__*", &github[1..]),
        (none(), "mcp__github__*".into())
    );
    assert_eq!(
        check("mcp__github__*", &["read"]),
        ("mcp__github__*".into(), none())
    );
    let denied = |authorizers: &[Arc<dyn Authorizer>]| {
        ToolCheck::new(&skill("write"), &["write"], authorizers).denied
    };
    assert_eq!(denied(&[]), [""; 0], "no authorizer denies");
    assert_eq!(denied(&[Arc::new(Panics)]), ["write"]);
}
