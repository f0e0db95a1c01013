//! The life of a gateway, and the vectors of its registries.

use std::sync::Arc;

use repertoire::Id;
use repertoire::skill::Severity;
use repertoire_gateway::{Gateway, GatewayError, GatewayState, WorkflowFile};
use tokio::runtime::Handle;

use crate::project::{FILE, Notified, Project, all_ids, ids, texts};

fn workflow(project: &Project, name: &str) {
    project.write(
        &format!("workflows/{name}.workflow.ts"),
        "export default {}\n",
    );
}

fn message<T>(result: Result<T, GatewayError>) -> String {
    match result {
        Ok(_) => "ok".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_start_publishes_four_registries() {
    let project = Project::new(FILE);
    workflow(&project, "a");
    workflow(&project, "sub/b");
    project.skill("review", "");
    let (gateway, registries) = project.start().await;
    assert_eq!(
        all_ids(&registries),
        [
            texts(&["review"]),
            texts(&["workflows/a.workflow.ts", "workflows/sub/b.workflow.ts"]),
            texts(&["coder"]),
            texts(&["fs"]),
        ]
    );
    let mut status = serde_json::to_value(gateway.status()).unwrap();
    status["mcp-servers"][0]
        .as_object_mut()
        .unwrap()
        .remove("since");
    let expected = serde_json::json!({
        "state": "running",
        "registries": {"skills": 1, "workflows": 2, "agents": 1, "mcp-servers": 1},
        "mcp-servers": [{"id": "fs", "state": "stopped", "restarts": 0}],
        "reloads": 0,
    });
    assert_eq!(status, expected);
}

#[tokio::test]
async fn a_refresh_reports_what_changed() {
    let project = Project::new(FILE);
    workflow(&project, "a");
    let (_gateway, registries) = project.start().await;
    let notified = Notified::default();
    let guard = registries.workflows.on_change(notified.listener());

    let change = registries.workflows.refresh().await.unwrap();
    assert!(change.is_empty());
    workflow(&project, "b");
    let change = registries.workflows.refresh().await.unwrap();
    assert_eq!((change.added.len(), change.removed.len()), (1, 0));
    project.remove("workflows/b.workflow.ts");
    let change = registries.workflows.refresh().await.unwrap();
    assert_eq!((change.added.len(), change.removed.len()), (0, 1));
    assert_eq!(notified.counts(), [[1, 0, 0], [0, 0, 1]]);

    drop(guard);
    workflow(&project, "c");
    registries.workflows.refresh().await.unwrap();
    assert_eq!(notified.counts().len(), 2);
}

#[tokio::test]
async fn a_malformed_skill_hides_no_other() {
    let project = Project::new(FILE);
    project.skill("good", "");
    project.write("skills/bad/SKILL.md", "---\nname: bad\n");
    let (_gateway, registries) = project.start().await;
    assert_eq!(ids(&registries.skills), ["good"]);
    let errors = registries.skills.snapshot().errors();
    let paths: Vec<_> = errors.keys().collect();
    assert!(matches!(paths.as_slice(), [path] if path.ends_with("skills/bad/SKILL.md")));
}

#[tokio::test]
async fn definitions_change_at_a_reload() {
    let project = Project::new(FILE);
    let (gateway, registries) = project.start().await;
    let (agents, servers) = (Notified::default(), Notified::default());
    let _agents = registries.agents.on_change(agents.listener());
    let _servers = registries.mcp_servers.on_change(servers.listener());
    let next = "[[registries.agents]]\nid = \"coder\"\ncommand = \"coder\"\n[[registries.agents]]\nid = \"tester\"\ncommand = \"tester\"\n";
    let reloaded = gateway.reload(Some(project.parse(next))).await.unwrap();
    assert_eq!(
        all_ids(&registries)[2..],
        [texts(&["coder", "tester"]), vec![]]
    );
    assert_eq!(
        (agents.counts(), servers.counts()),
        (vec![[1, 0, 0]], vec![[0, 0, 1]])
    );
    assert_eq!(
        (reloaded.agents.added, reloaded.mcp_servers.removed),
        (1, 1)
    );
}

#[tokio::test]
async fn a_reload_lists_folders_again() {
    let project = Project::new(FILE);
    workflow(&project, "a");
    let (gateway, registries) = project.start().await;
    workflow(&project, "b");
    let reloaded = gateway.reload(None).await.unwrap();
    assert_eq!(reloaded.workflows.added, 1);
    assert_eq!(registries.workflows.list().len(), 2);
    assert!(gateway.reload(None).await.unwrap().workflows.is_none());
}

#[tokio::test]
async fn requests_outside_of_a_life_are_refused() {
    let project = Project::new(FILE);
    let gateway = project.gateway();
    let created = "the registries are not available: the gateway is created";
    assert_eq!(message(gateway.registries()), created);
    assert_eq!(
        message(gateway.reload(None).await),
        "cannot reload: the gateway is created"
    );
    assert_eq!(
        message(gateway.stop().await),
        "cannot stop: the gateway is created"
    );
    assert_eq!(
        message(gateway.pause()),
        "cannot pause: the gateway is created"
    );

    let registries = gateway.start(&Handle::current()).await.unwrap();
    let again = gateway.start(&Handle::current()).await;
    assert_eq!(message(again), "cannot start: the gateway is running");
    assert_eq!(
        message(gateway.resume()),
        "cannot resume: the gateway is running"
    );
    gateway.stop().await.unwrap();
    let stopped = "the registries are not available: the gateway is stopped";
    assert_eq!(message(gateway.registries()), stopped);
    assert_eq!(
        message(gateway.reload(None).await),
        "cannot reload: the gateway is stopped"
    );
    assert_eq!(
        message(gateway.stop().await),
        "cannot stop: the gateway is stopped"
    );
    // A clone answers from its last snapshot.
    assert_eq!(ids(&registries.agents), ["coder"]);
    assert!(registries.agents.refresh().await.is_err());
}

#[tokio::test]
async fn a_paused_gateway_reloads_and_resumes() {
    let project = Project::new(FILE);
    let (gateway, registries) = project.start().await;
    gateway.pause().unwrap();
    assert_eq!(gateway.state(), GatewayState::Paused);
    workflow(&project, "a");
    assert_eq!(gateway.reload(None).await.unwrap().workflows.added, 1);
    gateway.resume().unwrap();
    assert_eq!(gateway.state(), GatewayState::Running);
    assert_eq!(ids(&registries.workflows), ["workflows/a.workflow.ts"]);
    gateway.stop().await.unwrap();
}

#[tokio::test]
async fn a_registered_workflow_wins_and_survives() {
    let project = Project::new(FILE);
    workflow(&project, "a");
    let (gateway, registries) = project.start().await;
    let id = Id::of_path("workflows/a.workflow.ts").unwrap();
    let path = || {
        registries
            .workflows
            .get(id.as_str())
            .unwrap()
            .item()
            .path
            .clone()
    };
    let found = path();
    let own = WorkflowFile::new(id.clone(), "elsewhere/a.workflow.ts");
    registries.workflows.register(own).unwrap();
    assert_eq!(&*path(), "elsewhere/a.workflow.ts");
    registries.workflows.refresh().await.unwrap();
    gateway.reload(None).await.unwrap();
    assert_eq!(&*path(), "elsewhere/a.workflow.ts");
    let before = registries.workflows.snapshot();
    registries.workflows.unregister(id.as_str());
    assert_eq!(path(), found);
    let change = registries.workflows.snapshot().changes_since(&before);
    assert_eq!(change.modified.len(), 1);
    // A second time changes nothing.
    let before = registries.workflows.snapshot();
    registries.workflows.unregister(id.as_str());
    let after = registries.workflows.snapshot();
    assert_eq!(after.generation(), before.generation());
}

#[tokio::test]
async fn a_start_that_fails_publishes_nothing() {
    let project = Project::new(FILE);
    let bad = "[registries.workflows]\nglob = \"../*.ts\"\n";
    let gateway = Gateway::new(project.parse(bad), project.settings());
    let error = gateway.start(&Handle::current()).await.unwrap_err();
    let GatewayError::Configuration(error) = error else {
        panic!("the file is at fault: {error:?}");
    };
    assert_eq!(
        (error.line(), error.message()),
        (
            Some(2),
            "`../*.ts` climbs out of its root; name the folder above as a root"
        )
    );
    assert_eq!(gateway.state(), GatewayState::Created);
    assert!(gateway.registries().is_err());
}

#[tokio::test]
async fn a_watched_project_is_followed() {
    let project = Project::new("");
    let (gateway, registries) = project.start().await;
    workflow(&project, "a");
    project.skill("review", "");
    let (mut workflows, mut skills) = (
        registries.workflows.subscribe(),
        registries.skills.subscribe(),
    );
    while registries.workflows.list().is_empty() {
        workflows.next().await.unwrap();
    }
    while registries.skills.list().is_empty() {
        skills.next().await.unwrap();
    }
    let severities = registries.workflows.snapshot();
    assert!(
        severities
            .diagnostics()
            .iter()
            .all(|found| found.diagnostic.severity < Severity::Error)
    );
    gateway.stop().await.unwrap();
    let clone = Arc::new(registries);
    assert_eq!(ids(&clone.workflows), ["workflows/a.workflow.ts"]);
}
