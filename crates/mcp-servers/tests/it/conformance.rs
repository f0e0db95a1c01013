//! A server of the official SDK, over standard streams and over HTTP.

use std::sync::Arc;

use repertoire_mcp_servers::{ServerState, SupervisedServer, Supervisor, ToolProvider};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};

use crate::programs::{names, object, supervising, until, until_state};

/// The variable that makes this program a server. Its messages go over the descriptor 3, as the test harness prints too.
const SERVE: &str = "SERVE_TOOLS";

/// A server with three tools, one on each page, until `grow` adds a fourth.
#[derive(Debug, Clone, Default)]
struct Tools(Arc<std::sync::atomic::AtomicBool>);

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed();
        ServerConfig::new(capabilities.build())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let has_grown = self.0.load(std::sync::atomic::Ordering::SeqCst);
        let all: &[&'static str] = match has_grown {
            false => &["grow", "echo", "fail"],
            true => &["grow", "echo", "fail", "grown"],
        };
        let cursor = request.and_then(|request| request.cursor);
        let at: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
        let schema =
            object(json!({ "type": "object", "properties": { "text": { "type": "string" } } }));
        let tool = Tool::new(all[at], format!("Does {}.", all[at]), Arc::new(schema));
        let page = ListToolsResult {
            tools: vec![tool.with_annotations(ToolAnnotations::new().read_only(true))],
            next_cursor: (at + 1 < all.len()).then(|| (at + 1).to_string()),
            ..ListToolsResult::default()
        };
        Ok(page)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let result = match &*request.name {
            "grow" => {
                self.0.store(true, std::sync::atomic::Ordering::SeqCst);
                let _ = context.peer.notify_tool_list_changed().await;
                CallToolResult::success(vec![ContentBlock::text("done")])
            }
            "fail" => CallToolResult::error(vec![ContentBlock::text("no")]),
            "echo" => CallToolResult::structured(arguments),
            _ => return Err(ErrorData::invalid_params("no such tool", None)),
        };
        Ok(result.into())
    }
}

/// Not a promise: the server program of the other tests.
#[tokio::test]
async fn serve_over_standard_streams() {
    if std::env::var_os(SERVE).is_none() {
        return;
    }
    let output = std::fs::File::options()
        .write(true)
        .open("/dev/fd/3")
        .unwrap();
    let streams = (tokio::io::stdin(), tokio::fs::File::from_std(output));
    let service = Tools::default().serve(streams).await.unwrap();
    let _ = service.waiting().await;
}

fn over_standard_streams() -> SupervisedServer {
    let this = std::env::current_exe().unwrap();
    let script = r#"exec 3>&1; exec "$0" --exact conformance::serve_over_standard_streams --nocapture >/dev/null"#;
    let args = [
        "-c".to_owned(),
        script.to_owned(),
        this.to_str().unwrap().to_owned(),
    ];
    let mut server = SupervisedServer::program("sdk", "/bin/sh", args);
    server.env.insert(SERVE.to_owned(), "1".into());
    server
}

/// A server over HTTP in a runtime of its own, so that it ends with all connections.
struct HttpServer(Option<tokio::runtime::Runtime>);

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.0.take().unwrap().shutdown_background();
    }
}

fn over_http() -> (SupervisedServer, HttpServer) {
    let tools = Tools::default();
    let service = StreamableHttpService::new(
        move || Ok(tools.clone()),
        Arc::<LocalSessionManager>::default(),
        StreamableHttpServerConfig::default(),
    );
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let router = axum::Router::new().nest_service("/mcp", service);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.spawn(async move {
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        axum::serve(listener, router).await.unwrap();
    });
    (
        SupervisedServer::at_url("sdk", url),
        HttpServer(Some(runtime)),
    )
}

async fn conforms(supervisor: Supervisor) {
    names(&supervisor);
    let status = until_state(&supervisor, ServerState::Running).await;
    assert_eq!((status.tools, status.last_error), (Some(3), None));
    let tools = supervisor.tools();
    let listed: Vec<_> = tools
        .iter()
        .map(|tool| (&*tool.name, &*tool.description))
        .collect();
    assert_eq!(
        listed,
        [
            ("echo", "Does echo."),
            ("fail", "Does fail."),
            ("grow", "Does grow.")
        ]
    );
    assert_eq!(tools[0].annotations, Some(json!({ "readOnlyHint": true })));
    assert_eq!(tools[0].input_schema["type"], "object");
    let arguments = object(json!({ "text": "hello" }));
    let answer = supervisor.call("sdk", "echo", arguments).await.unwrap();
    assert_eq!(answer["structuredContent"], json!({ "text": "hello" }));
    assert_eq!(answer.get("resultType"), None);
    let answer = supervisor.call("sdk", "fail", Map::new()).await.unwrap();
    assert_eq!(
        answer,
        json!({ "content": [{ "type": "text", "text": "no" }], "isError": true })
    );
    supervisor.call("sdk", "grow", Map::new()).await.unwrap();
    until(&supervisor, |status| status.tools == Some(4)).await;
    assert!(names(&supervisor).contains(&"mcp__sdk__grown".to_owned()));
    let error = supervisor
        .call("sdk", "grown", Map::new())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tool `grown` of the MCP server `sdk` failed: the server says: no such tool"
    );
    supervisor.stop().await;
}

#[tokio::test]
async fn an_sdk_server_works_over_standard_streams() {
    conforms(supervising(vec![over_standard_streams()]).await).await;
}

#[tokio::test]
async fn an_sdk_server_works_over_http() {
    let (server, _serving) = over_http();
    conforms(supervising(vec![server]).await).await;
}

#[tokio::test]
async fn a_lost_url_is_an_error() {
    let (server, serving) = over_http();
    let supervisor = supervising(vec![server]).await;
    supervisor.call("sdk", "fail", Map::new()).await.unwrap();
    drop(serving);
    while supervisor.call("sdk", "fail", Map::new()).await.is_ok() {}
    let status = until(&supervisor, |status| status.last_error.is_some()).await;
    assert_ne!(status.state, ServerState::Running);
}
