//! The page for people.

use repertoire_gateway::{Gateway, NamedToken, TokenScope};
use repertoire_mcp::HttpOptions;
use serde_json::json;
use tokio::runtime::Handle;

use crate::http_client::{Client, with_options, with_server};
use crate::project::{FILE, Project};

/// A project with a broken skill, a server that cannot start, and a skill that hides a different one.
fn project() -> Project {
    let source = |name: &str| {
        format!("[[source]]\nkind = \"fs\"\nname = \"{name}\"\nroots = [\"{name}\"]\n")
    };
    let dead = "[[registries.mcp-servers]]\nid = \"dead\"\ncommand = \"/none/dead\"\nstart = \"at-once\"\n";
    let project = Project::new(&format!("{FILE}{dead}{}{}", source("mine"), source("team")));
    let text =
        "---\nname: review\ndescription: Reviews <script>alert(1)</script>.\n---\n<b>Review.</b>\n";
    project.write("mine/review/SKILL.md", text);
    project.write(
        "team/review/SKILL.md",
        "---\nname: review\ndescription: Reviews.\n---\nNo.\n",
    );
    project.write("mine/broken/SKILL.md", "nothing\n");
    project
}

#[tokio::test]
async fn every_view_is_a_page() {
    let project = project();
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |client| {
        for path in [
            "/",
            "/skills",
            "/agent-views",
            "/costs",
            "/workflows",
            "/agents",
            "/mcp-servers",
            "/sessions",
            "/events",
        ] {
            let page = client.get(path).await;
            let policy = page.header("content-security-policy").unwrap_or_default();
            assert!(
                policy.starts_with("default-src 'none'; script-src 'self'"),
                "{path}: {page:?}"
            );
            assert!(
                page.body
                    .contains(&format!("<a href=\"{path}\" aria-current=\"page\">")),
                "{path}"
            );
            assert!(!page.body.contains("<script>alert"), "{path}");
            assert_updates_itself(&page.body);
        }
        let found = client.get("/search?q=review%22%3E").await.body;
        assert!(
            found.contains("/skills/review") && found.contains("value=\"review&#34;&#62;\""),
            "{found}"
        );
        for (path, kind) in [
            ("/page/htmx.js", "text/javascript"),
            ("/page/sse.js", "text/javascript"),
            ("/page/style.css", "text/css"),
        ] {
            let asset = client.get(path).await;
            assert_eq!(
                (asset.status, asset.header("content-type")),
                (200, Some(kind)),
                "{path}"
            );
        }
        assert_eq!(client.get("/skills/none").await.status, 404);
    })
    .await;
}

/// Checks that a view follows all events, also those between its rendering and the begin of the stream, which the first `state` covers.
fn assert_updates_itself(page: &str) {
    let (shown, updating) = page.split_once("</main>").unwrap();
    for event in [
        "state",
        "registry",
        "mcp-server",
        "agent",
        "gateway",
        "reload",
    ] {
        assert!(
            updating.contains(&format!("sse:{event}")),
            "{event}: {page}"
        );
    }
    // A request that waits is lost when its element is replaced.
    assert!(!shown.contains("hx-get"), "{page}");
}

#[tokio::test]
async fn what_is_wrong_is_explained_two_clicks_away() {
    let project = project();
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |client| {
        let overview = loop {
            let overview = client.get("/").await.body;
            // The supervisor tries to start it in the background.
            if overview.contains("the MCP server `dead` does not run") {
                break overview;
            }
            tokio::task::yield_now().await;
        };
        assert!(overview.contains("mine/broken/SKILL.md"), "{overview}");
        assert!(
            overview.contains("href=\"/mcp-servers/dead\">"),
            "{overview}"
        );
        let server = client.get("/mcp-servers/dead").await.body;
        assert!(server.contains("<code>/none/dead</code>"), "{server}");
        let skills = client.get("/skills").await.body;
        assert!(
            skills.contains("href=\"/skills/review\">review</a>") && skills.contains("hides 1"),
            "{skills}"
        );
        let skill = client.get("/skills/review").await.body;
        for text in [
            "`team` is composed after `mine`",
            "&#60;b&#62;Review.",
            "team/review/SKILL.md",
        ] {
            assert!(skill.contains(text), "{text}: {skill}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_broken_file_has_a_page() {
    let project = project();
    let (gateway, registries) = project.start().await;
    with_server(&gateway, async |client| {
        let overview = client.get("/").await.body;
        let (_, link) = overview.split_once("href=\"/problems/").unwrap();
        let key = &link[..16];
        let page = client.get(&format!("/problems/{key}")).await.body;
        for text in [
            "mine/broken/SKILL.md",
            "no-front-matter",
            "<dt>Meaning</dt>",
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
        project.remove("mine/broken/SKILL.md");
        registries.skills.refresh().await.unwrap();
        let page = client.get(&format!("/problems/{key}")).await.body;
        assert!(page.contains("This problem is solved"), "{page}");
    })
    .await;
}

#[tokio::test]
async fn a_skill_has_its_cost() {
    let project = Project::new(FILE);
    project.skill("small", "");
    project.skill("hidden", "disable-model-invocation: true\n");
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |client| {
        let page = client.get("/costs").await.body;
        for text in [
            "tokens</b> of at most 500. Listed skills: 1.",
            ">in full</span>",
            ">hidden</span>",
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
    })
    .await;
}

#[tokio::test]
async fn agents_of_the_machine_have_columns() {
    let project = Project::new(FILE);
    project.write("home/.claude.json", "{}");
    project.write("home/.codex/auth.json", "{}");
    let text = "---\nname: tidy\ndescription: Sorts files.\n---\nSort.\n";
    project.write(".claude/skills/tidy/SKILL.md", text);
    let mut settings = project.settings();
    settings.home = Some(settings.folder.join("home"));
    let gateway = Gateway::open("repertoire.toml", settings).unwrap();
    gateway.start(&Handle::current()).await.unwrap();
    with_server(&gateway, async |client| {
        let page = client.get("/agent-views").await.body;
        for text in [
            "data-label=\"Claude Code\"><span class=\"badge good\">project</span>",
            "<span class=\"badge none\">not read</span>",
            "href=\"/agent-views/tidy\">tidy</a>",
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
        let page = client.get("/agent-views/tidy").await.body;
        for text in ["loaded", "the folder is read only by", "Fix: "] {
            assert!(page.contains(text), "{text}: {page}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_session_shows_what_it_was_given() {
    let project = Project::new(FILE);
    project.skill("tidy", "");
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |client| {
        let read = json!({"name": "read_skill", "arguments": {"id": "tidy"}});
        client.call_mcp(read).await.unwrap();
        let page = client.get("/sessions").await.body;
        for text in [
            "Requests without a session",
            "agent 1",
            "href=\"/skills/tidy\">tidy</a>",
            "the model read it",
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_browser_sends_a_token_as_a_password() {
    let project = Project::new(FILE);
    let (gateway, _registries) = project.start().await;
    let token = NamedToken::new("reader", TokenScope::Read);
    let text = gateway.tokens().issue(token).unwrap();
    with_options(&gateway, HttpOptions::default(), async |client| {
        let browser = "Accept: text/html,*/*\r\n";
        let asked = client.request("GET", "/", browser).await;
        let challenge = "www-authenticate: Basic realm=\"repertoire\", charset=\"UTF-8\"";
        assert_eq!((asked.status, asked.head.contains(challenge)), (401, true));
        let asked = client.request("GET", "/", "").await;
        assert_eq!((asked.status, asked.head.contains("Basic")), (401, false));
        let basic = async |client: &Client, password: &str| {
            let credentials = base64(&format!("any:{password}"));
            let header = format!("{browser}Authorization: Basic {credentials}\r\n");
            client.request("GET", "/", &header).await.status
        };
        assert_eq!(
            [basic(&client, &text).await, basic(&client, "wrong").await],
            [200, 401]
        );
    })
    .await;
}

/// Returns `text` in base64.
fn base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = text.as_bytes().chunks(3).map(|bytes| {
        let padded = [bytes, &[0; 2]].concat();
        let bits = u32::from_be_bytes([0, padded[0], padded[1], padded[2]]);
        let digits = (0..4).map(|at| {
            let digit = bits >> (18 - 6 * at) & 63;
            if at <= bytes.len() {
                char::from(DIGITS[digit as usize])
            } else {
                '='
            }
        });
        digits.collect::<String>()
    });
    groups.collect()
}
