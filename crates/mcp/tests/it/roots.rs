//! The project folders of clients.

#![expect(
    deprecated,
    reason = "clients of the protocols before 2026-07-28 have roots"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use repertoire_mcp::{HttpOptions, Server};
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ListRootsResult, Root, RootsCapabilities,
};
use rmcp::service::{RequestContext, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ErrorData, ServiceExt};

use crate::client::PATIENCE;
use crate::fixture::{home, serve};
use crate::http::listen;

/// A client with these roots.
#[derive(Debug, Clone, Default)]
struct Rooted(Arc<Mutex<Vec<&'static str>>>);

impl ClientHandler for Rooted {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        ClientConfig::new(capabilities, Implementation::new("some-client", "1"))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(
            self.0.lock().iter().map(|uri| Root::new(*uri)).collect(),
        ))
    }
}

async fn connect(
    server: &Server,
    roots: &[&'static str],
) -> (RunningService<RoleClient, Rooted>, Rooted) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (server, (read, write)) = (server.clone(), tokio::io::split(theirs));
    tokio::spawn(async move { server.serve(read, write).await });
    let rooted = Rooted(Arc::new(Mutex::new(roots.to_vec())));
    (
        rooted
            .clone()
            .serve(ours)
            .await
            .expect("the server answers"),
        rooted,
    )
}

async fn changed(server: &Server, known: &[PathBuf]) -> Vec<PathBuf> {
    tokio::time::timeout(PATIENCE, server.roots_changed(known))
        .await
        .expect("roots in time")
}

#[tokio::test]
async fn roots_are_those_of_connected_clients() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let [shared, own, other] = ["/srv/shared", "/srv/own", "/srv/other"].map(PathBuf::from);
    let (first, rooted) = connect(&server, &["file:///srv/shared", "https://example.org"]).await;
    let mut known = changed(&server, &[]).await;
    assert_eq!(known, std::slice::from_ref(&shared));

    let (second, _) = connect(&server, &["file:///srv/own/", "file:///srv/shared"]).await;
    known = changed(&server, &known).await;
    assert_eq!(known, [own.clone(), shared.clone()]);

    *rooted.0.lock() = vec!["file:///srv/other"];
    first.notify_roots_list_changed().await.expect("sent");
    known = changed(&server, &known).await;
    assert_eq!(known, [other.clone(), own, shared]);

    second.cancel().await.expect("it ends");
    assert_eq!(changed(&server, &known).await, [other]);
}

#[tokio::test]
async fn clients_over_http_have_no_roots() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let listening = listen(&server, HttpOptions::default()).await;
    let rooted = Rooted(Arc::new(Mutex::new(vec!["file:///srv/far"])));
    let far = rooted
        .serve(StreamableHttpClientTransport::from_uri(format!(
            "http://{}/mcp",
            listening.address
        )))
        .await
        .expect("the server answers");
    far.list_all_tools().await.expect("tools");
    let (_near, _) = connect(&server, &["file:///srv/near"]).await;
    assert_eq!(changed(&server, &[]).await, [Path::new("/srv/near")]);
}
