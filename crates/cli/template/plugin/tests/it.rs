//! The conformance tests, with the library loaded as a host loads it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use repertoire_plugin_sdk::{Digest, Id};
use repertoire_source_plugin::{PluginOptions, PluginSource};
use repertoire_testkit::{Fixture, Unsupported, conformance};
use serde_json::json;
use tempfile::TempDir;

/// The library, and hands that reach into what it reads. What is left out here is skipped, and the test run says so.
struct Acme {
    folder: TempDir,
    source: Arc<PluginSource>,
}

/// The library that cargo built beside this test.
fn library() -> PathBuf {
    let name = format!("{}acme_crate{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    std::env::current_exe().unwrap().with_file_name(name)
}

fn fresh() -> Acme {
    let folder = tempfile::tempdir().unwrap();
    let options = json!({ "folder": folder.path() }).as_object().unwrap().clone();
    let digest = Digest::of(&fs::read(library()).unwrap());
    let source = PluginSource::new("acme", PluginOptions::new(library()).pinned(digest).with_options(options));
    Acme { folder, source: Arc::new(source) }
}

impl Fixture for Acme {
    type Source = PluginSource;

    fn source(&self) -> Arc<PluginSource> {
        self.source.clone()
    }

    fn watches(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because("it has no `changes` among its features yet"))
    }

    fn reads_resources(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because("it has no `resources` among its features yet"))
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        let text = format!("---\nname: {id}\ndescription: {description}\n---\n\n{body}");
        fs::write(self.folder.path().join(format!("{id}.md")), text).unwrap();
        Ok(())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        fs::remove_file(self.folder.path().join(format!("{id}.md"))).unwrap();
        Ok(())
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        fs::write(self.folder.path().join(format!("{id}.md")), "---\nname: never closed\n").unwrap();
        Ok(())
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        Ok(fs::read(self.folder.path().join(format!("{id}.md"))).unwrap())
    }
}

conformance!(fresh());
