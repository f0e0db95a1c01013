//! A plugin that panics where its configuration says, and is fine elsewhere: one skill with one file.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use repertoire_plugin_sdk::message::{DocumentBody, DocumentListing, DocumentRow};
use repertoire_plugin_sdk::{
    PluginConfig, Digest, Documents, Open, Pause, Resource, ResourcePath, SourceError, export_documents,
};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Panicking {
    /// The call to panic in.
    call: String,
    /// A file that is made before.
    trace: PathBuf,
}

impl Panicking {
    fn enter(&self, call: &str) {
        if self.call == call {
            fs::write(&self.trace, call).unwrap();
            panic!("in {call}");
        }
    }
}

impl Open for Panicking {
    fn open(config: &PluginConfig) -> Result<Panicking, SourceError> {
        let options: Panicking = config.options()?;
        options.enter("create");
        Ok(options)
    }
}

const SKILL: &str = "---\nname: fine\ndescription: One.\n---\nBe fine.\n";

impl Documents for Panicking {
    const FEATURES: &'static str = "resources changes";

    fn list(&self) -> Result<DocumentListing, SourceError> {
        self.enter("list");
        Ok(DocumentListing::new(1, [DocumentRow::new("fine", "1", SKILL)]))
    }

    fn body(&self, _: &str) -> Result<DocumentBody, SourceError> {
        self.enter("body");
        Ok(DocumentBody::document("1", SKILL))
    }

    fn resources(&self, _: &str) -> Result<Vec<Resource>, SourceError> {
        self.enter("resources");
        let path = ResourcePath::new("note.md").expect("a plain name");
        Ok(vec![Resource::new(path, 5, Digest::of(b"note\n"))])
    }

    fn resource(&self, _: &str, _: &ResourcePath) -> Result<Vec<u8>, SourceError> {
        self.enter("resource");
        Ok(b"note\n".to_vec())
    }

    fn wait(&self, since: u64, patience: Duration, pause: &Pause) -> Result<u64, SourceError> {
        self.enter("wait");
        pause.sleep(patience);
        Ok(since)
    }

    fn cancel(&self) {
        self.enter("cancel");
    }
}

impl Drop for Panicking {
    fn drop(&mut self) {
        self.enter("destroy");
    }
}

export_documents!(Panicking);
