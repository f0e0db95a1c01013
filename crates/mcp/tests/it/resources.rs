//! Resources.

use base64::Engine as _;
use repertoire::{Mount, Registered, Trust};
use repertoire_mcp::ServerOptions;
use rmcp::model::{ReadResourceRequestParams, ResourceContents};
use rmcp::service::ServiceError;

use crate::client::{Client, code};
use crate::fixture::{home, serve, serve_folder, serve_with, skill, write};

/// The bytes of one resource.
pub(crate) async fn read(client: &Client, uri: &str) -> Result<Vec<u8>, ServiceError> {
    let result = client
        .peer
        .read_resource(ReadResourceRequestParams::new(uri))
        .await?;
    let [contents] = result.contents.as_slice() else {
        panic!("one resource: {result:?}")
    };
    Ok(match contents {
        ResourceContents::TextResourceContents {
            uri: read, text, ..
        } => {
            assert_eq!(read, uri);
            text.as_bytes().to_vec()
        }
        ResourceContents::BlobResourceContents {
            uri: read, blob, ..
        } => {
            assert_eq!(read, uri);
            base64::engine::general_purpose::STANDARD
                .decode(blob)
                .expect("base64")
        }
        other => panic!("{other:?}"),
    })
}

#[tokio::test]
async fn m3_resources_are_described_by_front_matter() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let client = Client::of(&server).await;
    let resources = client.peer.list_all_resources().await.unwrap();
    let [tidy] = resources.as_slice() else {
        panic!("one resource: {resources:?}")
    };
    assert_eq!(
        (
            tidy.uri.as_str(),
            tidy.name.as_str(),
            tidy.description.as_deref(),
            tidy.mime_type.as_deref()
        ),
        (
            "skill://home/tidy/SKILL.md",
            "tidy",
            Some("Does tidy."),
            Some("text/markdown")
        )
    );
    let templates = client.peer.list_all_resource_templates().await.unwrap();
    assert_eq!(
        templates
            .iter()
            .map(|template| template.uri_template.as_str())
            .collect::<Vec<_>>(),
        ["skill://{source}/{skill}/{+path}"]
    );
}

#[tokio::test]
async fn raw_bytes_come_with_a_diagnostic() {
    let folder = tempfile::tempdir().unwrap();
    let file = "---\nname: odd\ndescription: O\u{2060}dd.\n---\nDo \u{e0053}\u{e0045}\u{e004e}\u{e0044}it.\n";
    let notes = "Note\u{202e}.\n";
    let files: [(&str, &[u8]); 3] = [
        ("odd/SKILL.md", file.as_bytes()),
        ("odd/notes.md", notes.as_bytes()),
        ("odd/plain.md", b"Plain.\n"),
    ];
    write(folder.path(), &files);
    let server = serve_folder(folder.path()).await;
    let client = Client::of(&server).await;
    let diagnostic = |message: &str, line: u32, column: u32| {
        let severity = "warning";
        serde_json::json!([{
            "code": "invisible-text", "severity": severity, "message": message, "line": line, "column": column,
        }])
    };
    let of_skill = diagnostic(
        "the file holds 5 invisible characters that spell `SEND`",
        3,
        15,
    );
    let of_notes = diagnostic("the file holds 1 invisible character (U+202E)", 1, 5);
    for (path, bytes, expected) in [
        ("SKILL.md", file, Some(&of_skill)),
        ("notes.md", notes, Some(&of_notes)),
        ("plain.md", "Plain.\n", None),
    ] {
        let uri = format!("skill://home/odd/{path}");
        assert_eq!(
            read(&client, &uri).await.unwrap(),
            bytes.as_bytes(),
            "{path}"
        );
        let result = client
            .peer
            .read_resource(ReadResourceRequestParams::new(&uri))
            .await
            .unwrap();
        let contents = serde_json::to_value(&result.contents[0]).unwrap();
        assert_eq!(
            contents["_meta"].get("repertoire/diagnostics"),
            expected,
            "{path}"
        );
    }
    let request = rmcp::model::GetSkillRequestParams::new("skill://home/odd/SKILL.md");
    let skill = serde_json::to_value(client.peer.get_skill(request).await.unwrap().skill).unwrap();
    assert_eq!(skill["_meta"]["repertoire/diagnostics"], of_skill);

    let resources = client.peer.list_all_resources().await.unwrap();
    assert_eq!(resources[0].description.as_deref(), Some("Odd."));
    let prompts = client.peer.list_all_prompts().await.unwrap();
    assert_eq!(prompts[0].description.as_deref(), Some("Odd."));
    let prompt = client
        .peer
        .get_prompt(rmcp::model::GetPromptRequestParams::new("odd"))
        .await
        .unwrap();
    let prompt = serde_json::to_string(&prompt).unwrap();
    let call = async |name: &'static str, arguments: serde_json::Value| {
        let request = rmcp::model::CallToolRequestParams::new(name)
            .with_arguments(arguments.as_object().cloned().expect("an object"));
        serde_json::to_string(&client.peer.call_tool(request).await.unwrap()).unwrap()
    };
    let body = call("read_skill", serde_json::json!({"id": "odd"})).await;
    let beside = call(
        "read_skill_resource",
        serde_json::json!({"id": "odd", "path": "notes.md"}),
    )
    .await;
    assert!(
        prompt.contains("Do it.") && body.contains("Do it.") && beside.contains("Note."),
        "{prompt} {body} {beside}"
    );
    for text in [prompt, body, beside] {
        assert!(repertoire::skill::text::is_clean(&text), "{text}");
    }
}

#[tokio::test]
async fn bytes_arrive_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        "\u{feff}---\r\nname: odd\r\ndescription: Odd.\r\n---\r\n\u{202e}x\u{0001}\r".as_bytes();
    let files: [(&str, &[u8]); 4] = [
        ("SKILL.md", text),
        ("a.bin", b"a\0b"),
        ("b.txt", b"\xff\xfe"),
        ("empty", b""),
    ];
    for (path, bytes) in files {
        write(folder.path(), &[(&format!("odd/{path}"), bytes)]);
    }
    let server = serve_folder(folder.path()).await;
    let client = Client::of(&server).await;
    for (path, bytes) in files {
        assert_eq!(
            read(&client, &format!("skill://home/odd/{path}"))
                .await
                .unwrap(),
            bytes,
            "{path}"
        );
    }
}

#[tokio::test]
async fn m24_unlisted_files_are_not_found() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("secret.txt", b"secret"),
            (
                "tidy/SKILL.md",
                b"---\nname: tidy\ndescription: Sorts.\n---\nSort.\n",
            ),
            ("tidy/.git/config", b"secret"),
        ],
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.txt", folder.path().join("tidy/link")).unwrap();
    let server = serve_folder(folder.path()).await;
    let client = Client::of(&server).await;
    for uri in [
        "skill://home/tidy",
        "skill://home/tidy/../secret.txt",
        "skill://home/tidy/%2e%2e/secret.txt",
        "skill://home/tidy/..%2Fsecret.txt",
        "skill://home/tidy/link",
        "skill://home/tidy/.git/config",
        "skill://home/../tidy/SKILL.md",
        "file:///etc/passwd",
        "file:etc/passwd",
        "skill:home/tidy/SKILL.md",
        "",
    ] {
        let (code, message) = code(read(&client, uri).await);
        assert!(code == -32002, "{uri}: {code} {message}");
        assert!(!message.contains("secret\n"), "{message}");
    }
}

#[tokio::test]
async fn template_variables_are_completed() {
    let folder = tempfile::tempdir().unwrap();
    let file =
        |name: &str| format!("---\nname: {name}\ndescription: Is {name}.\n---\n").into_bytes();
    write(
        folder.path(),
        &[
            ("tidy/SKILL.md", &file("tidy")),
            ("tidy/refs/a (1).md", b"a"),
            ("tent/SKILL.md", &file("tent")),
        ],
    );
    let hidden = b"---\nname: telling\ndescription: Hidden.\ndisable-model-invocation: true\n---\n";
    write(folder.path(), &[("telling/SKILL.md", hidden)]);
    let server = serve_folder(folder.path()).await;
    let client = Client::of(&server).await;
    let complete = async |uri: &str, name: &str, value: &str, context: serde_json::Value| {
        let params = serde_json::json!({
            "ref": {"type": "ref/resource", "uri": uri},
            "argument": {"name": name, "value": value},
            "context": {"arguments": context},
        });
        client
            .peer
            .complete(serde_json::from_value(params).unwrap())
            .await
    };
    let template = "skill://{source}/{skill}/{+path}";
    let none = serde_json::json!({});
    let home = serde_json::json!({"source": "home"});
    let tidy = serde_json::json!({"source": "home", "skill": "tidy"});
    for (name, value, context, expected) in [
        ("source", "", &none, vec!["home"]),
        ("source", "x", &none, vec![]),
        ("skill", "t", &none, vec!["tent", "tidy"]),
        ("skill", "te", &home, vec!["tent"]),
        ("skill", "", &serde_json::json!({"source": "other"}), vec![]),
        ("path", "", &tidy, vec!["SKILL.md", "refs/a%20%281%29.md"]),
        ("path", "r", &tidy, vec!["refs/a%20%281%29.md"]),
        ("path", "", &home, vec![]),
        (
            "path",
            "",
            &serde_json::json!({"source": "home", "skill": "telling"}),
            vec![],
        ),
        ("other", "", &none, vec![]),
    ] {
        let completion = complete(template, name, value, context.clone())
            .await
            .unwrap()
            .completion;
        assert_eq!(completion.values, expected, "{name} {value} {context}");
        assert_eq!(
            (completion.total, completion.has_more),
            (Some(expected.len() as u32), Some(false))
        );
    }
    assert_eq!(
        read(&client, "skill://home/tidy/refs/a%20%281%29.md")
            .await
            .unwrap(),
        b"a"
    );
    assert_eq!(
        code(complete("skill://other", "source", "", none).await),
        (-32602, "no template `skill://other`".into())
    );
}

#[tokio::test]
async fn hidden_skills_are_at_no_door() {
    let home = home(&[("seen", "Seen.\n")]);
    let mut by_hand = skill("by-hand", "By hand.");
    by_hand.disable_model_invocation = true;
    home.register(Registered::new(by_hand, "By hand.\n"))
        .unwrap();
    home.register(Registered::new(skill("off", "Off."), "Off.\n"))
        .unwrap();
    let modes = repertoire::permission::VisibilityPolicy::default().with(
        "off".parse().unwrap(),
        repertoire::permission::Exposure::Off,
    );
    let server = serve_with(Mount::user(home), ServerOptions::default().modes(modes)).await;
    let client = Client::of(&server).await;
    let resources = client.peer.list_all_resources().await.unwrap();
    assert_eq!(
        resources
            .iter()
            .map(|resource| resource.name.as_str())
            .collect::<Vec<_>>(),
        ["seen"]
    );
    let page = client.peer.list_skills(None).await.unwrap();
    assert_eq!(
        page.skills
            .iter()
            .map(rmcp::model::Skill::name)
            .collect::<Vec<_>>(),
        ["seen"]
    );
    for id in ["by-hand", "off", "nobody"] {
        let uri = format!("skill://home/{id}/SKILL.md");
        let message = |answer: (i32, String)| (answer.0, answer.1.replace(id, "ID"));
        assert_eq!(
            message(code(read(&client, &uri).await)),
            (-32002, "no resource `skill://home/ID/SKILL.md`".into())
        );
        let got = client
            .peer
            .get_skill(rmcp::model::GetSkillRequestParams::new(&uri))
            .await;
        assert_eq!(
            message(code(got)),
            (-32602, "no skill `skill://home/ID/SKILL.md`".into())
        );
    }
    let instructions = client
        .peer
        .peer_info()
        .and_then(|info| info.instructions.clone())
        .unwrap_or_default();
    assert!(
        !instructions.contains("by-hand") && !instructions.contains("off"),
        "{instructions}"
    );
}

#[tokio::test]
async fn an_untrusted_source_is_not_served() {
    let mount = Mount::user(home(&[("tidy", "Obey.\n")])).trust(Trust::Pending);
    let server = serve_with(mount, ServerOptions::default()).await;
    let client = Client::of(&server).await;
    assert_eq!(client.peer.list_all_resources().await.unwrap(), []);
    assert_eq!(client.peer.list_all_prompts().await.unwrap(), []);
    assert_eq!(client.peer.list_all_tools().await.unwrap(), []);
    assert_eq!(client.peer.list_skills(None).await.unwrap().skills, []);
    assert_eq!(
        code(read(&client, "skill://home/tidy/SKILL.md").await).0,
        -32002
    );
    assert_eq!(
        client
            .peer
            .peer_info()
            .and_then(|info| info.instructions.clone()),
        None
    );
}

#[tokio::test]
async fn resources_of_the_host_follow_skills() {
    let options = ServerOptions::default()
        .page(1)
        .resource("host://jobs", "The jobs.", || Some("[1]".to_owned()))
        .resource("host://gone", "Nothing now.", || None);
    let server = serve_with(Mount::user(home(&[("a", "A.\n"), ("b", "B.\n")])), options).await;
    let client = Client::of(&server).await;
    let resources = client.peer.list_all_resources().await.unwrap();
    let rows: Vec<_> = resources
        .iter()
        .map(|found| (found.uri.as_str(), found.name.as_str()))
        .collect();
    assert_eq!(
        rows,
        [
            ("skill://home/a/SKILL.md", "a"),
            ("skill://home/b/SKILL.md", "b"),
            ("host://jobs", "jobs"),
            ("host://gone", "gone"),
        ]
    );
    assert_eq!(read(&client, "host://jobs").await.unwrap(), b"[1]");
    for uri in ["host://gone", "host://other"] {
        let (code, message) = code(read(&client, uri).await);
        assert_eq!(code, rmcp::model::ErrorCode::RESOURCE_NOT_FOUND.0);
        assert_eq!(message, format!("no resource `{uri}`"));
    }
}
