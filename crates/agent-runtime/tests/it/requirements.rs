//! Skills by digest, tools, and the checks of skills.

use repertoire_agent_runtime::{
    AgentLifetime, CheckResult, HostMessage, KnownSkill, LaunchError, RequirementFault, SkillCheck,
    SkillRef, SpawnError,
};
use repertoire_agents::{AgentState, AgentStore, FailReason};
use repertoire_core::Digest;
use serde_json::{Value, json};

use crate::bed::{TestBed, TestHost, put_profile, request, run_script, spawn, until_ended};
use crate::fake::fake_bed;

const WHOLE: [&str; 4] = ["ready", "task=done", "thought", "done"];

#[tokio::test]
async fn all_faults_are_reported_at_once() {
    let (bed, _agents) = fake_bed(AgentLifetime::Ephemeral);
    let permissions = json!({ "permissions": { "tools": ["*"], "deny": ["mcp__net__*"] } });
    put_profile(&*bed.store, permissions);
    let (old, new) = (Digest::of(b"old"), Digest::of(b"new"));
    let tools = ["mcp__git__*", "mcp__net__get", "Gone"];
    bed.host.skills.lock().extend([
        ("review".to_owned(), KnownSkill::new(new)),
        ("ship".to_owned(), KnownSkill::new(new).requiring(tools)),
    ]);
    let offered = ["mcp__git__log", "mcp__net__get"].map(str::to_owned);
    bed.host.tools.lock().extend(offered);
    let runner = bed.start().await;
    let mut wanted = request("T-1", Value::Null);
    wanted.skills = vec![
        SkillRef::new("review").with_digest(old),
        SkillRef::new("missing"),
        SkillRef::new("ship"),
    ];
    let error = runner.spawn(wanted).await.unwrap_err();
    let SpawnError::Failed {
        agent_id,
        cause: LaunchError::Requirements(faults),
    } = error
    else {
        panic!("{error}");
    };
    let changed = RequirementFault::ChangedSkill {
        skill: "review".to_owned(),
        expected: old,
        found: new,
    };
    assert_eq!(
        changed.to_string(),
        format!("the skill `review` was changed: expected {old}, found {new}")
    );
    let expected = [
        changed,
        RequirementFault::UnknownSkill("missing".to_owned()),
        RequirementFault::MissingTool("Gone".to_owned()),
        RequirementFault::DeniedTool("mcp__net__get".to_owned()),
    ];
    assert_eq!(faults, expected);
    let record = bed.store.agent(&agent_id).unwrap();
    assert_eq!(record.fail_reason, Some(FailReason::InitError));
}

#[tokio::test(start_paused = true)]
async fn a_skill_that_changes_during_start_fails() {
    let (bed, mut agents) = fake_bed(AgentLifetime::Ephemeral);
    let skill = |text: &[u8]| ("review".to_owned(), KnownSkill::new(Digest::of(text)));
    bed.host.skills.lock().extend([skill(b"old")]);
    let runner = bed.start().await;
    let mut events = runner.events();
    let mut wanted = request("T-1", Value::Null);
    wanted.skills = vec![SkillRef::new("review")];
    let ticket = spawn(&runner, wanted).await;
    assert_eq!(ticket.skill_refs[0].digest, Some(Digest::of(b"old")));
    let agent = agents.recv().await.unwrap();
    bed.host.skills.lock().extend([skill(b"new")]);
    agent.send(repertoire_agent_runtime::AgentMessage::Ready);
    let ended = until_ended(&runner, &mut events, &ticket.agent_id).await;
    assert_eq!(ended.record.fail_reason, Some(FailReason::InitError));
    let (old, new) = (Digest::of(b"old"), Digest::of(b"new"));
    let detail = format!("the skill `review` was changed: expected {old}, found {new}");
    assert_eq!(ended.detail, Some(detail));
}

#[tokio::test]
async fn a_failed_check_keeps_the_task_open() {
    let bed = TestBed::new(TestHost::default());
    let skill = KnownSkill::new(Digest::of(b"x"));
    bed.host.skills.lock().insert("review".to_owned(), skill);
    bed.host.checks.lock().extend([
        SkillCheck::new("tests pass", CheckResult::Failed("2 fail".to_owned())),
        SkillCheck::new("reads well", CheckResult::NeedsJudgement),
    ]);
    let runner = bed.start().await;
    let mut events = runner.events();
    let mut wanted = request("T-1", json!(["ready", "task=done", "thought", "done"]));
    wanted.skills = vec![SkillRef::new("review")];
    let ticket = spawn(&runner, wanted).await;
    let ended = until_ended(&runner, &mut events, &ticket.agent_id).await;
    let refused = HostMessage::Refused {
        error: "`tests pass`: 2 fail".to_owned(),
        faults: Vec::new(),
    };
    let answer = format!("answer {}", serde_json::to_string(&refused).unwrap());
    assert_eq!(ended.output.last(), Some(&answer));
    assert_eq!(ended.record.fail_reason, Some(FailReason::Crash));
    let checkpoints = bed.store.checkpoints(&ticket.agent_id).unwrap();
    let notes: Vec<_> = checkpoints
        .iter()
        .map(|one| (one.phase.to_string(), &*one.note))
        .collect();
    let note = "failed: tests pass: 2 fail\nnot judged: reads well";
    let note = ("VERIFY".to_owned(), note);
    // At the message and at the end of the process.
    assert_eq!(notes, [note.clone(), note]);
}

#[tokio::test]
async fn passed_checks_are_a_checkpoint() {
    let bed = TestBed::new(TestHost::default());
    let skill = KnownSkill::new(Digest::of(b"x"));
    bed.host.skills.lock().insert("review".to_owned(), skill);
    let reason = "it needs an approval".to_owned();
    bed.host.checks.lock().extend([
        SkillCheck::new("tests pass", CheckResult::Passed),
        SkillCheck::new("cargo test\nall", CheckResult::Skipped(reason)),
    ]);
    let runner = bed.start().await;
    let mut events = runner.events();
    let steps = [
        "ready",
        "phase=GATHER",
        "phase=ANALYZE",
        "phase=PLAN",
        "phase=APPLY",
    ];
    let steps: Vec<_> = steps.iter().chain(&WHOLE[1..]).collect();
    let mut wanted = request("T-1", json!(steps));
    wanted
        .allocation
        .required_skills
        .insert("review".to_owned());
    let ticket = spawn(&runner, wanted).await;
    let ended = until_ended(&runner, &mut events, &ticket.agent_id).await;
    assert_eq!(ended.record.state, AgentState::Terminated, "{ended:?}");
    let checkpoints = bed.store.checkpoints(&ticket.agent_id).unwrap();
    let phases: Vec<_> = checkpoints
        .iter()
        .map(|one| one.phase.to_string())
        .collect();
    assert_eq!(phases, ["GATHER", "ANALYZE", "PLAN", "APPLY", "VERIFY"]);
    let note = "passed: tests pass\nnot run: cargo test all: it needs an approval";
    assert_eq!(checkpoints[4].note, note);
}

#[tokio::test]
async fn a_run_without_skills_needs_no_check() {
    let bed = TestBed::new(TestHost::default());
    let ended = run_script(&bed, &WHOLE).await;
    assert_eq!(ended.record.state, AgentState::Terminated, "{ended:?}");
}
