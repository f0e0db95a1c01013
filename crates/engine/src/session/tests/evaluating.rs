//! The active skills: the vectors of agentfootprint's evaluator.

use super::*;

fn evaluated(options: SessionOptions, turn: &Turn) -> Evaluation {
    let empty = repertoire_registry::merge::<Skill>(&[]);
    let evaluation =
        Session::new(Toolset::new(&empty, &ToolOptions::default()), options).evaluate(turn);
    assert_each_once(&evaluation);
    evaluation
}

fn results(tools: &[&str]) -> Vec<ToolResult> {
    tools
        .iter()
        .map(|tool| ToolResult::new(*tool, "done"))
        .collect()
}

#[test]
fn always_triggers_activate() {
    let options = plain().inject(steering("tone", Trigger::Always)).unwrap();
    let evaluation = evaluated(options, &Turn::new(""));
    assert_eq!(ids(&evaluation), ["tone"]);
    assert_eq!(evaluation.active[0].by, ActiveBy::Always);
}

#[test]
fn rules_depend_on_the_turn() {
    let options = || {
        let options = plain().rule("late", |turn| turn.number > 5);
        options
            .inject(steering("wrap-up", Trigger::Rule("late".into())))
            .unwrap()
    };
    assert_eq!(
        ids(&evaluated(options(), &Turn::new("").number(1))),
        [""; 0]
    );
    let late = evaluated(options(), &Turn::new("").number(10));
    assert_eq!(late.active[0].by, ActiveBy::Rule("late".into()));
}

#[test]
fn panicking_rules_are_skipped() {
    let options = plain()
        .rule("broken", |_| panic!("on purpose"))
        .rule("fine", |_| true);
    let options = options
        .inject(steering("one", Trigger::Rule("broken".into())))
        .unwrap();
    let options = options
        .inject(steering("two", Trigger::Rule("fine".into())))
        .unwrap();
    let options = options
        .inject(steering("three", Trigger::Rule("unheard-of".into())))
        .unwrap();
    let evaluation = evaluated(options, &Turn::new(""));
    assert_eq!(ids(&evaluation), ["two"]);
    let skipped: Vec<_> = evaluation
        .skipped
        .iter()
        .map(|skipped| (skipped.id.as_str(), &skipped.why))
        .collect();
    assert_eq!(
        skipped,
        [
            (
                "one",
                &NoticeReason::Invalid("its rule panicked: on purpose".into())
            ),
            (
                "three",
                &NoticeReason::Invalid("there is no rule `unheard-of`".into())
            )
        ]
    );
}

#[test]
fn the_whole_batch_of_results_counts() {
    let after = |name: &str| {
        plain()
            .inject(steering("note", Trigger::AfterTool(name.into())))
            .unwrap()
    };
    for (tools, expected) in [
        (&[][..], false),
        (&["weather"], true),
        (&["weather", "clock"], true),
        (&["clock", "weather"], true),
        (&["Weather"], false),
        (&["weather_tomorrow"], false),
    ] {
        let results = results(tools);
        let evaluation = evaluated(after("weather"), &Turn::new("").results(results));
        assert_eq!(evaluation.active.len(), usize::from(expected), "{tools:?}");
    }
}

#[test]
fn an_expression_is_anchored_and_has_no_state() {
    let session = |pattern: &str| {
        let empty = repertoire_registry::merge::<Skill>(&[]);
        let options = plain()
            .inject(steering("note", Trigger::AfterToolMatching(pattern.into())))
            .unwrap();
        Session::new(Toolset::new(&empty, &ToolOptions::default()), options)
    };
    for (pattern, tool, expected) in [
        ("^read_", "read_user", true),
        ("read_", "read_user", true),
        ("read_", "mcp_read_user", false),
        ("read", "bread", false),
        ("a|b", "ab", true),
        ("a|b", "cb", false),
        ("read_.*$", "read_user", true),
        ("read$", "read_user", false),
    ] {
        let (session, results) = (session(pattern), results(&[tool]));
        let turn = Turn::new("").results(results);
        // The same four times: a stateful expression would alternate.
        let found = [(); 4].map(|()| session.evaluate(&turn).active.len());
        assert_eq!(found, [usize::from(expected); 4], "{pattern} {tool}");
    }
}

#[test]
fn declared_order_is_kept() {
    let names = ["e", "b", "a", "d", "c"];
    let options = names.iter().fold(plain(), |options, name| {
        options.inject(steering(name, Trigger::Always)).unwrap()
    });
    assert_eq!(ids(&evaluated(options, &Turn::new(""))), names);
}

#[tokio::test]
async fn activated_injections_remain_active_until_deactivated() {
    let world = TestEnv::of(&["name: tea"]).await;
    let options = plain()
        .inject(steering("strict", Trigger::Activated))
        .unwrap();
    let mut session = world.session(options.inject(steering("tone", Trigger::Always)).unwrap());
    assert_eq!(ids(&session.evaluate(&Turn::new(""))), ["tone"]);
    session.activate(Audience::Model, "strict", "").unwrap();
    session.activate(Audience::Model, "strict", "").unwrap();
    session.activate(Audience::Model, "tea", "").unwrap();
    assert_eq!(
        ids(&session.evaluate(&Turn::new(""))),
        ["strict", "tone", "tea"]
    );
    session.deactivate("strict");
    session.deactivate("tone");
    assert_eq!(ids(&session.evaluate(&Turn::new(""))), ["tone", "tea"]);
}

#[test]
fn one_id_is_given_once_for_each_flavor() {
    let options = plain().inject(steering("tone", Trigger::Always)).unwrap();
    let fact = injection(
        "tone",
        Flavor::Fact,
        Trigger::Always,
        Content::system_prompt("It is."),
    );
    let options = options.inject(fact).unwrap();
    let error = options
        .clone()
        .inject(steering("tone", Trigger::Always))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "steering `tone` is not valid: the session has one of its flavor and id"
    );
    assert_eq!(ids(&evaluated(options, &Turn::new(""))), ["tone", "tone"]);
    let error = plain()
        .inject(steering("tone", Trigger::AfterToolMatching("(".into())))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("steering `tone` is not valid: its trigger is not a regular expression: "),
        "{error}"
    );
}

#[test]
fn remaining_calls_stop_at_zero() {
    let remaining = |number| Turn::new("").number(number).at_most(30).remaining();
    assert_eq!([25, 30, 31].map(remaining), [Some(5), Some(0), Some(0)]);
    assert_eq!(Turn::new("").remaining(), None);
}

#[tokio::test]
async fn evaluating_changes_nothing() {
    let world = TestEnv::of(&["name: tea\ntriggers: [kettle]"]).await;
    let session = world.session(plain());
    let before = session.state();
    let turn = Turn::new("Put the kettle on");
    let (first, second) = (session.evaluate(&turn), session.evaluate(&turn));
    assert_eq!(ids(&first), ["tea"]);
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
    assert_eq!(session.state(), before);
}
