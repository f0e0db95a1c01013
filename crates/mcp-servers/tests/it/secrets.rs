//! Secrets by reference, in no output.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;

use repertoire_mcp_servers::{
    ServerState, ServerValue, SupervisedServer, Supervisor, SupervisorOptions, ToolProvider,
};
use serde_json::Map;
use tokio::runtime::Handle;

use crate::programs::{names, program, until};

const CANARY: &str = "canary-of-a-variable";
const FILED: &str = "canary-of-a-file";

fn options(folder: &std::path::Path) -> SupervisorOptions {
    let mut options = SupervisorOptions::new(folder);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let variables: [(&str, OsString); 3] = [
        ("PATH", path),
        ("VAULT", CANARY.into()),
        ("OTHER", "not-for-servers".into()),
    ];
    options.variables = variables.map(|(name, value)| (name.into(), value)).into();
    options
}

fn with_secrets(mut server: SupervisedServer) -> SupervisedServer {
    let bearer = ServerValue::Text("Bearer ${env:VAULT}".to_owned());
    server.env.insert("TOKEN".into(), bearer);
    server
        .env
        .insert("KEY".into(), ServerValue::File("key.txt".into()));
    server.env.insert("PLAIN".into(), "plain".into());
    server
}

/// Everything that a supervisor shows.
async fn outputs(supervisor: &Supervisor, tool: &str) -> String {
    let answer = supervisor.call("one", tool, Map::new()).await;
    let (tools, status) = (supervisor.tools(), supervisor.status());
    let json = serde_json::to_string(&(&tools.to_vec(), &status)).unwrap();
    format!("{answer:?}\n{supervisor:?}\n{tools:?}\n{status:?}\n{json}")
}

/// A server that shows its environment in its tools, answers and errors.
const LEAK: &str = r#"
ask() { read -r line; id=${line#*\"id\":}; id=${id%%[,\}]*}; }
ask; printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"$KEY\",\"version\":\"1\"}}}"
ask
ask; printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"tools\":[{\"name\":\"show\",\"description\":\"$TOKEN\",\"inputSchema\":{\"$KEY\":\"$PLAIN\"}}]}}"
while :; do
  ask
  case $line in
    *one*) printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32000,\"message\":\"bad $TOKEN\"}}" ;;
    *two*) printf '%s\n' "$TOKEN $KEY $(env | tr '\n' ' ')" >&2; exit 1 ;;
    *) printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$TOKEN $KEY $PLAIN ${OTHER-unset}\"}]}}" ;;
  esac
done
"#;

#[tokio::test]
async fn no_output_contains_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("key.txt"), format!("{FILED}\n")).unwrap();
    let supervisor = Supervisor::new(options(folder.path()), Handle::current());
    supervisor
        .apply(vec![with_secrets(program("one", LEAK))])
        .await;
    let arguments = |text: &str| crate::programs::object(serde_json::json!({ "case": text }));
    let answer = supervisor.call("one", "show", Map::new()).await.unwrap();
    assert_eq!(
        answer["content"][0]["text"],
        "Bearer [redacted] [redacted] plain unset"
    );
    let mut shown = outputs(&supervisor, "show").await;
    for case in ["one", "two"] {
        let error = supervisor
            .call("one", "show", arguments(case))
            .await
            .unwrap_err();
        shown.push_str(&format!("{error} {error:?}\n"));
        shown.push_str(&outputs(&supervisor, "show").await);
    }
    assert!(shown.contains("bad Bearer [redacted]"), "{shown}");
    assert!(
        shown.contains("the last line of its standard error"),
        "{shown}"
    );
    assert!(!shown.contains(CANARY) && !shown.contains(FILED), "{shown}");
}

#[tokio::test]
async fn a_file_that_others_read_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key.txt");
    std::fs::write(&file, FILED).unwrap();
    for (mode, count) in [(0o644, 1), (0o600, 0)] {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let supervisor = Supervisor::new(options(folder.path()), Handle::current());
        supervisor
            .apply(vec![with_secrets(program("one", LEAK))])
            .await;
        names(&supervisor);
        let status = until(&supervisor, |status| status.state == ServerState::Running).await;
        assert_eq!(status.warnings.len(), count, "{status:?}");
    }
}

#[tokio::test]
async fn a_reference_without_a_value_fails_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for (value, expected) in [
        (
            ServerValue::Text("${env:MISSING}".to_owned()),
            "`env.TOKEN` refers to the variable `MISSING`, which is not set",
        ),
        (
            ServerValue::Text("${env:MISSING".to_owned()),
            "`env.TOKEN`: `${env:` without `}`",
        ),
        (
            ServerValue::File("none.txt".into()),
            "`env.TOKEN`: `none.txt` cannot be read: No such file or directory (os error 2)",
        ),
    ] {
        let mut server = program("one", LEAK);
        server.env.insert("TOKEN".into(), value);
        let supervisor = Supervisor::new(options(folder.path()), Handle::current());
        supervisor.apply(vec![server]).await;
        names(&supervisor);
        let status = until(&supervisor, |status| status.state == ServerState::Failed).await;
        assert_eq!(status.last_error.as_deref(), Some(expected));
    }
}

#[tokio::test]
async fn a_secret_is_not_sent_in_clear() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = SupervisedServer::at_url("one", "http://10.0.0.1/mcp");
    let bearer = ServerValue::Text("Bearer ${env:VAULT}".to_owned());
    server.headers.insert("Authorization".into(), bearer);
    let supervisor = Supervisor::new(options(folder.path()), Handle::current());
    supervisor.apply(vec![server]).await;
    names(&supervisor);
    let status = until(&supervisor, |status| status.state == ServerState::Failed).await;
    let error = status.last_error.unwrap();
    assert!(
        error.contains("a secret is sent over `https://` only"),
        "{error}"
    );
}
