//! Delegation only narrows.

use fastrand::Rng;
use repertoire_agents::*;
use serde_json::json;

use crate::stores::request;

const PARTS: [&str; 5] = ["*", "a", "b", "git_", "git_*"];

fn pattern(random: &mut Rng) -> String {
    (0..random.usize(1..4))
        .map(|_| PARTS[random.usize(..PARTS.len())])
        .collect()
}

fn random_rights(random: &mut Rng) -> Permissions {
    let mut patterns = |most: usize| {
        let count = random.usize(..=most);
        (0..count).map(|_| pattern(random)).collect()
    };
    let mut rights = Permissions::default();
    rights.tools = patterns(3);
    rights.deny = patterns(2);
    rights.write_access = random.bool();
    rights.admin_access = random.bool();
    rights
}

/// Returns rights that are often, but not always, narrower.
fn variation(of: &Permissions, random: &mut Rng) -> Permissions {
    let mut rights = random_rights(random);
    if random.u8(..4) > 0 {
        rights.tools.clone_from(&of.tools);
        rights.deny.extend(of.deny.iter().cloned());
        if !rights.tools.is_empty() && random.bool() {
            let at = random.usize(..rights.tools.len());
            rights.tools[at].push_str("git_a");
        }
    }
    rights
}

fn is_narrower(child: &Permissions, parent: &Permissions, tools: &[String]) -> bool {
    (parent.write_access || !child.write_access)
        && (parent.admin_access || !child.admin_access)
        && tools
            .iter()
            .all(|tool| parent.permits(tool) || !child.permits(tool))
}

/// Grows trees of rights as the filter of allocation does; returns the numbers of children admitted and refused.
fn grow(trees: u32, seed: u64) -> (u64, u64) {
    let mut random = Rng::with_seed(seed);
    let (mut admitted, mut refused) = (0, 0);
    for _ in 0..trees {
        let mut nodes = vec![(random_rights(&mut random), None)];
        for _ in 0..4 {
            let parent = random.usize(..nodes.len());
            let child = variation(&nodes[parent].0, &mut random);
            match child.is_within(&nodes[parent].0) {
                true => nodes.push((child, Some(parent))),
                false => refused += 1,
            }
        }
        admitted += nodes.len() as u64 - 1;
        let tools: Vec<_> = (0..6)
            .map(|_| pattern(&mut random).replace('*', "b"))
            .collect();
        for (rights, parent) in &nodes {
            let mut above = *parent;
            while let Some(at) = above {
                let (ancestor, next) = &nodes[at];
                assert!(
                    is_narrower(rights, ancestor, &tools),
                    "{rights:?} {ancestor:?}"
                );
                above = *next;
            }
        }
    }
    (admitted, refused)
}

#[test]
fn no_descendant_exceeds_an_ancestor() {
    let (admitted, refused) = grow(10_000, 1);
    assert!(admitted > 5_000 && refused > 5_000, "{admitted} {refused}");
}

#[test]
fn rights_that_overlap_are_not_a_subset() {
    let rights = |tools: &[&str], deny: &[&str]| -> Permissions {
        serde_json::from_value(json!({ "tools": tools, "deny": deny })).unwrap()
    };
    for (child, parent, within) in [
        (rights(&["git_log"], &[]), rights(&["git_*"], &[]), true),
        (rights(&["git_*"], &[]), rights(&["git_log"], &[]), false),
        (
            rights(&["git_*"], &[]),
            rights(&["*"], &["git_push"]),
            false,
        ),
        (
            rights(&["git_*"], &["*push"]),
            rights(&["*"], &["git_push"]),
            true,
        ),
        (
            rights(&["git_l*"], &[]),
            rights(&["*"], &["git_push"]),
            true,
        ),
        (rights(&[], &[]), rights(&[], &[]), true),
    ] {
        assert_eq!(child.is_within(&parent), within, "{child:?} {parent:?}");
    }
}

#[test]
fn a_store_refuses_a_child_with_more_rights() {
    crate::stores::on_every_store(|store| {
        for (name, tools) in [("narrow", "git_*"), ("wide", "*")] {
            let one = json!({
                "agent_type": name,
                "permissions": { "tools": [tools] },
                "limits": { "max_concurrent_tasks": 9 },
            });
            let one = crate::stores::profile(one);
            store.put_profile(name, &one).unwrap();
        }
        let mut ask = request("1");
        ask.agent_type = Some("narrow".to_owned());
        let parent = crate::stores::reserve(store, &ask, 0);
        let mut child = request("2");
        child.parent = Some(parent.id.clone());
        let ratings = store.explain(&child).unwrap();
        assert_eq!(ratings[1].reasons[0].code, "beyond-parent");
        assert_eq!(crate::stores::reserve(store, &child, 1).profile, "narrow");
        // The rights are those of the reservation, not those of the profile now.
        let wide = store.profiles().unwrap().remove(1).1;
        store.put_profile("narrow", &wide).unwrap();
        let mut child = request("3");
        child.parent = Some(parent.id);
        let refused = store.allocate(&child, 2);
        assert!(matches!(refused, Err(StoreError::Ineligible(_))));
    });
}

mod slow {
    #[test]
    fn no_descendant_exceeds_an_ancestor_in_many_trees() {
        let (admitted, refused) = super::grow(1_000_000, 2);
        assert!(
            admitted > 500_000 && refused > 500_000,
            "{admitted} {refused}"
        );
    }
}
