//! Filters, scores and strategies.

use std::collections::BTreeSet;

use repertoire_agents::*;
use serde_json::{Value, json};

use crate::stores::{advance, agent_in, on_every_store, profile, request, reserve};

fn put(store: &dyn AgentStore, name: &str, value: Value) {
    let mut value = value;
    let fields = value.as_object_mut().expect("an object");
    fields.entry("agent_type").or_insert_with(|| name.into());
    store.put_profile(name, &profile(value)).unwrap();
}

fn history(successes: f64, failures: f64, avg_ms: f64) -> Value {
    json!({ "successes": successes, "failures": failures, "total_ms": (successes + failures) * avg_ms })
}

fn with_skills<const N: usize>(
    mut request: AllocationRequest,
    skills: [&str; N],
) -> AllocationRequest {
    request.required_skills = skills.map(str::to_owned).into();
    request
}

/// Returns the reasons of a rating, each with its code.
fn reasons(rating: &ProfileRating) -> Vec<String> {
    let reasons = rating.reasons.iter();
    reasons.map(|one| format!("{}: {one}", one.code)).collect()
}

fn strategy(store: &dyn AgentStore, strategy: AllocationStrategy) {
    let pool = PoolSettings {
        max: 100,
        strategy,
        ..PoolSettings::default()
    };
    store.put_pool(AgentPool::Implementation, pool).unwrap();
}

/// Returns the profiles that `count` requests get, one after the other.
fn choices(store: &dyn AgentStore, count: u64) -> String {
    let chosen: Vec<_> = (0..count)
        .map(|number| reserve(store, &request(&format!("c{number}")), 100 + number).profile)
        .collect();
    chosen.join(" ")
}

#[test]
fn scores_match_the_worked_vectors() {
    on_every_store(|store| {
        strategy(store, AllocationStrategy::CapacityAware);
        put(
            store,
            "a",
            json!({ "skills": ["x", "y"], "history": history(135.0, 7.0, 45_000.0) }),
        );
        put(store, "b", json!({ "skills": ["x"] }));
        put(
            store,
            "c",
            json!({
                "agent_type": "c", "skills": ["x", "y"], "limits": { "max_concurrent_tasks": 4 },
                "history": history(135.0, 7.0, 45_000.0),
            }),
        );
        put(
            store,
            "d",
            json!({
                "skills": ["x", "p", "q", "r"], "limits": { "max_concurrent_tasks": 4 },
                "history": history(10.0, 0.0, 60_000.0),
            }),
        );
        put(
            store,
            "e",
            json!({
                "skills": ["x"], "limits": { "max_concurrent_tasks": 4 },
                "history": history(0.0, 20.0, 60_000.0),
            }),
        );
        for number in 0..3 {
            let mut occupy = request(&format!("occupy {number}"));
            occupy.agent_type = Some("c".to_owned());
            reserve(store, &occupy, 0);
        }
        let ratings = store.explain(&with_skills(request("1"), ["x"])).unwrap();
        let rows: Vec<_> = ratings
            .iter()
            .map(|one| {
                format!(
                    "{} {:.4} {:.4} {:.4} {:.4} {:.4} {}",
                    one.profile,
                    one.reliability,
                    one.capacity,
                    one.speed,
                    one.fit,
                    one.score,
                    one.reasons.len()
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                "a 0.9130 1.0000 0.8500 0.5000 0.8927 0",
                "d 0.7854 1.0000 0.8000 0.2500 0.8092 0",
                "c 0.9130 0.2500 0.8500 0.5000 0.6302 0",
                "b 0.0000 1.0000 0.5000 1.0000 0.5250 0",
                "e 0.0000 1.0000 0.8000 1.0000 0.5700 1",
            ]
        );
        assert_eq!(reasons(&ratings[4]), ["unreliable: fails too often"]);
    });
}

#[test]
fn lower_bounds_match_the_worked_vectors() {
    on_every_store(|store| {
        for (successes, failures, bound) in [
            (0.0, 0.0, "0.0000"),
            (1.0, 0.0, "0.2190"),
            (10.0, 0.0, "0.7854"),
            (100.0, 0.0, "0.9741"),
            (3.0, 1.0, "0.3501"),
        ] {
            let name = format!("{successes} of {failures}");
            put(
                store,
                &name,
                json!({ "history": history(successes, failures, 0.0) }),
            );
            let ratings = store.explain(&request("1")).unwrap();
            let own = ratings.iter().find(|one| one.profile == name).unwrap();
            assert_eq!(format!("{:.4}", own.reliability), bound, "{name}");
        }
    });
}

#[test]
fn each_filter_reports_its_reason() {
    on_every_store(|store| {
        put(
            store,
            "leaf",
            json!({
                "skills": ["x"],
                "permissions": { "tools": ["read", "mcp__*"], "deny": ["mcp__shell__*"] },
                "limits": { "max_concurrent_tasks": 1, "token_budget": 100, "timeout_ms": 1000 },
                "history": history(0.0, 20.0, 1.0),
            }),
        );
        put(
            store,
            "parent",
            json!({ "permissions": { "tools": ["read"] } }),
        );
        let mut parent = request("parent");
        parent.agent_type = Some("parent".to_owned());
        let parent = reserve(store, &parent, 0);
        let mut request = with_skills(request("1"), ["x", "y"]);
        request.agent_type = Some("other".to_owned());
        request.parent = Some(parent.id);
        request.required_tools =
            BTreeSet::from(["mcp__git__log", "mcp__shell__run", "write"].map(str::to_owned));
        request.needs_write = true;
        request.needs_admin = true;
        request.est_tokens = 101;
        request.expected_ms = 1001;
        let ratings = store.explain(&request).unwrap();
        assert_eq!(
            reasons(&ratings[0]),
            [
                "other-type: a different type",
                "missing-skills: lacks skills: y",
                "denied-tools: may not use: mcp__shell__run, write",
                "no-write-access: may not change files",
                "no-admin-access: is not an administrator",
                "over-budget: 100 of 100 tokens left",
                "too-slow: runs at most 1000 ms",
                "beyond-parent: has rights that the parent lacks",
                "unreliable: fails too often",
            ]
        );
        let refused = store.allocate(&request, 1);
        assert!(matches!(refused, Err(StoreError::Ineligible(found)) if found == ratings));
    });
}

#[test]
fn no_request_waits_for_a_retired_profile() {
    on_every_store(|store| {
        put(
            store,
            "a",
            json!({ "limits": { "max_concurrent_tasks": 0 } }),
        );
        let refused = store.allocate(&request("1"), 0);
        assert!(matches!(refused, Err(StoreError::Ineligible(_))));
    });
}

#[test]
fn strategies_choose_as_documented() {
    for (rule, expected) in [
        (AllocationStrategy::Fifo, "a b c a b c"),
        (AllocationStrategy::PriorityQueue, "a b c a b c"),
        (AllocationStrategy::RoundRobin, "a b c a b c"),
        (AllocationStrategy::LeastLoaded, "a b c b a c"),
        (AllocationStrategy::CapacityAware, "c b b c b b"),
    ] {
        on_every_store(|store| {
            strategy(store, rule);
            for (name, max, successes) in [("a", 4, 0.0), ("b", 8, 30.0), ("c", 4, 60.0)] {
                put(
                    store,
                    name,
                    json!({
                        "limits": { "max_concurrent_tasks": max },
                        "history": history(successes, 0.0, 100_000.0),
                    }),
                );
            }
            assert_eq!(choices(store, 6), expected, "{rule:?}");
        });
    }
}

#[test]
fn the_order_of_profiles_does_not_matter() {
    let names = ["a", "b", "c", "d"];
    for shift in 0..names.len() {
        on_every_store(|store| {
            strategy(store, AllocationStrategy::CapacityAware);
            for at in 0..names.len() {
                let name = names[(at + shift) % names.len()];
                put(
                    store,
                    name,
                    json!({ "limits": { "max_concurrent_tasks": 3 } }),
                );
            }
            assert_eq!(choices(store, 12), "a b c d a b c d a b c d");
        });
    }
}

#[test]
fn a_better_profile_never_ranks_lower() {
    let place = |successes: f64, max: u32| {
        let store = MemoryAgentStore::default();
        for rival in 0..20_u32 {
            let history = history(f64::from(5 + rival * 5), 3.0, 30_000.0);
            put(
                &store,
                &format!("rival {rival}"),
                json!({ "history": history }),
            );
        }
        let limits = json!({ "max_concurrent_tasks": max });
        let history = history(successes, 3.0, 30_000.0);
        put(
            &store,
            "own",
            json!({ "history": history, "limits": limits }),
        );
        let mut occupy = request("occupy");
        occupy.agent_type = Some("own".to_owned());
        reserve(&store, &occupy, 0);
        let ratings = store.explain(&request("1")).unwrap();
        ratings.iter().position(|one| one.profile == "own").unwrap()
    };
    for max in 2..6 {
        for successes in 5..100 {
            let here = place(f64::from(successes), max);
            assert!(place(f64::from(successes + 1), max) <= here);
            assert!(place(f64::from(successes), max + 1) <= here);
        }
    }
}

#[test]
fn a_newcomer_gets_work_beside_a_veteran() {
    on_every_store(|store| {
        strategy(store, AllocationStrategy::CapacityAware);
        for (name, successes) in [("veteran", 60.0), ("newcomer", 0.0)] {
            put(
                store,
                name,
                json!({
                    "agent_type": "coder", "limits": { "max_concurrent_tasks": 4 },
                    "history": history(successes, 0.0, 30_000.0),
                }),
            );
        }
        assert_eq!(choices(store, 3), "veteran newcomer veteran");
    });
}

#[test]
fn tokens_are_reserved_while_an_agent_lives() {
    on_every_store(|store| {
        put(
            store,
            "a",
            json!({ "limits": { "max_concurrent_tasks": 9, "token_budget": 100 } }),
        );
        let mut first = request("1");
        first.est_tokens = 60;
        let agent = reserve(store, &first, 0);
        let mut second = request("2");
        second.est_tokens = 50;
        assert_eq!(
            reasons(&store.explain(&second).unwrap()[0]),
            ["over-budget: 40 of 100 tokens left"]
        );
        advance(store, &agent, AgentState::Terminated, 1).unwrap();
        reserve(store, &second, 2);
    });
}

#[test]
fn runs_count_and_fade() {
    on_every_store(|store| {
        put(
            store,
            "a",
            json!({
                "reusable": true,
                "history": { "success_rate": 0.75, "avg_duration_ms": 100.0, "total_runs": 8.0 },
            }),
        );
        let own = |store: &dyn AgentStore| {
            let profile = store.profiles().unwrap().remove(0).1;
            serde_json::to_value(profile).unwrap()["history"].take()
        };
        assert_eq!(
            own(store),
            json!({ "successes": 6.0, "failures": 2.0, "cancelled": 0, "total_ms": 800.0 })
        );
        let agent = agent_in(store, AgentState::Busy, "1", 0);
        let failed = advance(store, &agent, AgentState::Failed, 1000).unwrap();
        assert_eq!(failed.fail_reason, Some(FailReason::Crash));
        let decay = 0.5_f64.powf(0.02);
        let mut expected = json!({
            "successes": 6.0 * decay,
            "failures": 2.0 * decay + 1.0,
            "cancelled": 0,
            "total_ms": 800.0 * decay + 1000.0,
        });
        assert_eq!(own(store), expected);
        let agent = agent_in(store, AgentState::Busy, "2", 0);
        let cancel = crate::stores::transition(AgentState::Busy, AgentState::Failed)
            .unwrap()
            .because(FailReason::Cancelled);
        store.advance(&agent.id, 1, &cancel, 5).unwrap();
        expected["cancelled"] = 1.into();
        assert_eq!(own(store), expected);
        // A profile that is put again keeps its counters.
        put(store, "a", json!({}));
        assert_eq!(own(store), expected);
    });
}
