//! Whatever an MCP client writes: the server answers in messages and ends when the client does.

#![no_main]

use std::io::Cursor;
use std::sync::LazyLock;
use std::time::Duration;

use repertoire::{MemorySource, Registered, Skill, SkillRegistry};
use repertoire_mcp::{Server, ServerOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
});

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let home = MemorySource::new("home");
    let skill = Skill::new("tidy".parse().expect("an id"), "Sorts a folder.");
    home.register(Registered::new(skill, "Sort $ARGUMENTS.\n"))
        .expect("the first");
    let registry = RUNTIME
        .block_on(SkillRegistry::builder().user(home).load())
        .expect("one source");
    Server::new(registry, ServerOptions::default())
});

const INTRODUCTION: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
    r#""capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
    "\n",
);

// The first byte says whether the client introduces itself.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, lines)) = bytes.split_first() else {
        return;
    };
    let mut sent = if first % 2 == 1 {
        INTRODUCTION.as_bytes().to_vec()
    } else {
        Vec::new()
    };
    sent.extend_from_slice(lines);
    // Made first, because making it blocks.
    let server = LazyLock::force(&SERVER);
    let said = RUNTIME.block_on(async {
        let (mut ours, theirs) = tokio::io::duplex(1 << 24);
        let serving = tokio::spawn(server.serve(Cursor::new(sent), theirs));
        let ended = tokio::time::timeout(Duration::from_secs(20), serving)
            .await
            .expect("it ends");
        let ended = ended.expect("no panic");
        assert!(
            !matches!(ended, Err(repertoire_mcp::ServeError::Ended(_))),
            "{ended:?}"
        );
        ours.shutdown().await.expect("a pipe");
        let mut said = Vec::new();
        ours.read_to_end(&mut said).await.expect("a pipe");
        said
    });
    for line in said
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let message: serde_json::Value = serde_json::from_slice(line).expect("a document");
        assert_eq!(message["jsonrpc"], "2.0");
    }
});
