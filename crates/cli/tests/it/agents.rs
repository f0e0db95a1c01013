//! `agents`.

use repertoire_agents::{
    Actor, AgentPhase, AgentPool, AgentState, AgentStore, AllocationRequest, FailReason, Lifecycle,
    SqliteAgentStore,
};
use repertoire_cli::Exit;
use serde_json::json;
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

/// Writes a store with a profile, a failed agent and a reservation that expired long ago; returns the id of the agent.
pub(crate) fn write_store(env: &TestEnv) -> String {
    let store = SqliteAgentStore::open(env.here().join("agents.db")).expect("a fresh file");
    let profile = json!({
        "agent_type": "reviewer",
        "skills": ["code-review"],
        "limits": { "max_concurrent_tasks": 4 },
    });
    let profile = serde_json::from_value(profile).expect("a profile");
    store
        .put_profile("reviewer", &profile)
        .expect("the store accepts it");
    let reserve = |key: &str| {
        let request = AllocationRequest::new("Check it", AgentPool::Review, key);
        let agent = store
            .allocate(&request, 1000)
            .expect("the store accepts it");
        agent.expect("the pool has places")
    };
    let agent = reserve("1");
    let crash = Lifecycle::default()
        .transition(AgentState::Pending, AgentState::Failed, Actor::Parent)
        .expect("the parent may report it");
    let crash = crash.because(FailReason::SpawnError);
    store
        .advance(&agent.id, 1, &crash, 2000)
        .expect("the store accepts it");
    reserve("2");
    agent.id
}

fn run(env: &TestEnv, arguments: &[&str]) -> (Exit, String) {
    let ran = env.run(&[&["agents", "--store", "agents.db"], arguments].concat());
    assert_eq!(ran.stderr, "");
    (ran.exit, ran.stdout)
}

#[test]
fn agents_are_listed_with_their_states() {
    let env = TestEnv::new();
    write_store(&env);
    assert_data_eq!(
        run(&env, &["list"]).1,
        str![[r#"
state    pool    profile   task      remark       agent
PENDING  review  reviewer  Check it               00000000-03e8-7021-bd63-152ebae6d9e5
FAILED   review  reviewer  Check it  spawn-error  00000000-03e8-7b86-b273-ff34fce19d6b

"#]]
    );
}

#[test]
fn an_agent_is_shown_with_its_log() {
    let env = TestEnv::new();
    let id = write_store(&env);
    assert_data_eq!(
        run(&env, &["show", &id]).1,
        str![[r#"
agent     00000000-03e8-7b86-b273-ff34fce19d6b
state     FAILED
reason    spawn-error
pool      review
profile   reviewer
task      Check it
branch    feature/check-it

row  time  actor      event       from     to       detail
  1  1000  allocator  allocated            PENDING  {"profile":"reviewer","task_id":"Check it","idempotency_key":"1","score":0.525}
  2  2000  parent     transition  PENDING  FAILED   {"reason":"spawn-error"}

"#]]
    );
}

#[test]
fn phases_are_shown_with_their_checks() {
    use AgentState::{Busy, Initializing, Pending, Ready};

    let env = TestEnv::new();
    write_store(&env);
    let store = SqliteAgentStore::open(env.here().join("agents.db")).expect("it was written");
    let pending = store.agents().expect("the store works").into_iter();
    let mut pending = pending.filter(|agent| agent.state == Pending);
    let id = pending.next().expect("a reservation").id;
    for (from, to, actor) in [
        (Pending, Initializing, Actor::Parent),
        (Initializing, Ready, Actor::Agent),
        (Ready, Busy, Actor::Scheduler),
    ] {
        let step = Lifecycle::default().transition(from, to, actor);
        let step = step.expect("it is legal");
        store.advance(&id, 1, &step, 3000).expect("it is legal");
    }
    let note = "passed: the file `a` exists\nnot run: the command `b` succeeds: it needs the approval of a person";
    for (phase, note) in [(AgentPhase::Plan, ""), (AgentPhase::Verify, note)] {
        let stored = store.checkpoint(&id, 1, phase, note, 4000);
        stored.expect("the agent is busy");
    }
    let shown = run(&env, &["show", &id]).1;
    let shown = shown.split("\n\n").nth(1).expect("the phases");
    assert_data_eq!(
        format!("{shown}\n"),
        str![[r#"
time  task      phase   note
4000  Check it  PLAN
4000  Check it  VERIFY  passed: the file `a` exists
                        not run: the command `b` succeeds: it needs the approval of a person

"#]]
    );
}

#[test]
fn an_explanation_shows_terms_and_reasons() {
    let env = TestEnv::new();
    write_store(&env);
    assert_data_eq!(
        run(&env, &["explain", "review", "--skill", "code-review"]).1,
        str![[r#"
profile    score  reliability  capacity   speed     fit  not eligible because
reviewer  0.4375       0.0000    0.7500  0.5000  1.0000

"#]]
    );
    let refused = env.run(&[
        "agents",
        "explain",
        "review",
        "--needs-write",
        "--store",
        "agents.db",
    ]);
    assert_eq!(refused.stderr, "note: no profile is eligible\n");
    assert!(refused.stdout.contains("may not change files"));
}

#[test]
fn a_lost_agent_is_a_problem() {
    let env = TestEnv::new();
    write_store(&env);
    let (exit, stdout) = run(&env, &["orphans"]);
    assert_eq!(exit, Exit::Problems);
    assert!(stdout.contains("reservation expired"), "{stdout}");
}

#[test]
fn a_changed_log_is_a_problem() {
    let env = TestEnv::new();
    write_store(&env);
    let verify = ["audit", "verify"];
    let (exit, intact) = run(&env, &verify);
    let hash = intact
        .strip_prefix("3 rows are intact\nthe hash of the last row is ")
        .expect("the log is intact")
        .trim_end();
    assert_eq!((exit, hash.len()), (Exit::Success, 64));
    let expect = |hash: &str| run(&env, &["audit", "verify", "--expect", hash]);
    assert_eq!(expect(hash), (Exit::Success, intact.clone()));
    let (exit, replaced) = expect("0000");
    assert_eq!(exit, Exit::Problems);
    assert!(replaced.starts_with("no row has the expected hash\n"));
    let raw = rusqlite::Connection::open(env.here().join("agents.db")).unwrap();
    raw.execute_batch(
        "DROP TRIGGER audit_is_not_updated; UPDATE audit_log SET at = 5 WHERE seq = 2",
    )
    .unwrap();
    let changed = (
        Exit::Problems,
        "row 2 is missing or was changed\n".to_owned(),
    );
    assert_eq!(run(&env, &verify), changed);
}

#[test]
fn a_missing_store_is_not_created() {
    let env = TestEnv::new();
    let ran = env.run(&["agents", "list"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (Exit::Failure, ""));
    assert!(
        ran.stderr
            .contains("no agents at `[WORLD]/home/.local/state/repertoire/agents.db`"),
        "{}",
        ran.stderr
    );
    assert!(!env.here().join("../home/.local/state").exists());
}
