//! The tools of skills; the labels are those of the vectors.

use super::*;

fn tool(name: &str) -> ToolSpec {
    ToolSpec::new(name, "Does it.", serde_json::json!({"type": "object"})).unwrap()
}

fn attachable(front_matter: &str) -> Attachable {
    Attachable::new(skill(front_matter)).unwrap()
}

fn id(id: &str) -> Id {
    id.parse().unwrap()
}

fn own(names: &[&str]) -> SkillTools {
    SkillTools::new(names.iter().map(|name| tool(name))).unwrap()
}

fn names(tools: &SkillTools, active: &[&str]) -> Vec<String> {
    let active: Vec<Id> = active.iter().map(|name| id(name)).collect();
    tools
        .offered(&active)
        .iter()
        .map(|tool| tool.name.to_string())
        .collect()
}

/// Returns the effect of a call, and its rule.
fn called(tools: &SkillTools, name: &str, active: &[&str]) -> Option<(Effect, String)> {
    let active: Vec<Id> = active.iter().map(|name| id(name)).collect();
    tools
        .decision(name, &serde_json::json!({}), &active)
        .map(|decision| (decision.effect, decision.rule.to_string()))
}

#[test]
fn m1_m3_a_name_clash_error_names_both_owners() {
    let tools = || {
        own(&["search"])
            .with(&id("a"), &attachable(""), [tool("write")])
            .unwrap()
    };
    let clash = |skill: &str, spec: ToolSpec| {
        tools()
            .with(&id(skill), &attachable(""), [spec])
            .map(|_| ())
            .map_err(|clash| clash.to_string())
    };
    let host = "the skill `b` brings a tool `search`, which is the name of a tool of the host";
    assert_eq!(clash("b", tool("search")), Err(host.to_owned()));
    assert_eq!(clash("b", tool("write")), Ok(()), "the very same");
    let other = ToolSpec::new(
        "write",
        "Does something else.",
        serde_json::json!({"type": "object"}),
    )
    .unwrap();
    assert_eq!(
        clash("b", other),
        Err("the skills `a` and `b` bring different tools called `write`".to_owned())
    );
    assert_eq!(
        clash("a", tool("write")),
        Err("the skill `a` brings two tools called `write`".to_owned())
    );
    let twice = SkillTools::new([tool("x"), tool("x")]).unwrap_err();
    assert_eq!(twice.to_string(), "two tools are called `x`");
}

#[test]
fn m4_m7_only_offered_tools_are_allowed() {
    let with = |own: SkillTools, front_matter: &str| {
        own.with(&id("billing"), &attachable(front_matter), [tool("write")])
            .unwrap()
    };
    let any_time = || own(&["search"]).always_offered();
    let always = with(any_time(), "");
    assert_eq!(
        (names(&always, &[]), names(&always, &["billing"])),
        (
            vec!["search".into(), "write".into()],
            vec!["search".into(), "write".into()]
        )
    );
    for tools in [
        with(own(&["search"]), ""),
        with(any_time(), "autoActivate: currentSkill"),
        with(any_time(), "metadata: {autoActivate: currentSkill}"),
    ] {
        for (active, expected) in [
            (&[][..], vec!["search"]),
            (&["billing"][..], vec!["search", "write"]),
            (&["Billing"][..], vec!["search"]),
            (&["other"][..], vec!["search"]),
        ] {
            assert_eq!(names(&tools, active), expected, "{active:?}");
            let goes = ["search", "write"].into_iter().filter(|name| {
                called(&tools, name, active).is_some_and(|(effect, _)| effect == Effect::Allow)
            });
            assert_eq!(goes.collect::<Vec<_>>(), expected, "{active:?}");
        }
        assert_eq!(
            called(&tools, "write", &[]),
            Some((Effect::Deny, "tools.inactive".to_owned()))
        );
        assert_eq!(
            called(&tools, "write", &["billing"]),
            Some((Effect::Allow, "skill:billing.tools".to_owned()))
        );
    }
    assert_eq!(
        called(&always, "elsewhere", &["billing"]),
        None,
        "somebody else's"
    );
}

#[test]
fn m6_a_skill_without_tools_changes_nothing() {
    let tools = own(&["search"])
        .with(&id("plain"), &attachable(""), [])
        .unwrap();
    assert_eq!(
        (names(&tools, &[]), names(&tools, &["plain"])),
        (vec!["search".to_owned()], vec!["search".to_owned()])
    );
}

#[test]
fn m8_every_call_returns_its_own_ordered_list() {
    let tools = own(&["c", "a", "b"]);
    let mut first = tools.offered(&[]);
    first.clear();
    assert_eq!(names(&tools, &[]), ["c", "a", "b"]);
}

#[test]
fn m9_authorizers_only_narrow_and_fail_closed() {
    let only = |name: &'static str| {
        host(move |access| match access {
            Access::Tool { name: tool, .. } if tool.starts_with(name) => Ok(allowed()),
            _ => Ok(AccessDecision::new(Effect::Deny, "test.deny", "")),
        })
    };
    let tools = || own(&["ab", "a", "b"]);
    assert_eq!(
        names(&tools().permitted_by(only("")), &[]),
        ["ab", "a", "b"]
    );
    assert_eq!(names(&tools().permitted_by(only("x")), &[]), [""; 0]);
    assert_eq!(
        names(
            &tools().permitted_by(only("a")).permitted_by(only("ab")),
            &[]
        ),
        ["ab"],
        "stacked"
    );
    let broken = tools().permitted_by(host(|_| panic!("on purpose")));
    assert_eq!(names(&broken, &[]), [""; 0]);
    assert_eq!(
        called(&broken, "a", &[]),
        Some((Effect::Deny, "authorizer.failed".to_owned()))
    );
}

#[test]
fn an_authorizer_sees_the_arguments_of_a_call() {
    let tools = own(&["bash"]).permitted_by(host(|access| {
        let is_dangerous = match access {
            Access::Tool {
                arguments: Some(arguments),
                ..
            } => arguments["command"].as_str() == Some("rm -rf /"),
            _ => false,
        };
        Ok(AccessDecision::new(
            if is_dangerous {
                Effect::Halt
            } else {
                Effect::Allow
            },
            "test",
            "",
        ))
    }));
    let effect = |command: &str| {
        tools
            .decision("bash", &serde_json::json!({"command": command}), &[])
            .map(|decision| decision.effect)
    };
    assert_eq!(names(&tools, &[]), ["bash"]);
    assert_eq!(
        (effect("ls"), effect("rm -rf /")),
        (Some(Effect::Allow), Some(Effect::Halt))
    );
}

#[test]
fn m10_a_blank_name_is_no_skill() {
    assert!("".parse::<Id>().is_err() && "  ".parse::<Id>().is_err());
}

#[test]
fn the_strictest_active_skill_decides_a_shared_tool() {
    let raw = Attachable::new(skill("category: raw")).unwrap_err();
    let raw = raw.with_policies(ToolPolicies::new().with("run", ToolPolicy::RequiresApproval));
    let tools = own(&[]);
    let tools = tools
        .with(&id("plain"), &attachable(""), [tool("run")])
        .unwrap();
    let tools = tools
        .with(&id("raw"), &raw, [tool("run"), tool("drop")])
        .unwrap();
    assert_eq!(
        called(&tools, "run", &["plain"]),
        Some((Effect::Allow, "skill:plain.tools".to_owned()))
    );
    assert_eq!(
        called(&tools, "run", &["raw"]),
        Some((Effect::Ask, "skill:raw.tools".to_owned()))
    );
    assert_eq!(
        called(&tools, "run", &["plain", "raw"]),
        Some((Effect::Ask, "skill:raw.tools".to_owned()))
    );
    assert_eq!(
        called(&tools, "drop", &["raw"]),
        Some((Effect::Deny, "skill:raw.tools".to_owned())),
        "its gate blocks it"
    );
    assert_eq!(
        names(&tools, &["plain", "raw"]),
        ["run"],
        "what needs a person is offered, what is blocked is not"
    );
}
