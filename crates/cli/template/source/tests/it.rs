//! The conformance tests of a source, one for each rule of its contract.

use std::fs;
use std::sync::Arc;

use acme_crate::AcmeSource;
use repertoire::Id;
use repertoire::registry::SourceKind;
use repertoire_testkit::{Fixture, Unsupported, conformance};
use tempfile::TempDir;

/// A source, and the folder that it reads. Tests of what the fixture does not support are skipped with the reason.
struct AcmeFixture {
    folder: TempDir,
    source: Arc<AcmeSource>,
}

fn fresh() -> AcmeFixture {
    let folder = tempfile::tempdir().unwrap();
    let source = Arc::new(AcmeSource::new("acme", folder.path()));
    AcmeFixture { folder, source }
}

impl AcmeFixture {
    fn write(&self, id: &Id, text: &str) {
        fs::write(self.folder.path().join(format!("{id}.md")), text).unwrap();
    }
}

impl Fixture for AcmeFixture {
    type Source = AcmeSource;

    fn source(&self) -> Arc<AcmeSource> {
        self.source.clone()
    }

    fn watches(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because("it does not implement `changed` yet"))
    }

    fn reads_resources(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because(
            "it does not implement `resources` yet",
        ))
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        self.write(
            id,
            &format!("---\nname: {id}\ndescription: {description}\n---\n\n{body}"),
        );
        Ok(())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        fs::remove_file(self.folder.path().join(format!("{id}.md"))).unwrap();
        Ok(())
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.write(id, "---\nname: never closed\n");
        Ok(())
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        Ok(fs::read(self.folder.path().join(format!("{id}.md"))).unwrap())
    }
}

conformance!(fresh());

#[test]
fn configuration_files_know_the_kind() {
    assert!(SourceKind::find("acme").is_ok());
}
