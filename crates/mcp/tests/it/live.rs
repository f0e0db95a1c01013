//! Changes, while clients are there.

use repertoire::Registered;
use rmcp::model::SubscribeRequestParams;

use crate::client::{Client, Notified, code};
use crate::fixture::{home, serve, serve_folder, skill, write};
use crate::resources::read;

#[tokio::test]
async fn a_changed_list_notifies_every_session_once() {
    let home = home(&[("tidy", "Sort it.\n")]);
    let server = serve(home.clone()).await;
    let mut clients = Vec::new();
    for _ in 0..250 {
        clients.push(Client::of(&server).await);
    }
    home.register(Registered::new(skill("greet", "Greets."), "Hello.\n"))
        .unwrap();
    for client in &mut clients {
        let mut notifications = vec![
            client.next().await,
            client.next().await,
            client.next().await,
        ];
        notifications.extend(client.so_far().await);
        assert_eq!(
            notifications,
            [Notified::Tools, Notified::Prompts, Notified::Resources]
        );
        assert_eq!(client.peer.list_all_resources().await.unwrap().len(), 2);
    }
}

#[tokio::test]
async fn a_body_change_notifies_extension_clients() {
    let home = home(&[("tidy", "Sort it.\n"), ("greet", "Hello.\n")]);
    let server = serve(home.clone()).await;
    let mut client = Client::of(&server).await;
    let tidy = || "skill://home/tidy/SKILL.md".to_owned();
    for uri in [
        tidy(),
        "skill://home/greet/SKILL.md".to_owned(),
        "skill://home/nobody/SKILL.md".to_owned(),
    ] {
        #[expect(
            deprecated,
            reason = "what clients of the protocols before 2026-07-28 send"
        )]
        client
            .peer
            .subscribe(SubscribeRequestParams::new(uri))
            .await
            .unwrap();
    }
    home.replace(
        &"tidy".parse().unwrap(),
        Registered::new(skill("tidy", "Does tidy."), "Sort it well.\n"),
    )
    .unwrap();
    let mut notifications = vec![client.next().await, client.next().await];
    notifications.extend(client.so_far().await);
    assert_eq!(
        notifications,
        [Notified::Resources, Notified::Updated(tidy())]
    );
    assert!(
        read(&client, &tidy())
            .await
            .unwrap()
            .ends_with(b"Sort it well.\n")
    );
}

#[tokio::test]
async fn hidden_skills_notify_no_client() {
    let home = home(&[("tidy", "Sort it.\n")]);
    let mut hidden = skill("hidden", "Hidden.");
    (hidden.disable_model_invocation, hidden.user_invocable) = (true, false);
    home.register(Registered::new(hidden.clone(), "Hidden.\n"))
        .unwrap();
    let server = serve(home.clone()).await;
    let mut client = Client::of(&server).await;
    home.replace(
        &"hidden".parse().unwrap(),
        Registered::new(hidden, "Still hidden.\n"),
    )
    .unwrap();
    server.registry().refresh().await.unwrap();
    client.is_not_notified().await;
    // What is seen comes after what is not.
    home.register(Registered::new(skill("greet", "Greets."), "Hello.\n"))
        .unwrap();
    let mut notifications = vec![
        client.next().await,
        client.next().await,
        client.next().await,
    ];
    notifications.extend(client.so_far().await);
    assert_eq!(
        notifications,
        [Notified::Tools, Notified::Prompts, Notified::Resources]
    );
}

/// Two sources have one id, and the hidden one changes.
#[tokio::test]
async fn hidden_candidates_notify_no_client() {
    for hidden in ["home", "other"] {
        let [home, other] = ["home", "other"].map(|name| {
            let source = std::sync::Arc::new(repertoire::MemorySource::new(name));
            source
                .register(Registered::new(skill("tidy", "Does tidy."), "Sort it.\n"))
                .unwrap();
            source
        });
        let changing = if hidden == "home" { &home } else { &other };
        let registry = repertoire::SkillRegistry::builder()
            .user(home.clone())
            .user(other.clone());
        let registry = registry
            .start(&tokio::runtime::Handle::current())
            .await
            .unwrap();
        let modes = repertoire::permission::VisibilityPolicy::default().with(
            format!("{hidden}:tidy").parse().unwrap(),
            repertoire::permission::Exposure::Off,
        );
        let server = repertoire_mcp::Server::new(
            registry,
            repertoire_mcp::ServerOptions::default().modes(modes),
        );
        let mut client = Client::of(&server).await;
        let listed = client.peer.list_all_resources().await.unwrap();
        let skills = client.peer.list_all_skills().await.unwrap();
        assert_eq!((listed.len(), skills.len()), (1, 1));
        assert!(
            !format!("{listed:?} {skills:?}").contains(&format!("{hidden}:tidy")),
            "{listed:?} {skills:?}"
        );
        changing
            .replace(
                &"tidy".parse().unwrap(),
                Registered::new(skill("tidy", "Other."), "Another.\n"),
            )
            .unwrap();
        server.registry().refresh().await.unwrap();
        client.is_not_notified().await;
        // What is seen comes after what is not.
        home.register(Registered::new(skill("greet", "Greets."), "Hello.\n"))
            .unwrap();
        let mut notifications = vec![
            client.next().await,
            client.next().await,
            client.next().await,
        ];
        notifications.extend(client.so_far().await);
        assert_eq!(
            notifications,
            [Notified::Tools, Notified::Prompts, Notified::Resources],
            "{hidden} is hidden"
        );
    }
}

#[tokio::test]
async fn subscriptions_are_limited() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let client = Client::of(&server).await;
    let follow = async |uri: String| {
        #[expect(
            deprecated,
            reason = "what clients of the protocols before 2026-07-28 send"
        )]
        client
            .peer
            .subscribe(SubscribeRequestParams::new(uri))
            .await
    };
    let long = format!("skill://home/tidy/{}", "x".repeat(4096));
    for uri in [
        "file:///etc/passwd",
        "skill://home/tidy",
        "skill://home/tidy/../x",
        "",
        &long,
    ] {
        assert_eq!(code(follow(uri.to_owned()).await).0, -32002, "{uri}");
    }
    for at in 0..1000 {
        follow(format!("skill://home/nobody/{at}")).await.unwrap();
    }
    // One that is followed already is no more.
    follow("skill://home/nobody/7".to_owned()).await.unwrap();
    let (number, message) = code(follow("skill://home/nobody/1000".to_owned()).await);
    assert_eq!(
        (number, message.as_str()),
        (-32600, "no more than 1000 resources can be followed")
    );
}

#[tokio::test]
async fn an_edit_in_a_folder_reaches_clients() {
    let folder = tempfile::tempdir().unwrap();
    let file =
        |body: &str| format!("---\nname: tidy\ndescription: Sorts.\n---\n{body}\n").into_bytes();
    write(
        folder.path(),
        &[("tidy/SKILL.md", &file("Sort it.")), ("tidy/a.txt", b"a")],
    );
    let server = serve_folder(folder.path()).await;
    let mut client = Client::of(&server).await;
    let uri = "skill://home/tidy/a.txt".to_owned();
    #[expect(
        deprecated,
        reason = "what clients of the protocols before 2026-07-28 send"
    )]
    client
        .peer
        .subscribe(SubscribeRequestParams::new(&uri))
        .await
        .unwrap();
    write(folder.path(), &[("tidy/a.txt", b"another")]);
    while client.next().await != Notified::Updated(uri.clone()) {}
    assert_eq!(read(&client, &uri).await.unwrap(), b"another");
}

#[tokio::test]
async fn m23_reads_match_the_listed_version() {
    // The source is not watched, so that only reading can notice.
    let folder = tempfile::tempdir().unwrap();
    let file =
        |body: &str| format!("---\nname: tidy\ndescription: Sorts.\n---\n{body}\n").into_bytes();
    write(
        folder.path(),
        &[("tidy/SKILL.md", &file("Sort it.")), ("tidy/a.txt", b"a")],
    );
    let source = repertoire::FsSource::new("home", folder.path());
    let server =
        crate::fixture::serve_with(repertoire::Mount::user(source), Default::default()).await;
    let mut client = Client::of(&server).await;
    let before = client.peer.list_skills(None).await.unwrap();
    write(
        folder.path(),
        &[
            ("tidy/a.txt", b"longer"),
            ("tidy/SKILL.md", &file("Sort it well.")),
        ],
    );
    for path in ["a.txt", "SKILL.md"] {
        // The bytes are new, and the list that tells of them is there already.
        let uri = format!("skill://home/tidy/{path}");
        let bytes = read(&client, &uri).await.unwrap();
        let after = client.peer.list_skills(None).await.unwrap();
        assert_ne!(after.skills, before.skills);
        let rmcp::model::SkillResources::Files(files) = &after.skills[0].resources else {
            panic!("files")
        };
        let file = files.iter().find(|file| file.uri == uri).unwrap();
        file.verify(&bytes).unwrap();
    }
    assert_eq!(client.next().await, Notified::Resources);
}

/// The lists of such a client have not changed, so it gets no notification.
#[tokio::test]
async fn a_body_change_notifies_no_other_client() {
    let home = home(&[("tidy", "Sort it.\n")]);
    let server = serve(home.clone()).await;
    let edit = |body: &'static str| {
        home.replace(
            &"tidy".parse().unwrap(),
            Registered::new(skill("tidy", "Does tidy."), body),
        )
        .unwrap();
    };
    let mut client = Client::without_extension("some-client", &server).await;
    let before = client.peer.list_all_resources().await.unwrap();
    edit("Sort it well.\n");
    server.registry().refresh().await.unwrap();
    client.is_not_notified().await;
    assert_eq!(client.peer.list_all_resources().await.unwrap(), before);
    // After it listed by the extension, it gets notifications.
    client.peer.list_all_skills().await.unwrap();
    edit("Sort it very well.\n");
    assert_eq!(client.next().await, Notified::Resources);
    assert_eq!(client.so_far().await, []);
}

/// Clients whose lists are filtered: by what they use, by what they take, and by what they asked to follow.
#[tokio::test]
async fn filtered_clients_are_notified_of_their_lists() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, more: &str, body: &str| {
        format!("---\nname: {name}\ndescription: Sorts.\n{more}---\n{body}\n").into_bytes()
    };
    let odd = |body| file("odd", "metadata:\n  tags: [a]\n", body);
    write(
        folder.path(),
        &[
            ("tidy/SKILL.md", &file("tidy", "", "A.")),
            ("odd/SKILL.md", &odd("A.")),
        ],
    );
    let source = repertoire::FsSource::new("home", folder.path());
    let server =
        crate::fixture::serve_with(repertoire::Mount::user(source), Default::default()).await;
    let mut all = Client::of(&server).await;
    let mut standard = Client::called("mcp", &server).await;
    let mut without_prompts = Client::without_extension("codex", &server).await;
    let mut without_resources = Client::without_extension("zed", &server).await;
    assert_eq!(all.peer.list_all_skills().await.unwrap().len(), 2);
    let listed = standard.peer.list_all_skills().await.unwrap();
    assert_eq!(listed.len(), 1);

    write(folder.path(), &[("odd/SKILL.md", &odd("Longer."))]);
    server.registry().refresh().await.unwrap();
    assert_eq!(all.next().await, Notified::Resources);
    standard.is_not_notified().await;
    assert_eq!(standard.peer.list_all_skills().await.unwrap(), listed);
    write(
        folder.path(),
        &[("tidy/SKILL.md", &file("tidy", "", "Longer."))],
    );
    server.registry().refresh().await.unwrap();
    assert_eq!(
        (all.next().await, standard.next().await),
        (Notified::Resources, Notified::Resources)
    );
    without_prompts.is_not_notified().await;
    without_resources.is_not_notified().await;

    write(
        folder.path(),
        &[("greet/SKILL.md", &file("greet", "", "Hello."))],
    );
    server.registry().refresh().await.unwrap();
    for (client, expected) in [
        (
            &mut all,
            &[Notified::Tools, Notified::Prompts, Notified::Resources][..],
        ),
        (
            &mut standard,
            &[Notified::Tools, Notified::Prompts, Notified::Resources],
        ),
        (
            &mut without_prompts,
            &[Notified::Tools, Notified::Resources],
        ),
        (
            &mut without_resources,
            &[Notified::Tools, Notified::Prompts],
        ),
    ] {
        let mut notifications = Vec::new();
        while notifications.len() < expected.len() {
            notifications.push(client.next().await);
        }
        notifications.extend(client.so_far().await);
        assert_eq!(notifications, expected);
    }
}
