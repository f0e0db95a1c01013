//! Prompts.

use repertoire::skill::Value;
use repertoire::{MemorySource, Mount, Registered, SkillRegistry, Trust};
use repertoire_mcp::{Server, ServerOptions};
use rmcp::model::{ContentBlock, GetPromptRequestParams};
use rmcp::service::ServiceError;
use serde_json::json;

use crate::client::{Client, code};
use crate::fixture::{home, serve, serve_with, skill};
use crate::http::listen;

async fn text(
    client: &Client,
    name: &str,
    arguments: serde_json::Value,
) -> Result<String, ServiceError> {
    let mut request = GetPromptRequestParams::new(name);
    request.arguments = arguments.as_object().cloned();
    let result = client.peer.get_prompt(request).await?;
    let [message] = result.messages.as_slice() else {
        panic!("one message: {result:?}")
    };
    let ContentBlock::Text(text) = &message.content else {
        panic!("a text: {message:?}")
    };
    Ok(text.text.clone())
}

fn with_fields(id: &str, fields: &[(&str, &str)]) -> repertoire::Skill {
    let mut skill = skill(id, "Is one.");
    skill.fields = fields
        .iter()
        .map(|(key, value)| ((*key).into(), Value::text(*value)))
        .collect();
    skill
}

#[tokio::test]
async fn each_user_invocable_skill_is_a_prompt() {
    let home = home(&[("plain", "Do $ARGUMENTS.\n")]);
    home.register(Registered::new(
        with_fields("hinted", &[("argument-hint", "[ticket]")]),
        "Fix $ARGUMENTS.\n",
    ))
    .unwrap();
    home.register(Registered::new(
        with_fields("named", &[("arguments", "from to")]),
        "From $from to $to.\n",
    ))
    .unwrap();
    let mut by_hand = skill("by-hand", "By hand.");
    by_hand.disable_model_invocation = true;
    home.register(Registered::new(by_hand, "By hand.\n"))
        .unwrap();
    let mut hidden = skill("hidden", "Hidden.");
    hidden.user_invocable = false;
    home.register(Registered::new(hidden, "Hidden.\n")).unwrap();
    let server = serve(home).await;
    let client = Client::of(&server).await;

    let prompts = client.peer.list_all_prompts().await.unwrap();
    let listed: Vec<_> = prompts
        .iter()
        .map(|prompt| {
            let arguments = prompt.arguments.iter().flatten();
            (
                prompt.name.as_str(),
                arguments
                    .map(|argument| argument.name.as_str())
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    assert_eq!(
        listed,
        [
            ("plain", vec!["arguments"]),
            ("hinted", vec!["arguments"]),
            ("named", vec!["from", "to"]),
            ("by-hand", vec!["arguments"])
        ]
    );
    let hint = &prompts[1].arguments.as_ref().unwrap()[0].description;
    assert_eq!(hint.as_deref(), Some("[ticket]"));

    for (name, arguments, expected) in [
        ("plain", json!({"arguments": "it all"}), "Do it all."),
        ("plain", json!(null), "Do ."),
        ("home:plain", json!({"arguments": "x"}), "Do x."),
        (
            "named",
            json!({"to": "there", "from": "right here"}),
            "From right here to there.",
        ),
        ("named", json!({"to": "there"}), "From  to there."),
        // What its user left empty is not there.
        (
            "named",
            json!({"to": "there", "from": ""}),
            "From  to there.",
        ),
        ("named", json!({"to": "", "from": "here"}), "From here to ."),
        ("named", json!({"to": "", "from": ""}), "From  to ."),
        (
            "named",
            json!({"to": null, "from": "here"}),
            "From here to .",
        ),
        ("plain", json!({"arguments": ""}), "Do ."),
        ("plain", json!({"arguments": null}), "Do ."),
        ("by-hand", json!(null), "By hand."),
    ] {
        let text = text(&client, name, arguments.clone()).await.unwrap();
        assert_eq!(
            text.lines().nth(1),
            Some(expected),
            "{name} {arguments}: {text}"
        );
    }
    for (name, arguments) in [
        ("hidden", json!(null)),
        ("nobody", json!(null)),
        ("", json!(null)),
        ("plain", json!({"arguments": 1})),
        ("plain", json!({"other": "x"})),
    ] {
        assert_eq!(
            code(text(&client, name, arguments.clone()).await).0,
            -32602,
            "{name} {arguments}"
        );
    }
}

#[tokio::test]
async fn m21_shadows_are_prompts_by_full_name() {
    let sources = ["one", "two", "three"].map(MemorySource::new);
    for (source, body) in sources.iter().zip(["Mine.\n", "Yours.\n", "Mine.\n"]) {
        source
            .register(Registered::new(skill("tidy", "Sorts."), body))
            .unwrap();
    }
    let registry = sources
        .into_iter()
        .fold(SkillRegistry::builder(), |builder, source| {
            builder.user(source)
        });
    let server = Server::new(registry.load().await.unwrap(), ServerOptions::default());
    let client = Client::of(&server).await;
    let prompts = client.peer.list_all_prompts().await.unwrap();
    assert_eq!(
        prompts
            .iter()
            .map(|prompt| prompt.name.as_str())
            .collect::<Vec<_>>(),
        ["tidy", "two:tidy"]
    );
    for (name, body) in [
        ("tidy", "Mine."),
        ("two:tidy", "Yours."),
        ("three:tidy", "Mine."),
    ] {
        assert!(
            text(&client, name, json!(null))
                .await
                .unwrap()
                .contains(body),
            "{name}"
        );
    }
}

#[tokio::test]
async fn m27_readers_run_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let witness = folder.path().join("ran");
    let body = format!("Now: !`touch {}`\n", witness.display());
    let home = home(&[("runs", &body)]);
    let server = serve_with(
        Mount::user(home).trust(Trust::Restricted),
        ServerOptions::default(),
    )
    .await;
    let client = Client::of(&server).await;
    let prompt = text(&client, "runs", json!(null)).await.unwrap();
    assert!(
        prompt.starts_with("<skill_content name=\"runs\" source=\"home\" trust=\"restricted\">\n"),
        "{prompt}"
    );
    assert!(
        prompt.contains("[shell command execution disabled by policy]"),
        "{prompt}"
    );
    let tool = crate::tools::call(&client, "read_skill", json!({"id": "runs"})).await;
    assert!(tool.text.contains("source=\"home\""), "{}", tool.text);
    assert!(
        tool.text
            .contains("[shell command execution disabled by policy]"),
        "{}",
        tool.text
    );
    assert!(!witness.exists());
}

/// Trailing empty words are not words, over both transports and in each form that a client sends.
#[tokio::test]
async fn empty_arguments_are_absent() {
    let home = home(&[]);
    let register = |id: &str, fields: &[(&str, &str)]| {
        home.register(Registered::new(
            with_fields(id, fields),
            "Deploy [$ARGUMENTS].\n",
        ))
        .unwrap();
    };
    register("named", &[("arguments", "env version")]);
    register("hinted", &[("argument-hint", "[env] [version]")]);
    register("plain", &[]);
    let server = serve(home.clone()).await;
    let listening = listen(&server, Default::default()).await;
    for client in [Client::of(&server).await, listening.connect(None).await] {
        for (name, arguments, expected) in [
            ("named", json!({"env": "", "version": ""}), "Deploy []."),
            (
                "named",
                json!({"env": "prod", "version": ""}),
                "Deploy [prod].",
            ),
            (
                "named",
                json!({"env": "prod", "version": " "}),
                "Deploy [prod].",
            ),
            (
                "named",
                json!({"env": "prod", "version": null}),
                "Deploy [prod].",
            ),
            ("named", json!({"env": "prod"}), "Deploy [prod]."),
            (
                "named",
                json!({"env": "", "version": "2"}),
                "Deploy [\"\" 2].",
            ),
            ("named", json!({"version": "2"}), "Deploy [\"\" 2]."),
            (
                "named",
                json!({"env": "prod", "version": "2"}),
                "Deploy [prod 2].",
            ),
            ("named", json!({"env": "", "arguments": ""}), "Deploy []."),
            ("named", json!({}), "Deploy []."),
            ("named", json!(null), "Deploy []."),
            ("hinted", json!({"arguments": ""}), "Deploy []."),
            ("hinted", json!({"arguments": " "}), "Deploy []."),
            ("hinted", json!({"env": "", "version": ""}), "Deploy []."),
            (
                "hinted",
                json!({"arguments": "prod", "version": ""}),
                "Deploy [prod].",
            ),
            ("plain", json!({"arguments": null}), "Deploy []."),
            ("plain", json!({"other": ""}), "Deploy []."),
        ] {
            let text = text(&client, name, arguments.clone()).await.unwrap();
            assert_eq!(
                text.lines().nth(1),
                Some(expected),
                "{name} {arguments}: {text}"
            );
        }
        let unknown = code(text(&client, "named", json!({"stage": "prod"})).await);
        assert_eq!(
            unknown,
            (
                -32602,
                "no argument `stage`; the prompt has `env`, `version`".to_owned()
            )
        );
    }
    listening.end().await;
}

#[tokio::test]
async fn prompts_have_names_that_clients_can_call() {
    let one = std::sync::Arc::new(MemorySource::new("one"));
    let two = MemorySource::new("two");
    for (id, body) in [
        ("My Notes", "Mine."),
        ("My-Notes", "Hyphens."),
        ("My-Notes-2", "Taken."),
        ("a.b", "Dot."),
        ("größe", "Script."),
        ("kit:tidy", "Colon."),
    ] {
        one.register(Registered::new(skill(id, "Is one."), body))
            .unwrap();
    }
    two.register(Registered::new(skill("My Notes", "Is another."), "Yours."))
        .unwrap();
    let registry = SkillRegistry::builder().user(one.clone()).user(two);
    let registry = registry
        .start(&tokio::runtime::Handle::current())
        .await
        .unwrap();
    let mut client = Client::of(&Server::new(registry, ServerOptions::default())).await;
    let names = async |client: &Client| {
        let prompts = client.peer.list_all_prompts().await.unwrap();
        // A title would be what some clients call a prompt by.
        assert!(prompts.iter().all(|prompt| prompt.title.is_none()));
        prompts
            .into_iter()
            .map(|prompt| prompt.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(&client).await,
        [
            "My-Notes-3",
            "two:My-Notes",
            "My-Notes",
            "My-Notes-2",
            "a.b",
            "größe",
            "kit:tidy"
        ]
    );
    for (name, body) in [
        ("My-Notes-3", "Mine."),
        ("My Notes", "Mine."),
        ("one:My Notes", "Mine."),
        ("two:My-Notes", "Yours."),
        ("two:My Notes", "Yours."),
        ("My-Notes", "Hyphens."),
        ("My-Notes-2", "Taken."),
    ] {
        let text = text(&client, name, json!(null)).await.unwrap();
        assert!(text.contains(body), "{name}: {text}");
    }
    // A name that is free again is another list.
    one.unregister("My-Notes");
    while client.next().await != crate::client::Notified::Prompts {}
    assert_eq!(names(&client).await[..2], ["My-Notes", "two:My-Notes"]);
}
