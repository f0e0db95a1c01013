//! An agent of rig with skills, and a model that follows a script.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use repertoire::{MemorySource, Registered, Skill, SkillRegistry};
use rig_agent::core::completion::CompletionRequest;
use rig_agent::core::message::{Message, ToolResult, UserContent};
use rig_agent::core::test_utils::{MockCompletionModel, MockTurn};
use rig_agent::core::tool::{Tool, ToolContext, ToolErrorKind};
use rig_agent::{Agent, AgentBuilder};
use serde_json::json;
use skills_for_rig::{SkillRead, Skills};

async fn skills() -> Skills {
    let house = MemorySource::new("house");
    let tidy = Skill::new("tidy".parse().unwrap(), "Sorts the files of a folder.")
        .from_location("/skills/tidy/SKILL.md");
    house
        .register(Registered::new(
            tidy,
            "Sort $ARGUMENTS by ${SKILL_DIR}/order.md.\n",
        ))
        .unwrap();
    let mut deploy = Skill::new("deploy".parse().unwrap(), "Ships a release.");
    deploy.disable_model_invocation = true;
    house
        .register(Registered::new(deploy, "Push the button."))
        .unwrap();
    house
        .register(Registered::new(
            Skill::new("greet".parse().unwrap(), "Greets people."),
            "Say hello.",
        ))
        .unwrap();
    Skills::over(
        SkillRegistry::builder()
            .builtin(house)
            .load()
            .await
            .unwrap(),
    )
}

fn agent(model: &MockCompletionModel, skills: &Skills) -> Agent {
    AgentBuilder::new(model.clone())
        .preamble(skills.preamble())
        .tool(skills.read())
        .tool(skills.resource())
        .tool(skills.search())
        .tool(skills.list())
        .default_max_turns(4)
        .build()
}

/// Returns the system prompt of a request.
fn system(request: &CompletionRequest) -> String {
    let texts = request
        .chat_history
        .iter()
        .filter_map(|message| match message {
            Message::System { content } => Some(content.as_str()),
            _ => None,
        });
    texts.collect::<Vec<_>>().join("\n")
}

/// The last result of a tool: its text, and whether it failed.
fn result(request: &CompletionRequest) -> (String, bool) {
    let results = request
        .chat_history
        .iter()
        .flat_map(|message| match message {
            Message::User { content } => content.as_slice(),
            _ => &[],
        });
    let ToolResult {
        content, is_error, ..
    } = results
        .filter_map(|content| match content {
            UserContent::ToolResult(result) => Some(result),
            _ => None,
        })
        .next_back()
        .expect("a tool was called");
    let texts = content.iter().map(|part| {
        serde_json::to_value(part).unwrap()["text"]
            .as_str()
            .unwrap()
            .to_owned()
    });
    (texts.collect(), *is_error)
}

#[tokio::test]
async fn skills_are_listed_read_and_followed() {
    let skills = skills().await;
    let model = MockCompletionModel::from_turns([
        MockTurn::tool_call(
            "1",
            "read_skill",
            json!({"id": "tidy", "arguments": "my desk"}),
        ),
        MockTurn::text("Sorted."),
    ]);
    let response = agent(&model, &skills)
        .prompt("Tidy up, please.")
        .await
        .unwrap();
    assert_eq!(response.output(), "Sorted.");

    let requests = model.requests();
    let [first, second] = requests.as_slice() else {
        panic!("two calls of the model: {requests:?}")
    };
    let prompt = system(first);
    assert!(
        prompt.contains("call `read_skill` with its name as `id`"),
        "{prompt}"
    );
    assert!(
        prompt.contains("<name>tidy</name><description>Sorts the files of a folder.</description>"),
        "{prompt}"
    );
    assert!(!prompt.contains("deploy"), "only a person ships: {prompt}");
    let tool = first
        .tools
        .iter()
        .find(|tool| tool.name == "read_skill")
        .unwrap();
    assert_eq!(
        tool.parameters["properties"]["id"]["enum"],
        json!(["greet", "tidy"])
    );
    assert_eq!(first.tools.len(), 4);
    assert_eq!(
        result(second),
        (
            "<skill_content name=\"tidy\">\nSort my desk by /skills/tidy/order.md.\n\nSkill folder: /skills/tidy\n\
             Relative paths are relative to this folder.\n</skill_content>\n"
                .to_owned(),
            false
        )
    );
}

#[tokio::test]
async fn unknown_skills_are_answered_with_suggestions() {
    let skills = skills().await;
    let model = MockCompletionModel::from_turns([
        MockTurn::tool_call("1", "read_skill", json!({"id": "greeet"})),
        MockTurn::text("Sorry."),
    ]);
    agent(&model, &skills)
        .prompt("Tidy up, please.")
        .await
        .unwrap();
    let (text, is_error) = result(&model.requests()[1]);
    assert!(
        is_error && text.starts_with("Unknown skill `greeet`. Did you mean `greet`?"),
        "{text}"
    );

    let error = skills
        .read()
        .call(&mut ToolContext::new(), json!({"id": "deploy"}))
        .await
        .unwrap_err();
    let error = skills.read().map_error(error);
    assert_eq!(error.kind(), ToolErrorKind::PermissionDenied);
    assert_eq!(
        error.model_feedback(),
        Some(
            "Unknown skill `deploy`. The skills are `greet`, `tidy`. `list_skills` tells which there are."
        )
    );
}

#[tokio::test]
async fn reads_are_reported_to_the_host_alone() {
    let skills = skills().await;
    let mut context = ToolContext::new();
    let text = skills
        .read()
        .call(&mut context, json!({"id": "greet"}))
        .await
        .unwrap();
    let read: SkillRead = context.require_result().unwrap();
    assert_eq!(read.skill, "house:greet");
    assert!(
        read.digest.starts_with("sha256:") && !text.contains(&read.digest),
        "{read:?}"
    );
    let mut context = ToolContext::new();
    skills
        .search()
        .call(&mut context, json!({"query": "greet"}))
        .await
        .unwrap();
    assert_eq!(context.result::<SkillRead>().unwrap(), None);
}

#[tokio::test]
async fn matching_skills_are_added_to_the_prompt() {
    let skills = skills().await;
    let model = MockCompletionModel::text("Hello.");
    let agent = AgentBuilder::new(model.clone())
        .dynamic_context(2, skills.context())
        .build();
    agent.prompt("greet people and deploy").await.unwrap();
    let history = serde_json::to_value(&model.requests()[0].chat_history)
        .unwrap()
        .to_string();
    assert!(
        history.contains("Greets people.") && !history.contains("Ships a release."),
        "{history}"
    );
    assert_eq!(history.matches("<file id: ").count(), 1, "{history}");
}

#[tokio::test]
async fn agents_without_skills_get_an_empty_preamble() {
    let skills = Skills::over(SkillRegistry::builder().load().await.unwrap());
    assert_eq!(skills.preamble(), "");
    let answer = skills
        .read()
        .call(&mut ToolContext::new(), json!({"id": "tidy"}))
        .await
        .unwrap_err();
    assert_eq!(answer.to_string(), "Unknown skill `tidy`. There are none.");
}
