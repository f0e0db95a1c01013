//! The faults of the example, as a stranger finds them.

use crate::browser::{Browser, ENTER, TAB};
use crate::running_gateway::RunningGateway;

/// A fault: the link of the overview, what its page explains, and a link on it with a further explanation.
struct Fault {
    link: &'static str,
    explanation: &'static [&'static str],
}

const FAULTS: [Fault; 4] = [
    Fault {
        link: "description",
        explanation: &[
            "skills/changelog/SKILL.md",
            "missing-description",
            "Meaning",
        ],
    },
    Fault {
        link: "MCP server `calendar` does not run",
        explanation: &[
            "Last error",
            "/usr/local/bin/mcp-server-calendar",
            "No such file",
            "standup",
        ],
    },
    Fault {
        link: "`deploy`",
        explanation: &[
            "`team` is composed after `mine`",
            "team/deploy/SKILL.md",
            "hidden",
        ],
    },
    Fault {
        link: "`standup` is not ready",
        explanation: &["Not ready", "mcp__calendar__list_events"],
    },
];

#[tokio::test]
async fn each_fault_is_explained_in_two_clicks() {
    let gateway = RunningGateway::start();
    let browser = Browser::start().await;
    for Fault { link, explanation } in FAULTS {
        browser.open(&gateway.at("/")).await;
        browser.wait_for(link).await;
        browser.click(link).await;
        for text in explanation {
            browser.wait_for(text).await;
        }
    }
    browser.close().await;
}

#[tokio::test]
async fn the_keyboard_leads_to_a_fault() {
    let gateway = RunningGateway::start();
    let browser = Browser::start().await;
    browser.open(&gateway.at("/")).await;
    browser.wait_for("`calendar` does not run").await;
    let focused = "return document.activeElement.textContent";
    browser.press(TAB).await;
    assert_eq!(browser.run(focused).await, "Skip to the content");
    browser.press(ENTER).await;
    for _ in 0..50 {
        browser.press(TAB).await;
        let text = browser.run(focused).await;
        if text.as_str().unwrap().contains("`calendar` does not run") {
            browser.press(ENTER).await;
            browser.wait_for("Last error").await;
            return browser.close().await;
        }
    }
    panic!("the link cannot be reached");
}
