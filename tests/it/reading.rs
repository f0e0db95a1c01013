//! From a folder to what a model reads when it asks for a skill.

use std::sync::Arc;

use repertoire::render::{CommandApprovals, DirectiveOutcome, DirectiveRunner, Refusal};
use repertoire::tools::{ApprovedCommands, LiveTools, SkillRead};
use repertoire::{FsSource, Renderer, SkillRegistry, ToolOptions};
use serde_json::json;

use crate::tree::Tree;

const BODY: &str = "Look at $ARGUMENTS by ${SKILL_DIR}/rules.md.\n\nToday: !`echo calm`";

async fn read(registry: &SkillRegistry, commands: Option<ApprovedCommands>) -> SkillRead {
    let renderer = Renderer::new(registry.clone());
    let renderer = commands.into_iter().fold(renderer, |renderer, commands| {
        renderer.commands(Arc::new(commands))
    });
    let tools = LiveTools::new(registry.clone(), ToolOptions::default());
    let arguments = json!({"id": "look", "arguments": "src/"});
    let answer = tools
        .call_with("read_skill", &arguments, &renderer)
        .await
        .unwrap();
    let read = answer.read.expect("it was read");
    assert!(
        answer.text.contains(read.instructions.text.trim_end()),
        "{}",
        answer.text
    );
    read
}

#[tokio::test]
async fn rendering_runs_only_approved_commands() {
    let tree = Tree::new();
    tree.skill("home", "look", "Looks at things.", BODY);
    let folder = tree.path().join("home/look").canonicalize().unwrap();
    let registry = SkillRegistry::builder()
        .user(FsSource::new("home", tree.path().join("home")))
        .load()
        .await
        .unwrap();
    let expected = |today: &str| {
        format!(
            "Look at src/ by {}/rules.md.\n\nToday: {today}\n",
            folder.display()
        )
        .replace('\\', "/")
    };
    let refused = "!`echo calm` [shell command execution disabled by policy]";

    let off = read(&registry, None).await;
    assert_eq!(off.instructions.text.replace('\\', "/"), expected(refused));
    assert_eq!(
        off.instructions.outcomes,
        [DirectiveOutcome::Refused { by: Refusal::Off }]
    );

    let runner = DirectiveRunner::new(std::env::vars_os());
    let unapproved = read(
        &registry,
        Some(ApprovedCommands::new(
            runner.clone(),
            CommandApprovals::default(),
        )),
    )
    .await;
    assert_eq!(
        unapproved.instructions.outcomes,
        [DirectiveOutcome::Refused {
            by: Refusal::Unapproved
        }]
    );
    assert!(
        unapproved
            .instructions
            .text
            .ends_with("!`echo calm` [not run: it is not approved]\n"),
        "{}",
        unapproved.instructions.text
    );

    let candidate = &registry.get("look").unwrap().candidate;
    let body = registry.body(candidate).await.unwrap();
    let mut approvals = CommandApprovals::default();
    let binding = Renderer::new(registry.clone())
        .binding(candidate, body.digest)
        .await
        .unwrap();
    approvals.approve(&binding);
    let approved = read(&registry, Some(ApprovedCommands::new(runner, approvals))).await;
    assert_eq!(
        approved.instructions.text.replace('\\', "/"),
        expected("calm")
    );
    assert_ne!(approved.instructions.text, off.instructions.text);
}
