//! Runs of plans: order, failures, and what a crash leaves.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use repertoire::render::{Arguments, Context};
use repertoire::skill::async_trait;
use repertoire::workflow::CheckOutcome;
use repertoire::{Id, MemorySource, Mount, Registered, SkillRegistry, Trust};
use repertoire_gateway::{
    RunError, RunPlan, RunStatus, StepAction, StepState, WorkflowFile, WorkflowRun,
};
use repertoire_mcp_servers::{CallError, ServerTool, ToolProvider};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

/// Three calls, a step of a person between them, and two checks.
const PLAN: &str = "\
arguments: [where]
steps:
  - {id: build, step: Build., tool: mcp__ci__build, params: {target: $where}}
  - Look at the log.
  - {step: Sign., tool: mcp__ci__sign}
  - {step: Publish., tool: mcp__ci__publish}
verification:
  - {kind: tool, tool: mcp__ci__probe, params: {target: $0}}
  - {kind: file-exists, path: out.txt}
  - {kind: command, run: make}
  - It is on the site.
";

/// A provider of tools that answers as the test says.
#[derive(Debug, Default)]
struct Scripted {
    calls: Mutex<Vec<String>>,
    /// The error or the result of tools that do not answer `{}`.
    answers: Vec<(&'static str, Result<Value, CallError>)>,
}

impl Scripted {
    fn new(answers: Vec<(&'static str, Result<Value, CallError>)>) -> Scripted {
        Scripted {
            calls: Mutex::default(),
            answers,
        }
    }

    fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }
}

#[async_trait]
impl ToolProvider for Scripted {
    fn tools(&self) -> Arc<[ServerTool]> {
        Arc::default()
    }

    fn revision(&self) -> watch::Receiver<u64> {
        watch::channel(0).1
    }

    async fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, CallError> {
        let target = arguments.get("target").and_then(Value::as_str);
        let target = target.map(|target| format!(" {target}"));
        let call = format!("{server}/{tool}{}", target.unwrap_or_default());
        self.calls.lock().unwrap().push(call);
        let answer = self.answers.iter().find(|(name, _)| *name == tool);
        answer.map_or_else(|| Ok(json!({"content": []})), |(_, answer)| answer.clone())
    }
}

fn plan_of(text: &str) -> Result<RunPlan, RunError> {
    let id = Id::of_path("jobs/Publish it.workflow.yaml").unwrap();
    let file = WorkflowFile::new(id, "jobs/Publish it.workflow.yaml");
    let context = Context::new().arguments(Arguments::new("web"));
    RunPlan::of_file(&file, text, &context)
}

fn plan() -> RunPlan {
    plan_of(PLAN).unwrap()
}

/// Runs to the end, or to the first uncertain step.
async fn advance(run: &mut WorkflowRun, tools: &Scripted) {
    while let Some(step) = run.next_step() {
        let (number, has_tool) = (step.number, step.tool_name().is_some());
        if let StepState::Uncertain { .. } = run.states()[number - 1] {
            return;
        }
        if let StepAction::Command { run: command, .. } = &step.action {
            let outcome = CheckOutcome::Skipped(format!("`{command}` is not approved"));
            run.check(number, async { outcome }).await.unwrap();
        } else if has_tool || step.is_check {
            run.call(number, tools).await.unwrap();
        } else {
            run.confirm(number).unwrap();
        }
    }
}

fn words(run: &WorkflowRun) -> Vec<String> {
    let states = run.states();
    let words = states
        .iter()
        .map(|state| serde_json::to_value(state).unwrap()["state"].clone());
    words
        .map(|word| word.as_str().unwrap().to_owned())
        .collect()
}

fn ended() -> CallError {
    CallError::Ended {
        server: "ci".into(),
        tool: "sign".into(),
        reason: "it was killed".into(),
    }
}

#[tokio::test]
async fn steps_run_in_order_with_their_arguments() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("out.txt"), "").unwrap();
    let tools = Scripted::default();
    let mut run = WorkflowRun::start(folder.path().join("runs"), plan(), folder.path()).unwrap();
    assert_eq!((run.id(), run.status()), ("publish-it-1", RunStatus::Open));
    advance(&mut run, &tools).await;
    assert_eq!(
        tools.calls(),
        ["ci/build web", "ci/sign", "ci/publish", "ci/probe web"]
    );
    assert_eq!(
        words(&run),
        [
            "done", "done", "done", "done", "done", "done", "skipped", "unjudged"
        ]
    );
    assert_eq!(run.status(), RunStatus::Done);
    let second = WorkflowRun::start(folder.path().join("runs"), plan(), folder.path()).unwrap();
    assert_eq!(second.id(), "publish-it-2");
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_reads_a_run() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    let _run = WorkflowRun::start(&runs, plan(), folder.path()).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode(&runs), mode(&runs.join("publish-it-1.jsonl"))),
        (0o700, 0o600)
    );
}

#[tokio::test]
async fn on_error_decides_about_later_steps() {
    let failure = || json!({"isError": true, "content": [{"type": "text", "text": "no disk"}]});
    for (on_error, expected, status) in [
        ("fail", ["failed", "skipped", "skipped"], RunStatus::Failed),
        ("skip", ["failed", "skipped", "done"], RunStatus::Done),
        ("continue", ["failed", "done", "done"], RunStatus::Done),
    ] {
        let text = format!(
            "steps:\n  - {{step: A., tool: mcp__ci__a, on_error: {on_error}}}\n  - {{step: B., tool: mcp__ci__b}}\nverification: {{kind: tool, tool: mcp__ci__c}}\n"
        );
        let folder = tempfile::tempdir().unwrap();
        let tools = Scripted::new(vec![("a", Ok(failure()))]);
        let plan = plan_of(&text).unwrap();
        let mut run = WorkflowRun::start(folder.path(), plan, folder.path()).unwrap();
        advance(&mut run, &tools).await;
        assert_eq!(
            (words(&run), run.status()),
            (expected.map(str::to_owned).to_vec(), status),
            "{on_error}"
        );
        let reason = "no disk".into();
        assert_eq!(run.states()[0], StepState::Failed { reason });
    }
}

#[tokio::test]
async fn a_lost_answer_leaves_the_step_uncertain() {
    let folder = tempfile::tempdir().unwrap();
    let tools = Scripted::new(vec![("sign", Err(ended()))]);
    let mut run = WorkflowRun::start(folder.path(), plan(), folder.path()).unwrap();
    advance(&mut run, &tools).await;
    assert_eq!(words(&run)[..4], ["done", "done", "uncertain", "pending"]);
    let again = run.call(3, &tools).await.unwrap_err();
    assert_eq!(
        again.to_string(),
        "step 3 may have run: retry or confirm it"
    );
    assert_eq!(tools.calls(), ["ci/build web", "ci/sign"]);

    // Only a request runs it again.
    run.retry(3).unwrap();
    advance(&mut run, &Scripted::default()).await;
    assert_eq!(words(&run)[..4], ["done", "done", "done", "done"]);
}

#[tokio::test]
async fn a_dropped_call_leaves_the_step_uncertain() {
    #[derive(Debug)]
    struct Silent;

    #[async_trait]
    impl ToolProvider for Silent {
        fn tools(&self) -> Arc<[ServerTool]> {
            Arc::default()
        }

        fn revision(&self) -> watch::Receiver<u64> {
            watch::channel(0).1
        }

        async fn call(&self, _: &str, _: &str, _: Map<String, Value>) -> Result<Value, CallError> {
            std::future::pending().await
        }
    }

    let folder = tempfile::tempdir().unwrap();
    let mut run = WorkflowRun::start(folder.path(), plan(), folder.path()).unwrap();
    {
        let call = run.call(1, &Silent);
        tokio::select! {
            biased;
            _ = call => panic!("it never answers"),
            () = std::future::ready(()) => {}
        }
    }
    assert_eq!(words(&run)[0], "uncertain");
    drop(run);
    let run = WorkflowRun::resume(folder.path(), "publish-it-1", folder.path()).unwrap();
    assert_eq!(words(&run)[0], "uncertain");
}

/// The file of a whole run, cut off around the end of each row and in its middle.
#[tokio::test]
async fn no_crash_runs_a_step_twice() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("out.txt"), "").unwrap();
    let mut run = WorkflowRun::start(folder.path(), plan(), folder.path()).unwrap();
    advance(&mut run, &Scripted::default()).await;
    drop(run);
    let path = folder.path().join("publish-it-1.jsonl");
    let whole = fs::read(&path).unwrap();
    let first = whole.iter().position(|byte| *byte == b'\n').unwrap();
    let every = ["build", "sign", "publish", "probe"];
    let ends = (0..whole.len()).filter(|at| whole[*at] == b'\n');
    let lengths = ends.flat_map(|end| [end.saturating_sub(20), end, end + 1]);
    for length in lengths.filter(|length| *length > first) {
        fs::write(&path, &whole[..length]).unwrap();
        let kept = String::from_utf8_lossy(&whole[..length]);
        // A tool is called after the row of its intent was complete.
        let begun = kept
            .split_inclusive('\n')
            .filter(|row| row.ends_with('\n') && row.contains("\"row\":\"begin\""))
            .filter(|row| !row.contains("\"step\":7"))
            .count();
        let tools = Scripted::default();
        let mut run = WorkflowRun::resume(folder.path(), "publish-it-1", folder.path()).unwrap();
        advance(&mut run, &tools).await;
        if let Some(uncertain) = run.next_step().map(|step| step.number) {
            run.confirm(uncertain).unwrap();
            advance(&mut run, &tools).await;
        }
        assert_eq!(run.status(), RunStatus::Done, "{length}");
        let calls = tools.calls();
        assert_eq!(calls.len() + begun, every.len(), "{length}");
        for (call, tool) in calls.iter().zip(&every[begun..]) {
            assert!(call.contains(tool), "{length}: {call}");
        }
    }
}

#[tokio::test]
async fn a_run_has_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let resume = |id: &str| {
        let resumed = WorkflowRun::resume(folder.path(), id, folder.path());
        resumed.map(|_| ()).map_err(|error| {
            error
                .to_string()
                .replace(&*folder.path().to_string_lossy(), "")
        })
    };
    let run = WorkflowRun::start(folder.path(), plan(), folder.path()).unwrap();
    let busy = "a different process works on the run `publish-it-1`";
    assert_eq!(resume("publish-it-1"), Err(busy.to_owned()));
    drop(run);
    assert_eq!(resume("publish-it-1"), Ok(()));
    for id in ["publish-it-2", "../publish-it-1", ""] {
        assert_eq!(resume(id), Err(format!("there is no run `{id}`")));
    }
    let path = folder.path().join("publish-it-1.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{{}}\n")).unwrap();
    let damaged = "line 2 of `/publish-it-1.jsonl` is damaged";
    assert_eq!(resume("publish-it-1"), Err(damaged.to_owned()));
}

#[test]
fn a_plan_that_cannot_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (text, message) in [
        (
            "steps:\n  - {step: A., tool: Bash}\n",
            "step 1 calls `Bash`, which is not a tool of an MCP server (`mcp__SERVER__TOOL`)",
        ),
        (
            "steps: [A.]\nverification: {kind: regex, pattern: x}\n",
            "check 2 of the kind `regex` needs a `path`, as no step calls a tool",
        ),
        (
            "steps: [A.]\nverification: {kind: regex, pattern: '(', path: x}\n",
            "check 2 of the kind `regex` has an invalid `pattern`: `(`",
        ),
        (
            "steps: [A.]\nverification: {kind: regex, pattern: x, step: b}\n",
            "check 2 of the kind `regex` names the unknown step `b`",
        ),
        (
            "steps: [A.]\nverification: {kind: command}\n",
            "check 2 of the kind `command` has no `run`",
        ),
        (
            "steps: []\n",
            "`jobs/Publish it.workflow.yaml` has no `workflow` and no `verification`",
        ),
        (
            "steps:\n  - {step: A., tool: mcp__a__b, params: {x: '!`date`'}}\n",
            "jobs/Publish it.workflow.yaml:1: a parameter of step 1 asks for `date` to be run, which happens in bodies alone",
        ),
    ] {
        let run =
            plan_of(text).and_then(|plan| WorkflowRun::start(folder.path(), plan, folder.path()));
        assert_eq!(run.unwrap_err().to_string(), message);
    }
}

#[tokio::test]
async fn only_trusted_skills_run() {
    let folder = tempfile::tempdir().unwrap();
    let text = "---\nname: ship\ndescription: Ships.\nrequired_tools: [mcp__ci__build]\nworkflow:\n  - {step: Build., tool: mcp__ci__build}\nverification: [It is there.]\n---\n";
    let context = repertoire::skill::skill_md::FileContext::new("SKILL.md");
    let skill = repertoire::skill::skill_md::parse(text.as_bytes(), context).skill;
    for (trust, expected) in [
        (Trust::Trusted, Ok(2)),
        (
            Trust::Restricted,
            Err("`ship` is of a source that is restricted: only workflows of trusted sources run"),
        ),
    ] {
        let source = MemorySource::new("mine");
        let skill = skill.clone().unwrap();
        source.register(Registered::new(skill, "Ship.")).unwrap();
        let mount = Mount::user(source).trust(trust);
        let registry = SkillRegistry::builder().mount(mount).load().await.unwrap();
        let entry = registry.get("ship").unwrap();
        let plan = RunPlan::of_skill(&entry.candidate, &Context::new()).unwrap();
        let run = WorkflowRun::start(folder.path(), plan, folder.path());
        let steps = run.map(|run| run.plan().steps.len());
        assert_eq!(
            steps.map_err(|error| error.to_string()),
            expected.map_err(str::to_owned)
        );
    }
}

#[tokio::test]
async fn patterns_are_searched_in_results_and_files() {
    let answer = json!({"content": [{"type": "text", "text": "built 3 files"}]});
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("out.txt"), "first\nlast: 7\n").unwrap();
    let failed = |reason: &str| StepState::Failed {
        reason: reason.into(),
    };
    let done = || StepState::Done {
        result: Value::Null,
    };
    for (check, expected) in [
        (r"pattern: 'built \d+ files'", done()),
        (
            "pattern: ^Built",
            failed("`^Built` does not match in the result of step 1"),
        ),
        ("pattern: built, step: a", done()),
        (
            "pattern: built, step: 2",
            StepState::Skipped {
                reason: "step 2 has no stored result".into(),
            },
        ),
        (r"pattern: '(?m)^last: \d$', path: out.txt", done()),
        (
            "pattern: none, path: out.txt",
            failed("`none` does not match in `out.txt`"),
        ),
        (
            "pattern: x, path: none.txt",
            failed("there is no `none.txt`"),
        ),
        (
            "pattern: x, path: .",
            failed("cannot read `.`: it is not a file"),
        ),
    ] {
        let text = format!(
            "steps:\n  - {{id: a, step: A., tool: mcp__ci__a}}\n  - B.\nverification:\n  - {{kind: regex, {check}}}\n"
        );
        let tools = Scripted::new(vec![("a", Ok(answer.clone()))]);
        let plan = plan_of(&text).unwrap();
        let mut run = WorkflowRun::start(folder.path().join("runs"), plan, folder.path()).unwrap();
        advance(&mut run, &tools).await;
        assert_eq!(run.states()[2], expected, "{check}");
    }
}

#[tokio::test]
async fn commands_are_run_by_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        "arguments: [where]\nsteps: [A.]\nverification: {kind: command, run: 'make $where'}\n";
    let mut run = WorkflowRun::start(folder.path(), plan_of(text).unwrap(), folder.path()).unwrap();
    run.confirm(1).unwrap();
    let variables = [("ARGUMENTS", "web"), ("where", "web")];
    let variables = variables.map(|(name, value)| (name.into(), value.into()));
    let command = StepAction::Command {
        run: "make $where".into(),
        variables: variables.into(),
    };
    assert_eq!(run.next_step().unwrap().action, command);
    let refused = run.call(2, &Scripted::default()).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "step 2 runs a command, which the host has to start"
    );
    {
        let pending = run.check(2, std::future::pending());
        tokio::select! {
            biased;
            _ = pending => panic!("it never ends"),
            () = std::future::ready(()) => {}
        }
    }
    assert_eq!(words(&run), ["done", "uncertain"]);
    for (outcome, expected, status) in [
        (
            CheckOutcome::Skipped("declined".into()),
            "skipped",
            RunStatus::Done,
        ),
        (
            CheckOutcome::Failed("exit code 2".into()),
            "failed",
            RunStatus::Failed,
        ),
        (CheckOutcome::Passed, "done", RunStatus::Done),
    ] {
        run.retry(2).unwrap();
        run.check(2, async { outcome }).await.unwrap();
        drop(run);
        run = WorkflowRun::resume(folder.path(), "publish-it-1", folder.path()).unwrap();
        assert_eq!((&*words(&run)[1], run.status()), (expected, status));
    }
}
