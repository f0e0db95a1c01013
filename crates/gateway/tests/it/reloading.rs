//! Reloads: whole or not at all, one after another, and none in vain.

use repertoire_gateway::{Gateway, GatewayError};

use crate::project::{FILE, Project, all_ids, ids, texts};

/// A file whose only agent has this number.
fn numbered(number: usize) -> String {
    format!(
        "[gateway]\nwatch = false\n[[registries.agents]]\nid = \"agent-{number}\"\ncommand = \"a\"\n"
    )
}

#[tokio::test]
async fn a_bad_file_keeps_everything() {
    let project = Project::new(FILE);
    project.skill("review", "");
    let (gateway, registries) = project.start().await;
    let before = all_ids(&registries);
    for (text, line) in [
        ("[registries]\nagents = 1\n", 2),
        (
            "[registries.workflows]\nglob = \"a/\"\n[[registries.agents]]\nid = \"new\"\ncommand = \"new\"\n",
            2,
        ),
        (
            "[[source]]\nkind = \"fs\"\nname = \"a\"\nroots = [\".\"]\n[[source]]\nkind = \"fs\"\nname = \"a\"\nroots = [\".\"]\n[[registries.agents]]\nid = \"new\"\ncommand = \"new\"\n",
            7,
        ),
        ("[gateway\n", 1),
    ] {
        project.write("repertoire.toml", text);
        let error = gateway.reload(None).await.unwrap_err();
        let GatewayError::Configuration(error) = error else {
            panic!("the file is at fault: {error:?}");
        };
        assert_eq!(error.line(), Some(line), "{text}: {error:#}");
        assert_eq!(all_ids(&registries), before, "{text}");
        let status = gateway.status();
        assert_eq!(
            status.reload_error.as_deref(),
            Some(error.to_string().as_str())
        );
    }
    project.write("repertoire.toml", FILE);
    gateway.reload(None).await.unwrap();
    let status = gateway.status();
    assert_eq!((status.reloads, status.reload_error), (1, None));
}

#[tokio::test]
async fn a_reload_changes_the_list_of_sources() {
    let project = Project::new(FILE);
    project.skill("review", "");
    project.write(
        "more/tidy/SKILL.md",
        "---\nname: tidy\ndescription: Tidies.\n---\nTidy.\n",
    );
    let (gateway, registries) = project.start().await;
    assert_eq!(ids(&registries.skills), ["review"]);
    let source = "[[source]]\nkind = \"fs\"\nname = \"more\"\nroots = [\"more\"]\n";
    project.write("repertoire.toml", &format!("{source}{FILE}"));
    gateway.reload(None).await.unwrap();
    assert_eq!(ids(&registries.skills), ["tidy"]);
    let both = "[registries.skills]\nglob = \"skills/**/SKILL.md\"\n";
    project.write("repertoire.toml", &format!("{source}{FILE}{both}"));
    gateway.reload(None).await.unwrap();
    assert_eq!(ids(&registries.skills), ["tidy", "review"]);
    project.write("repertoire.toml", FILE);
    gateway.reload(None).await.unwrap();
    assert_eq!(ids(&registries.skills), ["review"]);
}

#[tokio::test]
async fn unchanged_sources_are_kept() {
    let project = Project::new(FILE);
    project.skill("review", "");
    let (gateway, registries) = project.start().await;
    project.write("skills/review/SKILL.md", "---\nname: rev");
    gateway.reload(None).await.unwrap();
    // A new source would not know the last good version.
    assert_eq!(ids(&registries.skills), ["review"]);
}

#[tokio::test]
async fn each_of_1000_reloads_is_in_force() {
    let project = Project::new(FILE);
    let (gateway, registries) = project.start().await;
    let calls = (0..1000).map(|number| {
        let (gateway, configuration) = (gateway.clone(), project.parse(&numbered(number)));
        let registries = registries.clone();
        tokio::spawn(async move {
            gateway.reload(Some(configuration)).await.unwrap();
            let agents = ids(&registries.agents);
            let [agent] = agents.as_slice() else {
                panic!("one configuration is in force at a time: {agents:?}");
            };
            let found: usize = agent.strip_prefix("agent-").unwrap().parse().unwrap();
            // Tasks begin in the order in which they were spawned.
            assert!(found >= number, "{found} is older than {number}");
        })
    });
    let calls: Vec<_> = calls.collect();
    for call in calls {
        call.await.unwrap();
    }
    assert_eq!(ids(&registries.agents), ["agent-999"]);
}

#[tokio::test]
async fn waiting_callers_share_the_last_configuration() {
    let project = Project::new(FILE);
    let (gateway, registries) = project.start().await;
    let reload = |number| gateway.reload(Some(project.parse(&numbered(number))));
    let (one, two, three) = tokio::join!(reload(1), reload(2), reload(3));
    assert!(one.is_ok() && two.is_ok() && three.is_ok());
    assert_eq!(ids(&registries.agents), ["agent-3"]);
    // The second and the third wait together.
    assert!(gateway.status().reloads <= 2);
}

#[tokio::test]
async fn a_dropped_reload_leaves_nothing_half_done() {
    let project = Project::new(FILE);
    let (gateway, registries) = project.start().await;
    let mut dropped = Box::pin(gateway.reload(Some(project.parse(&numbered(1)))));
    tokio::select! {
        biased;
        _ = &mut dropped => panic!("a reload takes more than one poll"),
        () = std::future::ready(()) => {}
    }
    drop(dropped);
    gateway
        .reload(Some(project.parse(&numbered(2))))
        .await
        .unwrap();
    assert_eq!(ids(&registries.agents), ["agent-2"]);
}

/// Four lists after each step of an edit, compared with what the files say.
#[tokio::test]
async fn four_lists_follow_a_script_of_edits() {
    let project = Project::new(FILE);
    let (gateway, registries) = project.start().await;
    let mut expected = [vec![], vec![], texts(&["coder"]), texts(&["fs"])];
    assert_eq!(all_ids(&registries), expected);

    project.write("workflows/a.workflow.yaml", "steps:\n  - Build.\n");
    reload(&gateway, true).await;
    expected[1] = texts(&["workflows/a.workflow.yaml"]);
    assert_eq!(all_ids(&registries), expected);

    project.write("repertoire.toml", &FILE.replace("\"coder\"", "\"writer\""));
    reload(&gateway, true).await;
    expected[2] = texts(&["writer"]);
    assert_eq!(all_ids(&registries), expected);

    project.write("repertoire.toml", "[registries");
    project.skill("review", "");
    reload(&gateway, false).await;
    assert_eq!(all_ids(&registries), expected);

    project.write("repertoire.toml", FILE);
    reload(&gateway, true).await;
    expected[0] = texts(&["review"]);
    expected[2] = texts(&["coder"]);
    assert_eq!(all_ids(&registries), expected);
}

async fn reload(gateway: &Gateway, is_applied: bool) {
    assert_eq!(gateway.reload(None).await.is_ok(), is_applied);
}

#[tokio::test]
async fn a_changed_secret_is_a_change() {
    let project = Project::new(FILE);
    let (gateway, _registries) = project.start().await;
    for (value, modified) in [("one", 1), ("two", 1), ("two", 0)] {
        let file = format!("{FILE}env = {{ KEY = \"{value}\" }}\n");
        project.write("repertoire.toml", &file);
        let reloaded = gateway.reload(None).await.unwrap();
        assert_eq!(reloaded.mcp_servers.modified, modified, "{value}");
    }
}

/// The vector 2A.6: a caller that waits behind a failing run gets a run of its own, with its configuration.
#[tokio::test]
async fn a_failed_reload_fails_no_later_one() {
    let project = Project::new(FILE);
    let (gateway, registries) = project.start().await;
    let bad = "[registries.workflows]\nglob = \"../*.ts\"\n";
    let reload = |text: &str| gateway.reload(Some(project.parse(text)));
    let (first, second, third, fourth) = (numbered(1), numbered(2), numbered(3), numbered(4));
    let (one, two) = tokio::join!(reload(bad), reload(&second));
    assert_eq!((one.is_ok(), two.is_ok()), (false, true));
    assert_eq!(ids(&registries.agents), ["agent-2"]);
    // The last one enters the queue while the others run.
    let (one, three, last) = tokio::join!(reload(&first), reload(&third), async {
        tokio::task::yield_now().await;
        gateway.reload(Some(project.parse(&fourth))).await
    });
    assert!(one.is_ok() && three.is_ok() && last.is_ok());
    assert_eq!(ids(&registries.agents), ["agent-4"]);
}
