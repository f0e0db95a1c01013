//! Policies by role and hosts' own authorizers; the labels are those of the vectors.

use std::sync::Arc;

use super::*;

/// Two roles, of which `support` is active.
fn policy() -> PermissionPolicy {
    let roles = [
        ("support", vec!["lookup", "refunds"]),
        ("admin", vec!["lookup", "pay_out"]),
        ("idle", vec![]),
    ];
    PermissionPolicy::new(roles, "support").unwrap()
}

fn may(policy: &PermissionPolicy, tool: &str) -> bool {
    policy.decision(&Access::offer(tool)).is_allowed()
}

#[test]
fn m11_m22_an_unknown_role_error_lists_the_roles() {
    for role in [
        "boss",
        "toString",
        "__proto__",
        "constructor",
        "",
        "Support",
    ] {
        let error = policy().active_role(role).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("unknown role `{role}`: expected `support`, `admin`, `idle`")
        );
        assert!(
            policy().skills(role, []).is_err() && policy().capabilities(role, []).is_err(),
            "{role}"
        );
    }
    let none = PermissionPolicy::new(Vec::<(&str, Vec<&str>)>::new(), "any")
        .unwrap_err()
        .to_string();
    assert_eq!(
        none,
        "unknown role `any`: expected one, but the policy has none"
    );
}

#[test]
fn m12_a_role_may_call_only_listed_tools() {
    assert_eq!(
        ["lookup", "pay_out", "Lookup", ""].map(|tool| may(&policy(), tool)),
        [true, false, false, false]
    );
    assert!(!may(&policy().active_role("idle").unwrap(), "lookup"));
}

#[test]
fn m13_a_denial_names_rule_tool_and_role() {
    let policy = policy();
    let decision = policy.decision(&Access::offer("lookup"));
    assert_eq!(rule(&decision), (Effect::Allow, "support.allowlist"));
    let decision = policy.decision(&Access::offer("pay_out"));
    assert_eq!(rule(&decision), (Effect::Deny, "support.allowlist.miss"));
    assert_eq!(
        &*decision.rationale,
        "the tool `pay_out` is not among the allowlist of the role `support`"
    );
}

#[test]
fn m14_a_role_change_returns_a_new_policy() {
    let (support, admin) = (policy(), policy().active_role("admin").unwrap());
    assert!(may(&admin, "pay_out") && !may(&support, "pay_out"));
    assert_eq!(admin.active_role("support").unwrap(), support);
}

#[test]
fn m15_m21_rules_decide_the_governed_capabilities() {
    let (read, write) = (Capability::MEMORY_READ, Capability::new("deploy"));
    let all = [
        Capability::TOOL_CALL,
        Capability::SKILL_READ,
        read.clone(),
        write.clone(),
    ];
    let governed =
        |policy: &PermissionPolicy| all.each_ref().map(|capability| policy.governs(capability));
    assert_eq!(governed(&policy()), [true, false, false, false]);
    let skills = policy().skills("admin", [target("payroll")]).unwrap();
    assert_eq!(
        governed(&skills),
        [true, true, false, false],
        "a rule of any role"
    );
    let data = policy().capabilities("support", [read.clone()]).unwrap();
    assert_eq!(governed(&data), [true, false, true, true]);
    let asked = |policy: &PermissionPolicy, capability: &Capability, name| {
        policy.decision(&Access::Tool {
            name,
            capability: capability.clone(),
            arguments: None,
        })
    };
    assert_eq!(
        rule(&asked(&data, &read, "pay_out")),
        (Effect::Allow, "support.capabilities")
    );
    assert_eq!(
        rule(&asked(&data, &write, "lookup")),
        (Effect::Deny, "support.capabilities.miss")
    );
    let other = data.active_role("admin").unwrap();
    assert_eq!(
        rule(&asked(&other, &write, "lookup")),
        (Effect::Allow, "admin.allowlist"),
        "falls through"
    );
    assert_eq!(
        rule(&asked(&other, &write, "refunds")),
        (Effect::Deny, "admin.allowlist.miss")
    );
}

#[test]
fn m16_skills_are_ruled_by_role() {
    let policy = policy()
        .skills("support", [target("billing"), target("home:tax")])
        .unwrap();
    let asked =
        |policy: &PermissionPolicy, id: &str| policy.decision(&Access::Skill(&candidate(id)));
    assert_eq!(
        rule(&asked(&policy, "billing")),
        (Effect::Allow, "support.skills")
    );
    assert_eq!(
        rule(&asked(&policy, "tax")),
        (Effect::Allow, "support.skills")
    );
    let denied = asked(&policy, "payroll");
    assert_eq!(rule(&denied), (Effect::Deny, "support.skills.miss"));
    assert_eq!(
        &*denied.rationale,
        "the skill `home:payroll` is not among the skills of the role `support`"
    );
    let admin = policy.active_role("admin").unwrap();
    assert_eq!(
        rule(&asked(&admin, "payroll")),
        (Effect::Allow, "admin.skills.unruled")
    );
}

#[test]
fn skills_are_ruled_by_label_and_level_too() {
    let labels = policy()
        .functional_tiers("support", [FunctionalTier::new("audit-proof")])
        .unwrap();
    let labels = labels
        .functional_tiers("support", [FunctionalTier::new("House Keeping")])
        .unwrap();
    let level = policy()
        .invoke_level("support", InvokeLevel::Executor)
        .unwrap();
    let both = labels
        .clone()
        .invoke_level("support", InvokeLevel::Executor)
        .unwrap();
    let all = both.clone().skills("support", [target("other")]).unwrap();
    let asked = |policy: &PermissionPolicy, lines: &str| {
        let AccessDecision { effect, rule, .. } =
            policy.decision(&Access::Skill(&declaring(lines)));
        (effect, rule.strip_prefix("support.").unwrap().to_owned())
    };
    let allowed = |rule: &str| (Effect::Allow, rule.to_owned());
    let denied = |rule: &str| (Effect::Deny, format!("{rule}.miss"));
    for (lines, by_label, by_level) in [
        (
            "tier: Audit & Proof",
            allowed("functional-tiers"),
            allowed("invoke-level"),
        ),
        (
            "functional-tier: House Keeping",
            allowed("functional-tiers"),
            allowed("invoke-level"),
        ),
        (
            "tier: integration",
            denied("functional-tiers"),
            allowed("invoke-level"),
        ),
        (
            "license: MIT",
            denied("functional-tiers"),
            allowed("invoke-level"),
        ),
        (
            "tier: 1",
            denied("functional-tiers"),
            allowed("invoke-level"),
        ),
        (
            "tier: 3",
            denied("functional-tiers"),
            denied("invoke-level"),
        ),
        (
            "functional-tier: audit-proof\ninvoke-level: 3",
            allowed("functional-tiers"),
            denied("invoke-level"),
        ),
    ] {
        assert_eq!(
            (asked(&labels, lines), asked(&level, lines)),
            (by_label.clone(), by_level.clone()),
            "{lines}"
        );
        let first = if by_label.0 == Effect::Deny {
            by_label
        } else if by_level.0 == Effect::Deny {
            by_level
        } else {
            by_label
        };
        assert_eq!(asked(&both, lines), first, "{lines}");
        assert_eq!(asked(&all, lines), denied("skills"), "{lines}");
    }
    let why = |policy: &PermissionPolicy| {
        policy
            .decision(&Access::Skill(&declaring("tier: 3")))
            .rationale
            .to_string()
    };
    assert_eq!(
        [why(&labels), why(&level)],
        [
            "the label of the skill `home:probe` is not among the functional-tiers of the role `support`",
            "the skill `home:probe` demands level 3, and the role `support` has level 2",
        ]
    );
    let governed =
        [&policy(), &labels, &level].map(|policy| policy.governs(&Capability::SKILL_READ));
    assert_eq!(governed, [false, true, true]);
    let admin = all.active_role("admin").unwrap();
    assert_eq!(
        rule(&admin.decision(&Access::Skill(&declaring("tier: 3")))),
        (Effect::Allow, "admin.skills.unruled")
    );
    for role in ["boss", ""] {
        assert!(policy().functional_tiers(role, []).is_err());
        assert!(policy().invoke_level(role, InvokeLevel::Any).is_err());
    }
    let none = policy().functional_tiers("support", []).unwrap();
    assert_eq!(
        asked(&none, "tier: integration"),
        denied("functional-tiers"),
        "an empty list allows none"
    );
}

#[test]
fn m17_m18_a_tool_and_its_namesake_skill_differ() {
    let policy = policy().skills("support", []).unwrap();
    let refunds = candidate("refunds");
    let (tool, skill) = (Access::offer("refunds"), Access::Skill(&refunds));
    assert_eq!(
        rule(&policy.decision(&tool)),
        (Effect::Allow, "support.allowlist")
    );
    assert_eq!(
        rule(&policy.decision(&skill)),
        (Effect::Deny, "support.skills.miss")
    );
    assert_eq!(
        [tool.to_string(), skill.to_string()],
        ["refunds", "skill:home:refunds"]
    );
}

#[test]
fn m23_later_changes_of_lists_are_ignored() {
    let mut roles = vec![("support".to_owned(), vec!["lookup".to_owned()])];
    let policy = PermissionPolicy::new(roles.clone(), "support").unwrap();
    roles[0].1.push("pay_out".to_owned());
    let wider = policy
        .clone()
        .skills("support", [target("payroll")])
        .unwrap();
    assert!(
        !may(&policy, "pay_out")
            && !policy.governs(&Capability::SKILL_READ)
            && wider.governs(&Capability::SKILL_READ)
    );
}

/// Returns the reasons why `authorizers` hide a skill `payroll` from the model and from the user.
fn hidden(authorizers: impl IntoIterator<Item = Arc<dyn Authorizer>>) -> [Option<HiddenReason>; 2] {
    let modes = authorizers
        .into_iter()
        .fold(VisibilityPolicy::default(), VisibilityPolicy::permitted_by);
    [Audience::Model, Audience::User]
        .map(|audience| modes.hidden_reason(audience, &candidate("payroll")))
}

#[test]
fn m20_a_checker_that_fails_hides() {
    assert_eq!(
        hidden([host(|_| Ok(allowed())) as Arc<dyn Authorizer>]),
        [None; 2]
    );
    assert_eq!(
        hidden([host(|_| Err("no answer".into())) as Arc<dyn Authorizer>]),
        [Some(HiddenReason::Denied); 2]
    );
    assert_eq!(
        hidden([host(|_| panic!("on purpose")) as Arc<dyn Authorizer>]),
        [Some(HiddenReason::Denied); 2]
    );
    // An authorizer that queries a service beforehand and gets no answer in time: the channel is closed.
    let (sender, receiver) = std::sync::mpsc::channel::<AccessDecision>();
    drop(sender);
    let receiver = std::sync::Mutex::new(receiver);
    let late = host(move |_| Ok(receiver.lock().map_err(|_| "broken")?.try_recv()?));
    assert_eq!(
        hidden([late as Arc<dyn Authorizer>]),
        [Some(HiddenReason::Denied); 2]
    );
    for effect in [Effect::Ask, Effect::Deny, Effect::Halt] {
        let answer = move |_: &Access<'_>| Ok(AccessDecision::new(effect, "test", ""));
        assert_eq!(
            hidden([host(answer) as Arc<dyn Authorizer>]),
            [Some(HiddenReason::Denied); 2],
            "{effect:?}"
        );
    }
}

#[test]
fn several_checkers_only_narrow() {
    // The skills of a whole project are a and b, those of one step b and c.
    let of = |skills: &[&str]| {
        let policy = PermissionPolicy::new([("run", Vec::<&str>::new())], "run").unwrap();
        Arc::new(
            policy
                .skills("run", skills.iter().map(|id| target(id)))
                .unwrap(),
        ) as Arc<dyn Authorizer>
    };
    let view = view(&["a", "b", "c"]);
    let seen = |modes: &VisibilityPolicy| -> Vec<&str> {
        let seen = view
            .entries()
            .iter()
            .filter(|entry| modes.sees(Audience::Model, &entry.candidate));
        seen.map(|entry| entry.id.as_str()).collect()
    };
    assert_eq!(
        seen(
            &VisibilityPolicy::default()
                .permitted_by(of(&["a", "b"]))
                .permitted_by(of(&["b", "c"]))
        ),
        ["b"]
    );
    assert_eq!(
        seen(&VisibilityPolicy::default().permitted_by(of(&[]))),
        [""; 0],
        "an empty list allows none"
    );
}

#[test]
fn decisions_are_cached_until_the_skill_changes() {
    let fickle = host(|_| Ok(AccessDecision::new(Effect::Deny, "test.deny", "not today")));
    let modes = VisibilityPolicy::default().permitted_by(fickle.clone());
    let payroll = candidate("payroll");
    for modes in [modes.clone(), modes.clone()] {
        assert_eq!(
            modes.hidden_reason(Audience::Model, &payroll),
            Some(HiddenReason::Denied)
        );
        assert_eq!(
            modes.hidden_reason(Audience::User, &candidate("payroll")),
            Some(HiddenReason::Denied),
            "an equal one"
        );
    }
    assert_eq!(fickle.1.load(Ordering::Relaxed), 1);
    assert_eq!(
        modes.explain(Audience::Model, &payroll).as_deref(),
        Some("permissions deny it: test.deny: not today")
    );
    let mut changed = payroll.clone();
    changed.digest = Some(repertoire_core::Digest::of(b"another body"));
    for candidate in [&changed, &payroll, &changed] {
        assert_eq!(
            modes.hidden_reason(Audience::Model, candidate),
            Some(HiddenReason::Denied)
        );
    }
    assert_eq!(
        fickle.1.load(Ordering::Relaxed),
        2,
        "a state before and the one after are both remembered"
    );
}

#[test]
fn an_authorizer_may_query_a_visibility_policy() {
    let inner = VisibilityPolicy::default().permitted_by(host(|_| Ok(allowed())));
    let modes = inner.clone().permitted_by(host(move |access| match access {
        Access::Skill(candidate) if inner.sees(Audience::Model, candidate) => Ok(allowed()),
        _ => Err("not seen".into()),
    }));
    assert!(modes.sees(Audience::Model, &candidate("payroll")));
}
