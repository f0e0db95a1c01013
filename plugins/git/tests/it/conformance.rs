//! The conformance tests with a repository over `file://`.

use std::sync::Arc;

use repertoire_plugin_sdk::{Id, ResourcePath};
use repertoire_source_plugin::PluginSource;
use repertoire_testkit::{Fixture, Unsupported};
use serde_json::json;

use crate::remote::{FILE, LINK, Remote};

struct Git {
    remote: Remote,
    source: Arc<PluginSource>,
}

impl Git {
    fn new() -> Git {
        let remote = Remote::new();
        let source = Arc::new(remote.plugin(&remote.url(), json!({})));
        Git { remote, source }
    }
}

impl Fixture for Git {
    type Source = PluginSource;

    fn source(&self) -> Arc<PluginSource> {
        self.source.clone()
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        let text = format!("---\nname: {id}\ndescription: {description}\n---\n\n{body}");
        self.remote.put(&format!("{id}/SKILL.md"), FILE, text);
        self.pushed().await
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.remote.remove(id.as_str());
        self.pushed().await
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.remote
            .put(&format!("{id}/SKILL.md"), FILE, "---\nname: never closed\n");
        self.pushed().await
    }

    async fn put_resource(
        &mut self,
        id: &Id,
        path: &ResourcePath,
        bytes: &[u8],
    ) -> Result<(), Unsupported> {
        self.remote.put(&format!("{id}/{path}"), FILE, bytes);
        self.pushed().await
    }

    async fn hostile_resource_paths(&mut self, id: &Id) -> Result<Vec<ResourcePath>, Unsupported> {
        self.remote.put("secret.txt", FILE, "secret");
        for (name, to) in [
            ("out.md", "../secret.txt"),
            ("up", ".."),
            ("absolute.md", "/etc/passwd"),
        ] {
            self.remote.put(&format!("{id}/{name}"), LINK, to);
        }
        self.pushed().await?;
        Ok(["out.md", "up", "up/secret.txt", "absolute.md"]
            .map(|path| path.parse().unwrap())
            .to_vec())
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        Ok(self.remote.file(&format!("{id}/SKILL.md")))
    }
}

impl Git {
    /// Commits, and waits until the plugin has fetched it: an operation of a fixture has happened when it returns.
    async fn pushed(&self) -> Result<(), Unsupported> {
        let wanted = self.remote.commit().to_string();
        let seen = async {
            loop {
                let cache = git2::Repository::open_bare(self.remote.folder.path().join("cache"));
                let tracked =
                    cache.and_then(|cache| cache.refname_to_id("refs/repertoire/tracked"));
                match tracked {
                    Ok(commit) if commit.to_string() == wanted => return,
                    // A caller that waits for changes makes the plugin poll.
                    _ => self.poll_once().await,
                }
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(30), seen)
            .await
            .expect("the plugin should fetch");
        self.poll_once().await;
        Ok(())
    }

    async fn poll_once(&self) {
        use repertoire_plugin_sdk::Source;

        let listing = self.source.list().await.expect("the repository is there");
        let changed = self.source.changed(listing.revision());
        let _ = tokio::time::timeout(std::time::Duration::from_millis(50), changed).await;
    }
}

repertoire_testkit::conformance!(Git::new());
