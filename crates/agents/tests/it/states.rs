//! The table of transitions.

use repertoire_agents::{Actor, AgentState, Lifecycle};

use AgentState::{Busy, Failed, Initializing, Pending, Ready, Terminated};

const ACTORS: [Actor; 4] = [Actor::Parent, Actor::Agent, Actor::Scheduler, Actor::Reaper];

/// Returns the legal pairs of a lifecycle, each with the actors that may make it.
fn legal(lifecycle: Lifecycle) -> Vec<(AgentState, AgentState, Vec<Actor>)> {
    let mut pairs = Vec::new();
    for from in AgentState::ALL {
        for to in AgentState::ALL {
            let may = |actor: &Actor| lifecycle.transition(from, to, *actor).is_ok();
            let actors: Vec<_> = ACTORS.into_iter().filter(may).collect();
            if !actors.is_empty() {
                pairs.push((from, to, actors));
            }
        }
    }
    pairs
}

fn enders() -> Vec<Actor> {
    vec![Actor::Parent, Actor::Agent, Actor::Reaper]
}

#[test]
fn the_strict_lifecycle_is_that_of_the_seed() {
    assert_eq!(
        legal(Lifecycle::without_extensions()),
        [
            (Pending, Initializing, vec![Actor::Parent]),
            (Pending, Failed, enders()),
            (Initializing, Ready, vec![Actor::Agent]),
            (Initializing, Failed, enders()),
            (Ready, Busy, vec![Actor::Scheduler]),
            (Ready, Failed, enders()),
            (Busy, Terminated, vec![Actor::Agent]),
            (Busy, Failed, enders()),
        ]
    );
}

#[test]
fn the_default_lifecycle_adds_three_edges() {
    let strict = legal(Lifecycle::without_extensions());
    let mut all = legal(Lifecycle::default());
    all.retain(|pair| !strict.contains(pair));
    assert_eq!(
        all,
        [
            (Pending, Terminated, vec![Actor::Parent, Actor::Reaper]),
            (Ready, Terminated, vec![Actor::Parent, Actor::Scheduler]),
            (Busy, Ready, vec![Actor::Agent]),
        ]
    );
}

#[test]
fn an_illegal_transition_names_its_fault() {
    let refuse = |from, to, actor| {
        let lifecycle = Lifecycle::default();
        lifecycle
            .transition(from, to, actor)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refuse(Pending, Busy, Actor::Agent),
        "`PENDING` to `BUSY` is not a legal transition"
    );
    assert_eq!(
        refuse(Ready, Terminated, Actor::Agent),
        "expected parent or scheduler to move an agent from `READY` to `TERMINATED`, found agent"
    );
}
