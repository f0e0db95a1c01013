//! The HTTP server before the start of the gateway.

use tokio::runtime::Handle;

use crate::http_client::with_server;
use crate::project::{FILE, Project};

#[tokio::test]
async fn a_gateway_is_not_ready_before_its_start() {
    let gateway = Project::new(FILE).gateway();
    with_server(&gateway, async |client| {
        let client = client.without_token();
        let get = async |path: &str| {
            let answer = client.get(path).await;
            (answer.status, answer.body)
        };
        let starting = (503, "starting\n".to_owned());
        for path in ["/readyz", "/mcp", "/api/v1/status"] {
            assert_eq!(get(path).await, starting, "{path}");
        }
        let alive = (200, "ok\n".to_owned());
        assert_eq!(get("/healthz").await, alive);
        gateway.start(&Handle::current()).await.unwrap();
        let ready = (200, "ready\n".to_owned());
        assert_eq!(get("/readyz").await, ready);
    })
    .await;
}

#[tokio::test]
async fn a_server_ends_before_a_start() {
    let gateway = Project::new(FILE).gateway();
    with_server(&gateway, async |_| {}).await;
}
