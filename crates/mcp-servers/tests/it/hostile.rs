//! Servers that hang, flood, lie and leave.

use std::time::Duration;

use repertoire_mcp_servers::ServerState;

use crate::programs::{call, names, program, shell, supervising, until};

/// Answers the handshake, and then does as `then` says.
fn after_handshake(then: &str) -> String {
    format!(
        r#"
        read -r line
        printf '%s\n' '{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"sh","version":"1"}}}}}}'
        read -r line
        read -r line
        {then}"#
    )
}

/// Starts the program, and returns the first error of its status.
async fn first_error(script: &str, start: Duration) -> String {
    let mut server = program("one", script);
    server.start = start;
    let supervisor = supervising(vec![server, shell("two")]).await;
    names(&supervisor);
    let is_failed = |status: &repertoire_mcp_servers::ServerStatus| {
        &*status.id == "one" && status.last_error.is_some()
    };
    let status = until(&supervisor, is_failed).await;
    assert_ne!(status.state, ServerState::Running);
    // The other server is not affected.
    call(&supervisor, "two", "process")
        .await
        .parse::<u32>()
        .unwrap();
    status.last_error.unwrap().to_string()
}

const LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_hanging_handshake_times_out() {
    let error = first_error("read -r line; read -r line", Duration::from_millis(200)).await;
    assert_eq!(error, "no connection within 0.2 s");
}

#[tokio::test]
async fn a_server_that_never_lists_times_out() {
    let script = after_handshake("read -r line");
    let error = first_error(&script, Duration::from_millis(200)).await;
    assert_eq!(error, "the list of tools was not complete within 0.2 s");
}

#[tokio::test]
async fn endless_output_ends_the_connection() {
    let error = first_error("cat /dev/zero", LONG).await;
    assert_eq!(
        error,
        "a message has more than 33554432 bytes; the limit is `limits.message-bytes`"
    );
}

#[tokio::test]
async fn a_huge_list_of_tools_is_refused() {
    let script = after_handshake(
        r#"printf '%s' '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{}}'
        i=0; while [ $i -lt 2000 ]; do printf ',{"name":"a%s","inputSchema":{}}' $i; i=$((i+1)); done
        printf '%s\n' ']}}'; read -r line"#,
    );
    let error = first_error(&script, LONG).await;
    assert_eq!(
        error,
        "the server lists more than 2000 tools, or 8388608 bytes of them"
    );
}

#[tokio::test]
async fn pages_that_never_end_are_refused() {
    let page = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[],"nextCursor":"a"}}\n'"#;
    let script = after_handshake(&format!("{page} 1; read -r line; {page} 2; read -r line"));
    let error = first_error(&script, LONG).await;
    assert_eq!(error, "the list does not end: the cursor `a` is repeated");
}

#[tokio::test]
async fn tools_that_cannot_be_used_are_left_out() {
    let tools = r#"{"name":"a","inputSchema":{}},{"name":"a","inputSchema":{}},{"name":"b c","inputSchema":{}},{"name":"d"},7"#;
    let script = after_handshake(&format!(
        r#"printf '%s\n' '{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tools}]}}}}'; read -r line"#
    ));
    let supervisor = supervising(vec![program("one", &script)]).await;
    names(&supervisor);
    let status = until(&supervisor, |status| status.tools.is_some()).await;
    assert_eq!(names(&supervisor), ["mcp__one__a"]);
    assert_eq!(status.warnings.len(), 1);
    assert!(status.warnings[0].starts_with("4 tools are left out"));
}

#[tokio::test]
async fn a_call_without_an_answer_times_out() {
    let mut server = shell("one");
    server.call = Duration::from_millis(200);
    let supervisor = supervising(vec![server]).await;
    assert_eq!(
        call(&supervisor, "one", "hang").await,
        "the tool `hang` of the MCP server `one` has not answered in time"
    );
    call(&supervisor, "one", "process")
        .await
        .parse::<u32>()
        .unwrap();
}
