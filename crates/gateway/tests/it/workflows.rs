//! Workflows: what a file is, and what it plans.

use repertoire::skill::Code;
use repertoire_gateway::WorkflowFormat;

use crate::project::{FILE, Project, ids};

const PLAN: &str = "description: Builds it.\nsteps:\n  - step: Build.\n    tool: mcp__ci__build\n";

#[tokio::test]
async fn a_workflow_keeps_its_path_and_format() {
    let project = Project::new(FILE);
    project.write("workflows/a.workflow.ts", "export default {}\n");
    project.write("workflows/b.workflow.yaml", PLAN);
    project.write("workflows/c.workflow.toml", "steps = [\"Build.\"]\n");
    project.write("workflows/d.workflow.json", "{\"steps\": [\"Build.\"]}\n");
    let (_gateway, registries) = project.start().await;
    let entries = registries.workflows.list();
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| (entry.item().name(), entry.item().format))
        .collect();
    assert_eq!(
        rows,
        [
            ("a", WorkflowFormat::Script),
            ("b", WorkflowFormat::Yaml),
            ("c", WorkflowFormat::Toml),
            ("d", WorkflowFormat::Json),
        ]
    );
    assert_eq!(entries[1].item().description.as_deref(), Some("Builds it."));
    let mut planned = Vec::new();
    for entry in &entries {
        let body = registries.workflows.body(&entry.candidate).await.unwrap();
        planned.push(entry.item().plan(&body.text).unwrap().is_some());
    }
    assert_eq!(planned, [false, true, true, true]);
}

#[tokio::test]
async fn a_bad_plan_is_reported_with_its_line() {
    let project = Project::new(FILE);
    project.write("workflows/good.workflow.yaml", PLAN);
    project.write(
        "workflows/bad.workflow.yaml",
        "description: x\nsteps:\n  - tool: build\n",
    );
    let (gateway, registries) = project.start().await;
    assert_eq!(ids(&registries.workflows), ["workflows/good.workflow.yaml"]);
    let snapshot = registries.workflows.snapshot();
    let [found] = snapshot.diagnostics() else {
        panic!("one diagnostic is expected: {:?}", snapshot.diagnostics());
    };
    let found = &found.diagnostic;
    assert_eq!((found.code, found.line), (Code::BAD_WORKFLOW, Some(2)));

    // A file that breaks keeps its last good version.
    project.write("workflows/good.workflow.yaml", "steps: [");
    gateway.reload(None).await.unwrap();
    assert_eq!(ids(&registries.workflows), ["workflows/good.workflow.yaml"]);
}

#[tokio::test]
async fn an_unknown_allowed_workflow_is_reported() {
    let project = Project::new(FILE);
    project.write("workflows/build.workflow.ts", "export default {}\n");
    project.skill(
        "a",
        "allowedWorkflows: [build, workflows/build.workflow.ts]\n",
    );
    project.skill("b", "allowedWorkflows: [build, ship]\n");
    let (_gateway, registries) = project.start().await;
    let found: Vec<_> = registries
        .unknown_workflows()
        .into_iter()
        .map(|found| (found.code, found.message, found.help))
        .collect();
    let message = "skill `b` allows an unknown workflow".to_owned();
    let help = Some("add the workflow `ship`, or remove the name".to_owned());
    assert_eq!(found, [(Code::UNKNOWN_WORKFLOW, message, help)]);
}
