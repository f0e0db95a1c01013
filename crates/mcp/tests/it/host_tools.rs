//! Tools of the host.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use repertoire::Mount;
use repertoire::skill::ToolSpec;
use repertoire_mcp::{Caller, HostTools, Server, ServerOptions};
use serde_json::{Map, Value, json};

use crate::client::{Client, Notified};
use crate::fixture::{home, serve_with};
use crate::tools::call;

/// A host whose tool `whoami` returns the caller. Its tool `list_skills` has the name of a tool about skills.
struct FakeHost;

#[async_trait]
impl HostTools for FakeHost {
    fn tools(&self, caller: &Caller) -> Vec<ToolSpec> {
        let named = |name: &str| ToolSpec::new(name, "A tool.", json!({"type": "object"}));
        let names: &[_] = match caller {
            Caller::Anonymous => &["list_skills"],
            _ => &["list_skills", "whoami"],
        };
        names
            .iter()
            .map(|name| named(name).expect("the name is a tool's"))
            .collect()
    }

    fn has_tool(&self, caller: &Caller, tool: &str) -> bool {
        self.tools(caller).iter().any(|spec| *spec.name == *tool)
    }

    fn is_read_only(&self, tool: &str) -> bool {
        tool == "whoami"
    }

    async fn call(
        &self,
        caller: &Caller,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, Value> {
        match arguments.is_empty() {
            true => Ok(json!({ "tool": tool, "caller": format!("{caller:?}") })),
            false => Err(json!({ "error": "no argument is expected" })),
        }
    }

    fn messages(&self, caller: &Caller) -> BoxStream<'static, Value> {
        stream::iter([json!(format!("for {caller:?}"))]).boxed()
    }
}

async fn server() -> Server {
    let options = ServerOptions::default().host_tools(Arc::new(FakeHost));
    serve_with(Mount::user(home(&[("tidy", "Sort it.\n")])), options).await
}

async fn names(client: &Client) -> Vec<String> {
    let tools = client
        .peer
        .list_all_tools()
        .await
        .expect("the server lists its tools");
    let names = tools.iter().map(|tool| tool.name.to_string());
    names.skip(4).collect()
}

#[tokio::test]
async fn tools_of_the_host_are_called() {
    let server = server().await;
    let mut client = Client::of(&server).await;
    assert_eq!(names(&client).await, ["whoami"]);
    assert_eq!(
        client.next().await,
        Notified::Logged("\"for Operator\"".to_owned())
    );
    let answer = call(&client, "whoami", json!({})).await;
    assert_eq!(
        (answer.text.as_str(), answer.is_error),
        (r#"{"tool":"whoami","caller":"Operator"}"#, false)
    );
    let refused = call(&client, "whoami", json!({ "a": 1 })).await;
    assert_eq!(
        (refused.text.as_str(), refused.is_error),
        (r#"{"error":"no argument is expected"}"#, true)
    );
    let skills = call(&client, "list_skills", json!({})).await;
    assert!(skills.text.contains("tidy"), "{}", skills.text);
}
