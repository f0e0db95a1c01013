//! Views that follow changes.

use crate::browser::Browser;
use crate::running_gateway::RunningGateway;

#[tokio::test]
async fn a_view_follows_an_edit() {
    let gateway = RunningGateway::start();
    let browser = Browser::start().await;
    browser.open(&gateway.at("/skills")).await;
    browser.wait_for("Reviews a change.").await;
    browser
        .run("[...document.querySelectorAll('main a')].find(link => link.textContent == 'review').focus()")
        .await;
    gateway.example.write(
        "skills/review/SKILL.md",
        "---\nname: review\ndescription: Reads what others wrote.\n---\nRead it.\n",
    );
    browser.wait_for("Reads what others wrote.").await;
    let focused = browser
        .run("return document.activeElement.textContent")
        .await;
    assert_eq!(focused, "review", "the focus stays");
    browser.close().await;
}

#[tokio::test]
async fn a_solved_problem_leaves_the_overview() {
    let gateway = RunningGateway::start();
    let browser = Browser::start().await;
    browser.open(&gateway.at("/")).await;
    browser.wait_for("skills/changelog/SKILL.md").await;
    gateway.example.write(
        "skills/changelog/SKILL.md",
        "---\nname: changelog\ndescription: Sorts entries.\n---\nSort them.\n",
    );
    browser.wait_without("changelog").await;
    browser.close().await;
}
