//! Tools.

use rmcp::model::{CallToolRequestParams, CallToolResponse, ContentBlock};
use serde_json::{Value, json};

use crate::client::{Client, code};
use crate::fixture::{home, serve};

pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

async fn request(
    client: &Client,
    tool: &'static str,
    arguments: Value,
) -> Result<CallToolResponse, rmcp::service::ServiceError> {
    let mut request = CallToolRequestParams::new(tool);
    request.arguments = arguments.as_object().cloned();
    client.peer.call_tool_once(request).await
}

pub(crate) async fn call(client: &Client, tool: &'static str, arguments: Value) -> Answer {
    let CallToolResponse::Complete(result) =
        request(client, tool, arguments).await.expect("an answer")
    else {
        panic!("nothing here asks back")
    };
    let [ContentBlock::Text(text)] = result.content.as_slice() else {
        panic!("one text: {result:?}")
    };
    Answer {
        text: text.text.clone(),
        is_error: result.is_error == Some(true),
    }
}

#[tokio::test]
async fn the_tools_are_served() {
    let server = serve(home(&[
        ("tidy", "Sort $ARGUMENTS.\n"),
        ("greet", "Say hello.\n"),
    ]))
    .await;
    let client = Client::of(&server).await;
    let tools = client.peer.list_all_tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(
        names,
        [
            "list_skills",
            "search_skills",
            "read_skill",
            "read_skill_resource"
        ]
    );
    assert!(tools.iter().all(|tool| {
        tool.annotations
            .as_ref()
            .is_some_and(|looks| looks.read_only_hint == Some(true))
    }));

    let list: Value =
        serde_json::from_str(&call(&client, "list_skills", json!({})).await.text).unwrap();
    assert_eq!(list["total"], 2);
    let read = call(
        &client,
        "read_skill",
        json!({"id": "tidy", "arguments": "all"}),
    )
    .await;
    assert!(
        !read.is_error && read.text.contains("Sort all."),
        "{}",
        read.text
    );
    let unknown = call(&client, "read_skill", json!({"id": "tydi"})).await;
    assert!(
        unknown.is_error && unknown.text.contains("`tidy`"),
        "{}",
        unknown.text
    );
    assert_eq!(
        code(request(&client, "rm", json!({})).await),
        (-32602, "no tool `rm`".into())
    );
}
