//! The skills extension. The tests that hold rules M-1 to M-16 of the reference say so by their names.

use repertoire::{MemorySource, Mount, Registered, SkillRegistry, Trust};
use repertoire_mcp::{Server, ServerOptions};
use rmcp::model::{
    DIRECTORY_MIME_TYPE, GetSkillRequestParams, PaginatedRequestParams,
    ReadResourceDirectoryRequestParams, Resource, Skill, SkillResources, sha256_digest,
};
use serde_json::json;

use crate::client::{Client, code};
use crate::fixture::{home, serve, serve_folder, serve_with, skill, write};
use crate::resources::read;

const TIDY: &[u8] = b"---\nname: tidy\ndescription: 'Sorts: all'\nversion: 1.10\nlicense: MIT\nmetadata:\n  team: [a, b]\nallowed-tools: Read\n---\n\nSort by $ARGUMENTS.\n";

async fn listed(client: &Client) -> Vec<Skill> {
    client.peer.list_all_skills().await.expect("every page")
}

fn files(skill: &Skill) -> Vec<(&str, u64, &str)> {
    let SkillResources::Files(files) = &skill.resources else {
        panic!("nothing here is dynamic: {skill:?}")
    };
    files
        .iter()
        .map(|file| (file.uri.as_str(), file.size, file.digest.as_str()))
        .collect()
}

async fn get(client: &Client, uri: &str) -> Result<Skill, rmcp::service::ServiceError> {
    Ok(client
        .peer
        .get_skill(GetSkillRequestParams::new(uri))
        .await?
        .skill)
}

async fn directory(
    client: &Client,
    uri: &str,
) -> Result<Vec<Resource>, rmcp::service::ServiceError> {
    Ok(client
        .peer
        .read_resource_directory(ReadResourceDirectoryRequestParams::new(uri))
        .await?
        .resources)
}

/// `tidy` with files, one of them another skill.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let nested = b"---\nname: inner\ndescription: Is inside.\n---\nInner.\n".as_slice();
    write(
        folder.path(),
        &[
            ("tidy/SKILL.md", TIDY),
            ("tidy/refs/a b.md", b"# A\r\n"),
            ("tidy/refs/deep/x.bin", b"\0\xff"),
            ("tidy/inner/SKILL.md", nested),
            ("tidy/inner/more.txt", b"more"),
        ],
    );
    folder
}

/// One skill that FastMCP's client takes for none costs it no other.
#[tokio::test]
async fn a_strict_client_lists_standard_skills() {
    let folder = folder();
    write(
        folder.path(),
        &[(
            "plain/SKILL.md",
            b"---\nname: plain\ndescription: Is plain.\n---\nDo.\n".as_slice(),
        )],
    );
    let server = serve_folder(folder.path()).await;
    let names = async |client: &'static str| {
        let client = Client::called(client, &server).await;
        listed(&client)
            .await
            .iter()
            .map(|skill| skill.name().to_owned())
            .collect::<Vec<_>>()
    };
    // The metadata of `tidy` holds a list.
    assert_eq!(names("some-client").await, ["plain", "tidy"]);
    assert_eq!(names("mcp").await, ["plain"]);
    let client = Client::called("mcp", &server).await;
    assert_eq!(
        get(&client, "skill://home/tidy/SKILL.md")
            .await
            .expect("it is served")
            .name(),
        "tidy"
    );
}

#[tokio::test]
async fn m1_m2_m13_m14_m15_m29_entries_are_complete() {
    let folder = folder();
    let server = serve_folder(folder.path()).await;
    let client = Client::of(&server).await;
    let skills = listed(&client).await;
    let [tidy] = skills.as_slice() else {
        panic!("one skill: {skills:?}")
    };

    assert_eq!(tidy.uri, "skill://home/tidy/SKILL.md");
    assert_eq!(
        serde_json::to_value(&tidy.frontmatter).unwrap(),
        json!({
            "name": "tidy",
            "description": "Sorts: all",
            // What readers of YAML make of `1.10`, and compare.
            "version": 1.1,
            "license": "MIT",
            "metadata": {"team": ["a", "b"]},
            "allowed-tools": "Read",
        })
    );
    let nested = b"---\nname: inner\ndescription: Is inside.\n---\nInner.\n".as_slice();
    let all: [(&str, &[u8]); 5] = [
        ("skill://home/tidy/SKILL.md", TIDY),
        ("skill://home/tidy/inner/SKILL.md", nested),
        ("skill://home/tidy/inner/more.txt", b"more"),
        ("skill://home/tidy/refs/a%20b.md", b"# A\r\n"),
        ("skill://home/tidy/refs/deep/x.bin", b"\0\xff"),
    ];
    let digests = all.map(|(_, bytes)| sha256_digest(bytes));
    let expected: Vec<_> = all
        .iter()
        .zip(&digests)
        .map(|((uri, bytes), digest)| (*uri, bytes.len() as u64, digest.as_str()))
        .collect();
    assert_eq!(files(tidy), expected);

    // And each is what is read there.
    for (uri, bytes) in all {
        assert_eq!(read(&client, uri).await.unwrap(), bytes, "{uri}");
    }
    assert_eq!(get(&client, &tidy.uri).await.unwrap(), *tidy);
}

#[tokio::test]
async fn m10_pages_add_up_to_the_list() {
    let ids: Vec<String> = (0..25).map(|at| format!("skill-{at:02}")).collect();
    let skills: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "Do it.\n")).collect();
    let server = serve_with(Mount::user(home(&skills)), ServerOptions::default().page(4)).await;
    let client = Client::of(&server).await;
    let first = client.peer.list_skills(None).await.unwrap();
    assert_eq!(first.skills.len(), 4);
    assert!(first.next_cursor.is_some());
    let listed = listed(&client).await;
    let names: Vec<_> = listed.iter().map(|skill| skill.name().to_owned()).collect();
    assert_eq!(names, ids);
}

#[tokio::test]
async fn m10_an_empty_server_has_an_empty_list() {
    let server = serve(home(&[])).await;
    let client = Client::of(&server).await;
    let page = client.peer.list_skills(None).await.unwrap();
    assert_eq!((page.skills.len(), page.next_cursor), (0, None));
}

#[tokio::test]
async fn m11_m32_skills_are_read_by_uri() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let client = Client::of(&server).await;
    assert_eq!(
        get(&client, "skill://home/tidy/SKILL.md")
            .await
            .unwrap()
            .name(),
        "tidy"
    );
    for uri in [
        "skill://home/other/SKILL.md",
        "skill://elsewhere/tidy/SKILL.md",
        "skill://home/tidy/refs/SKILL.md",
        "skill://home/tidy",
        "skill://home/tidy/SKILL.md?x",
        "skill://home/../home/tidy/SKILL.md",
        "file:///etc/SKILL.md",
        "/SKILL.md",
        "",
    ] {
        let (code, message) = code(get(&client, uri).await);
        assert_eq!(code, -32602, "{uri}: {message}");
    }
}

#[tokio::test]
async fn m12_a_directory_lists_its_children() {
    let folder = folder();
    let server = serve_folder(folder.path()).await;
    let client = Client::of(&server).await;
    let row = |uri: &str, name: &str, mime: &str, size: Option<u64>| {
        let resource = Resource::new(uri, name).with_mime_type(mime);
        match size {
            Some(size) => resource.with_size(size),
            None => resource,
        }
    };
    assert_eq!(
        directory(&client, "skill://home/tidy").await.unwrap(),
        [
            row(
                "skill://home/tidy/SKILL.md",
                "SKILL.md",
                "text/markdown",
                Some(TIDY.len() as u64)
            ),
            row(
                "skill://home/tidy/inner",
                "inner",
                DIRECTORY_MIME_TYPE,
                None
            ),
            row("skill://home/tidy/refs", "refs", DIRECTORY_MIME_TYPE, None),
        ]
    );
    assert_eq!(
        directory(&client, "skill://home/tidy/refs").await.unwrap(),
        [
            row(
                "skill://home/tidy/refs/a%20b.md",
                "a b.md",
                "text/markdown",
                Some(5)
            ),
            row(
                "skill://home/tidy/refs/deep",
                "deep",
                DIRECTORY_MIME_TYPE,
                None
            ),
        ]
    );
    assert_eq!(
        directory(&client, "skill://home/tidy/refs/")
            .await
            .unwrap()
            .len(),
        2
    );
    for uri in [
        "skill://home/tidy/SKILL.md",
        "skill://home/tidy/re",
        "skill://home",
        "x",
    ] {
        assert_eq!(code(directory(&client, uri).await).0, -32602, "{uri}");
    }
}

#[tokio::test]
async fn m12_a_directory_comes_in_pages_too() {
    let folder = folder();
    let source = repertoire::FsSource::new("home", folder.path());
    let server = serve_with(Mount::user(source), ServerOptions::default().page(2)).await;
    let client = Client::of(&server).await;
    let request = ReadResourceDirectoryRequestParams::new("skill://home/tidy");
    let first = client
        .peer
        .read_resource_directory(request.clone())
        .await
        .unwrap();
    let mut rest = request;
    rest.cursor = first.next_cursor.clone();
    let second = client.peer.read_resource_directory(rest).await.unwrap();
    let names: Vec<_> = first
        .resources
        .iter()
        .chain(&second.resources)
        .map(|file| file.name.as_str())
        .collect();
    assert_eq!(
        (first.resources.len(), names),
        (2, vec!["SKILL.md", "inner", "refs"])
    );
    assert_eq!(second.next_cursor, None);
}

#[tokio::test]
async fn m16_oversized_skills_are_not_listed() {
    let files = |count: usize| {
        (0..count)
            .map(|at| (format!("f{at}"), b"x".to_vec()))
            .collect::<Vec<_>>()
    };
    let large = |bytes: usize| vec![("large".to_owned(), vec![b'x'; bytes])];
    let own = "---\nname: \"x\"\ndescription: \"Is x.\"\n---\n\nDo.\n".len();
    let limit = 16 * 1024 * 1024;
    for (beside, is_served) in [
        (files(511), true),
        (files(512), false),
        (large(limit - own), true),
        (large(limit - own + 1), false),
    ] {
        let home = home(&[("a", "Do.\n"), ("z", "Do.\n")]);
        let with_files = beside.iter().fold(
            Registered::new(skill("x", "Is x."), "Do.\n"),
            |skill, (path, bytes)| skill.with_resource(path.parse().unwrap(), bytes.clone()),
        );
        home.register(with_files).unwrap();
        let server = serve(home).await;
        let client = Client::of(&server).await;
        let names: Vec<_> = listed(&client)
            .await
            .iter()
            .map(|skill| skill.name().to_owned())
            .collect();
        assert_eq!(
            names,
            if is_served {
                vec!["a", "z", "x"]
            } else {
                vec!["a", "z"]
            }
        );
        let got = get(&client, "skill://home/x/SKILL.md").await;
        if is_served {
            assert_eq!(got.unwrap().name(), "x");
        } else {
            let (code, message) = code(got);
            assert!(
                code == -32602 && message.contains("is the limit"),
                "{code} {message}"
            );
        }
    }
}

#[tokio::test]
async fn odd_names_are_left_out_by_the_extension() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[(
            "guide/SKILL.md",
            b"---\nname: Workspace Guide\ndescription: Guides.\n---\nGo.\n",
        )],
    );
    let server = serve_folder(folder.path()).await;
    let client = Client::of(&server).await;
    assert_eq!(listed(&client).await, []);
    let uri = "skill://home/Workspace%20Guide/SKILL.md";
    let (code, message) = code(get(&client, uri).await);
    assert!(
        code == -32602 && message.contains("invalid skill name"),
        "{code} {message}"
    );
    assert!(read(&client, uri).await.unwrap().ends_with(b"Go.\n"));
    let prompts = client.peer.list_all_prompts().await.unwrap();
    assert_eq!(
        prompts
            .iter()
            .map(|prompt| prompt.name.as_str())
            .collect::<Vec<_>>(),
        ["Workspace-Guide"]
    );
}

#[tokio::test]
async fn m20_m21_equal_names_are_all_listed() {
    let acme = MemorySource::new("acme");
    acme.register(Registered::new(skill("tidy", "Acme's way."), "Acme.\n"))
        .unwrap();
    let plug = MemorySource::new("plug");
    plug.register(Registered::new(skill("tidy", "A plugin's way."), "Plug.\n"))
        .unwrap();
    let registry = SkillRegistry::builder()
        .user(home(&[("tidy", "Home.\n")]))
        .plugin(plug)
        .mount(Mount::plugin(acme).namespaced().trust(Trust::Restricted))
        .load()
        .await
        .unwrap();
    let server = Server::new(registry, ServerOptions::default());
    let client = Client::of(&server).await;

    let skills = listed(&client).await;
    let origins: Vec<_> = skills
        .iter()
        .map(|skill| {
            (
                skill.uri.as_str(),
                serde_json::to_value(&skill.meta).unwrap(),
            )
        })
        .collect();
    let origin = |source: &str, tier: &str, trust: &str| json!({"source": source, "tier": tier, "trust": trust});
    assert_eq!(
        origins,
        [
            (
                "skill://home/tidy/SKILL.md",
                json!({"repertoire/origin": origin("home", "user", "trusted")})
            ),
            (
                "skill://plug/tidy/SKILL.md",
                json!({"repertoire/origin": origin("plug", "plugin", "restricted"), "repertoire/shadowed-by": "home:tidy"})
            ),
            (
                "skill://acme/tidy/SKILL.md",
                json!({"repertoire/origin": origin("acme", "plugin", "restricted")})
            ),
        ]
    );
    let resources = client.peer.list_all_resources().await.unwrap();
    let titles: Vec<_> = resources
        .iter()
        .map(|resource| (resource.name.as_str(), resource.title.as_deref()))
        .collect();
    assert_eq!(
        titles,
        [
            ("tidy", Some("tidy")),
            ("tidy", Some("plug:tidy")),
            ("tidy", Some("acme:tidy"))
        ]
    );
    for (source, body) in [
        ("home", "Home.\n"),
        ("plug", "Plug.\n"),
        ("acme", "Acme.\n"),
    ] {
        let bytes = read(&client, &format!("skill://{source}/tidy/SKILL.md"))
            .await
            .unwrap();
        assert!(bytes.ends_with(body.as_bytes()), "{source}");
    }
}

#[tokio::test]
async fn m25_entries_match_their_files() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let client = Client::of(&server).await;
    let entry = &listed(&client).await[0];
    let bytes = read(&client, &entry.uri).await.unwrap();
    let parsed = repertoire::skill::skill_md::parse(
        &bytes,
        repertoire::skill::skill_md::FileContext::new("SKILL.md"),
    );
    let fields = parsed.skill.expect("a skill").fields;
    let fields: serde_json::Map<_, _> = fields
        .iter()
        .map(|(key, value)| (key.to_string(), value.json()))
        .collect();
    assert_eq!(
        serde_json::to_value(&entry.frontmatter).unwrap(),
        serde_json::Value::Object(fields)
    );
}

#[tokio::test]
async fn a_cursor_of_an_older_list_is_refused() {
    let home = home(&[("a", "Do.\n"), ("b", "Do.\n")]);
    let server = serve_with(Mount::user(home.clone()), ServerOptions::default().page(1)).await;
    let client = Client::of(&server).await;
    let cursor = client.peer.list_skills(None).await.unwrap().next_cursor;
    home.register(Registered::new(skill("c", "Does c."), "Do.\n"))
        .unwrap();
    server.registry().refresh().await.unwrap();
    let request = |cursor| Some(PaginatedRequestParams::default().with_cursor(cursor));
    let (number, message) = code(client.peer.list_skills(request(cursor)).await);
    assert_eq!(
        (number, message.as_str()),
        (
            -32602,
            "the list has changed since this cursor was given: list from the start"
        )
    );
    for cursor in [
        " ",
        "x",
        "1",
        ".",
        "1.-1",
        "99999999999999999999.0",
        "0.1.1",
        "0.18446744073709551616.1",
        "x.1.1",
    ] {
        let request = || request(Some(cursor.to_owned()));
        assert_eq!(
            code(client.peer.list_skills(request()).await).0,
            -32602,
            "{cursor}"
        );
        assert_eq!(
            code(client.peer.list_resources(request()).await).0,
            -32602,
            "{cursor}"
        );
        assert_eq!(
            code(client.peer.list_resource_templates(request()).await).0,
            -32602,
            "{cursor}"
        );
        assert_eq!(
            code(client.peer.list_prompts(request()).await).0,
            -32602,
            "{cursor}"
        );
        assert_eq!(
            code(client.peer.list_tools(request()).await).0,
            -32602,
            "{cursor}"
        );
    }
}

/// Both count alike, as does one that was killed and started again.
#[tokio::test]
async fn a_cursor_of_another_server_is_refused() {
    let begin = async || {
        let home = home(&[("a", "Do.\n"), ("b", "Do.\n")]);
        Client::of(&serve_with(Mount::user(home), ServerOptions::default().page(1)).await).await
    };
    let [one, other] = [begin().await, begin().await];
    let cursor = one.peer.list_skills(None).await.unwrap().next_cursor;
    let request = || Some(PaginatedRequestParams::default().with_cursor(cursor.clone()));
    assert_eq!(code(other.peer.list_skills(request()).await).0, -32602);
    assert_eq!(
        one.peer.list_skills(request()).await.unwrap().skills[0].name(),
        "b"
    );
}
