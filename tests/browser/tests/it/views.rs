//! Each view in each appearance.

use std::fs;
use std::path::PathBuf;

use crate::accessibility::faults;
use crate::browser::{Appearance, Browser};
use crate::running_gateway::RunningGateway;

/// The views: a name for its pictures, the path, and what it shows.
const VIEWS: [(&str, &str, &[&str]); 14] = [
    (
        "overview",
        "/",
        &["The gateway is running", "3 MCP servers"],
    ),
    (
        "skills",
        "/skills",
        &["deploy", "hides 1", "not ready", "1 diagnostic"],
    ),
    (
        "skill",
        "/skills/deploy",
        &["Why this file", "Release on Mondays."],
    ),
    (
        "agent-views",
        "/agent-views",
        &["Claude Code", "Codex", "onboarding", "not read"],
    ),
    (
        "agent-view",
        "/agent-views/onboarding",
        &["loaded", "the folder is read only by", "Fix: "],
    ),
    (
        "costs",
        "/costs",
        &["tokens of at most 500", "release-notes"],
    ),
    ("workflows", "/workflows", &["publish.workflow.yaml"]),
    (
        "workflow",
        "/workflows/workflows/release/publish.workflow.yaml",
        &["Tag the version"],
    ),
    ("agents", "/agents", &["T-17", "BUSY", "in ", "reviewer"]),
    (
        "servers",
        "/mcp-servers",
        &["running", "calendar", "mcp-server-calendar"],
    ),
    (
        "server",
        "/mcp-servers/time",
        &[
            "get_current_time",
            "Returns the time in a zone.",
            "release-notes",
        ],
    ),
    (
        "sessions",
        "/sessions",
        &[
            "notebook 1.0",
            "the model read it",
            "mcp__time__get_current_time",
        ],
    ),
    ("events", "/events", &["agent", "registry"]),
    ("search", "/search?q=release", &["release-notes", "publish"]),
];

/// The pictures of the documentation, each of a view in an appearance.
const DOCUMENTED: [(&str, Appearance); 5] = [
    ("overview", Appearance::Light),
    ("overview", Appearance::Dark),
    ("overview", Appearance::Narrow),
    ("skill", Appearance::Light),
    ("agent-views", Appearance::Light),
];

#[tokio::test]
async fn each_view_is_accessible_in_each_look() {
    let gateway = RunningGateway::start();
    let browser = Browser::start().await;
    browser.open(&gateway.at("/events")).await;
    browser.wait_for("Events").await;
    gateway.read_skill("release-notes");
    gateway.spawn_agent();
    gateway.example.write(
        "skills/review/SKILL.md",
        "---\nname: review\ndescription: Reviews a change. Use it before each merge.\n---\nRead it.\n",
    );
    browser.open(&gateway.at("/agents")).await;
    browser.wait_for("BUSY").await;
    browser.open(&gateway.at("/")).await;
    browser.wait_for("`calendar` does not run").await;
    browser.wait_for("`standup` is not ready").await;
    let mut wrong = Vec::new();
    for appearance in Appearance::ALL {
        browser.appearance(appearance).await;
        for (name, path, texts) in VIEWS {
            browser.open(&gateway.at(path)).await;
            for text in texts {
                browser.wait_for(text).await;
            }
            let found = faults(&browser).await;
            wrong.extend(
                found
                    .into_iter()
                    .map(|fault| format!("{name} {appearance:?}: {fault}")),
            );
            let script = "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]";
            let widths = browser.run(script).await;
            if widths[0].as_u64() > widths[1].as_u64() {
                wrong.push(format!(
                    "{name} {appearance:?}: it scrolls sideways: {widths}"
                ));
            }
            save(&browser, name, appearance).await;
        }
    }
    browser.close().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Writes a picture into the folder of the run, and into that of the documentation if its pictures are wanted.
async fn save(browser: &Browser, name: &str, appearance: Appearance) {
    let file = format!("{name}-{}.png", appearance.name());
    let documented = DOCUMENTED.contains(&(name, appearance));
    let documented = std::env::var_os("DOCUMENTED_PICTURES").filter(|_| documented);
    let folders = [std::env::var_os("PICTURES"), documented];
    for folder in folders.into_iter().flatten() {
        let picture = browser.picture(appearance).await;
        fs::write(PathBuf::from(folder).join(&file), picture).unwrap();
    }
}
