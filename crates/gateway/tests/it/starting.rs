//! The HTTP server before the start of the gateway.

use tokio::runtime::Handle;

use crate::api::{get, with_server};
use crate::project::{FILE, Project};

#[tokio::test]
async fn a_gateway_is_not_ready_before_its_start() {
    let gateway = Project::new(FILE).gateway();
    with_server(&gateway, async |address| {
        let starting = (503, "starting\n".to_owned());
        for path in ["/readyz", "/mcp", "/api/v1/status"] {
            assert_eq!(get(address, path, None).await, starting, "{path}");
        }
        let alive = (200, "ok\n".to_owned());
        assert_eq!(get(address, "/healthz", None).await, alive);
        gateway.start(&Handle::current()).await.unwrap();
        let ready = (200, "ready\n".to_owned());
        assert_eq!(get(address, "/readyz", None).await, ready);
    })
    .await;
}

#[tokio::test]
async fn a_server_ends_before_a_start() {
    let gateway = Project::new(FILE).gateway();
    with_server(&gateway, async |_| {}).await;
}
