//! The page for people.

use repertoire_gateway::{NamedToken, TokenScope};
use repertoire_mcp::HttpOptions;

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
            "/workflows",
            "/agents",
            "/mcp-servers",
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

#[tokio::test]
async fn what_is_wrong_is_explained_two_clicks_away() {
    let project = project();
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |client| {
        let overview = loop {
            let overview = client.get("/").await.body;
            // The supervisor tries to start it in the background.
            if overview.contains("The MCP server `dead` does not run") {
                break overview;
            }
            tokio::task::yield_now().await;
        };
        assert!(overview.contains("mine/broken/SKILL.md"), "{overview}");
        assert!(overview.contains("<a href=\"/mcp-servers\">"), "{overview}");
        let servers = client.get("/mcp-servers").await.body;
        assert!(servers.contains("/none/dead"), "{servers}");
        let skills = client.get("/skills").await.body;
        assert!(
            skills.contains("<a href=\"/skills/review\">review</a>") && skills.contains("hides 1"),
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
