//! Bodies that the search indexes, beside the requests of clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use repertoire::skill::{Body, Id, Listing, Revision, Source, SourceError, async_trait};
use repertoire::{MemorySource, Mount, Skill};
use repertoire_mcp::ServerOptions;
use rmcp::model::PaginatedRequestParams;

use crate::client::Client;
use crate::fixture::{home, serve_with};

/// Counts how often a body is read.
#[derive(Debug)]
struct CountedReads {
    home: Arc<MemorySource<Skill>>,
    read: AtomicUsize,
}

#[async_trait]
impl Source<Skill> for CountedReads {
    fn name(&self) -> &str {
        "home"
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        self.home.list().await
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        self.read.fetch_add(1, Ordering::Relaxed);
        self.home.body(id).await
    }

    async fn changed(&self, since: Revision) {
        self.home.changed(since).await;
    }
}

#[tokio::test(start_paused = true)]
async fn bodies_are_indexed_after_first_lists() {
    let source = Arc::new(CountedReads {
        home: home(&[("a", "A."), ("b", "B."), ("c", "C."), ("d", "D.")]),
        read: AtomicUsize::new(0),
    });
    let options = ServerOptions::default().page(1);
    let server = serve_with(Mount::user(source.clone()), options).await;
    let client = Client::of(&server).await;
    let (mut cursor, mut counts) = (None, Vec::new());
    for _ in 0..4 {
        let request = PaginatedRequestParams::default().with_cursor(cursor);
        let page = client
            .peer
            .list_skills(Some(request))
            .await
            .expect("a page");
        cursor = page.next_cursor;
        counts.push(source.read.load(Ordering::Relaxed));
        // The client is slow, and lists on.
        tokio::time::sleep(Duration::from_millis(90)).await;
    }
    assert_eq!(counts, [1, 2, 3, 4]);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(source.read.load(Ordering::Relaxed), 8);
}
