//! The client of the official Rust SDK against a server of skills: `rmcp-client stdio BINARY FOLDER` or `rmcp-client http URL FOLDER`.
//!
//! Lists, gets, reads, calls, and waits for the notification of a skill that it writes into the folder; `cargo xtask mcp-clients` runs it.

use std::error::Error;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, GetSkillRequestParams, ReadResourceRequestParams, ResourceContents,
    SkillResources,
};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use tokio::process::Command;
use tokio::sync::Notify;

type Failure = Box<dyn Error + Send + Sync>;

const TIDY: &str = "skill://skills/tidy/SKILL.md";

#[derive(Clone, Default)]
struct Notified(Arc<Notify>);

impl ClientHandler for Notified {
    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.notify_one();
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [transport, target, folder] = arguments.as_slice() else {
        return Err("expected `stdio BINARY FOLDER` or `http URL FOLDER`".into());
    };
    let notified = Notified::default();
    let checks = async {
        if transport == "http" {
            let client = notified
                .clone()
                .serve(StreamableHttpClientTransport::from_uri(target.as_str()))
                .await?;
            return check(&client, &notified, folder.as_ref()).await;
        }
        let mut server = Command::new(target);
        server
            .args(["serve", folder])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut child = server.spawn()?;
        let streams = child
            .stdout
            .take()
            .zip(child.stdin.take())
            .ok_or("the server has no streams")?;
        let client = notified.clone().serve(streams).await?;
        check(&client, &notified, folder.as_ref()).await
    };
    tokio::time::timeout(Duration::from_secs(60), checks).await??;
    println!("ok");
    Ok(())
}

async fn check(
    client: &RunningService<RoleClient, Notified>,
    notified: &Notified,
    folder: &Path,
) -> Result<(), Failure> {
    let listed = client.list_all_skills().await?;
    let tidy = listed
        .iter()
        .find(|skill| skill.uri == TIDY)
        .ok_or("`tidy` is not listed")?;
    listed.iter().try_for_each(|skill| skill.validate())?;
    let got = client.get_skill(GetSkillRequestParams::new(TIDY)).await?;
    if got.skill != *tidy {
        return Err("`skills/get` and `skills/list` differ".into());
    }
    let SkillResources::Files(files) = &tidy.resources else {
        return Err("`tidy` has no list of files".into());
    };
    for file in files {
        let read = client
            .read_resource(ReadResourceRequestParams::new(&file.uri))
            .await?;
        match read.contents.as_slice() {
            [ResourceContents::TextResourceContents { text, .. }] => {
                file.verify(text.as_bytes())?
            }
            other => return Err(format!("expected one text, found {other:?}").into()),
        }
    }
    for (tool, arguments) in [
        ("list_skills", serde_json::json!({})),
        ("read_skill", serde_json::json!({ "id": "tidy" })),
    ] {
        let arguments = arguments
            .as_object()
            .cloned()
            .ok_or("arguments are an object")?;
        let result = client
            .call_tool(CallToolRequestParams::new(tool).with_arguments(arguments))
            .await?;
        if result.is_error == Some(true) {
            return Err(format!("`{tool}` failed: {:?}", result.content).into());
        }
    }
    std::fs::create_dir(folder.join("later-rmcp"))?;
    let text = "---\nname: later-rmcp\ndescription: Comes later.\n---\n\nLater.\n";
    std::fs::write(folder.join("later-rmcp").join("SKILL.md"), text)?;
    notified.0.notified().await;
    let is_listed = client
        .list_all_skills()
        .await?
        .iter()
        .any(|skill| skill.name() == "later-rmcp");
    if is_listed {
        Ok(())
    } else {
        Err("a change was notified, and is not in the list".into())
    }
}
