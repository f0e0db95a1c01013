//! The example `agents` does what it says, and its files keep the contract of sources.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use repertoire::Id;
use repertoire::source::fs::{FileSource, FsOptions, WatchOptions};
use repertoire_testkit::{Fixture, Unsupported};
use snapbox::{assert_data_eq, str};

#[path = "../../examples/agents/main.rs"]
#[allow(dead_code, reason = "it has a `main` of its own")]
mod example;

#[tokio::test]
async fn the_example_merges_agents() {
    let (folder, mut out) = (tempfile::tempdir().expect("a folder"), Vec::new());
    example::show(folder.path(), &mut out)
        .await
        .expect("the example runs");
    let expected = str![[r#"
reviewer: review --strict (1 overridden): You review changes.
reviewer: my-review (0 overridden): You review gently.
writer: write (0 overridden): You write.
<available_agents>
<agent><name>reviewer</name><description>Reviews changes.</description></agent>
<agent><name>writer</name><description>Writes letters.</description></agent>
</available_agents>
writer: tag: `write`; description: `write`, `letter`

"#]];
    assert_data_eq!(String::from_utf8(out).expect("it prints text"), expected);
}

struct Folder {
    folder: tempfile::TempDir,
    source: Arc<FileSource<example::Agent>>,
}

fn folder() -> Folder {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = FsOptions::default();
    options.patterns = vec!["*.md".to_owned()];
    let mut watch = WatchOptions::default();
    watch.debounce = Duration::from_millis(10);
    let source = FileSource::from_options("own", folder.path(), options).expect("a source");
    let source = Arc::new(source.watching(watch));
    Folder { folder, source }
}

impl Fixture<example::Agent> for Folder {
    type Source = FileSource<example::Agent>;

    fn source(&self) -> Arc<FileSource<example::Agent>> {
        self.source.clone()
    }

    fn reads_resources(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because("agents have no files"))
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        let text = format!("---\nname: {id}\ndescription: {description}\n---\n{body}");
        self.put_document(id, &text).await
    }

    async fn put_document(&mut self, id: &Id, document: &str) -> Result<(), Unsupported> {
        fs::write(self.folder.path().join(format!("{id}.md")), document).expect("a file");
        Ok(())
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.put_document(id, "---\nname: never closed\n").await
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        fs::remove_file(self.folder.path().join(format!("{id}.md"))).expect("a file");
        Ok(())
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        Ok(fs::read(self.folder.path().join(format!("{id}.md"))).expect("a file"))
    }
}

repertoire_testkit::conformance!(folder());
