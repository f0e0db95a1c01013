//! The promises of every source.

use std::fs;
use std::sync::Arc;

use repertoire_core::{Id, ResourcePath};
use repertoire_source_fs::{FsSource, WatchBy};
use repertoire_testkit::{Fixture, Unsupported};

use crate::tree::{Tree, swift, text};

struct Folders {
    tree: Tree,
    source: Arc<FsSource>,
}

fn folders() -> Folders {
    let tree = Tree::new();
    let source = Arc::new(tree.source("skills"));
    Folders { tree, source }
}

fn watched(by: WatchBy) -> Folders {
    let tree = Tree::new();
    let source = Arc::new(tree.source("skills").watching(swift(by)));
    Folders { tree, source }
}

impl Fixture for Folders {
    type Source = FsSource;

    fn source(&self) -> Arc<FsSource> {
        self.source.clone()
    }

    fn watches(&self) -> Result<(), Unsupported> {
        Ok(())
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        self.tree.write(
            &format!("skills/{id}/SKILL.md"),
            text(id.as_str(), description, body),
        );
        Ok(())
    }

    async fn put_document(&mut self, id: &Id, document: &str) -> Result<(), Unsupported> {
        self.tree.write(&format!("skills/{id}/SKILL.md"), document);
        Ok(())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        fs::remove_dir_all(self.tree.path(&format!("skills/{id}"))).unwrap();
        Ok(())
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.tree.write(
            &format!("skills/{id}/SKILL.md"),
            "---\nname: never closed\n",
        );
        Ok(())
    }

    async fn put_resource(
        &mut self,
        id: &Id,
        path: &ResourcePath,
        bytes: &[u8],
    ) -> Result<(), Unsupported> {
        self.tree.write(&format!("skills/{id}/{path}"), bytes);
        Ok(())
    }

    #[cfg(unix)]
    async fn hostile_resource_paths(&mut self, id: &Id) -> Result<Vec<ResourcePath>, Unsupported> {
        let secret = self.tree.write("secret.txt", "secret");
        self.tree
            .link("../../secret.txt", &format!("skills/{id}/out.md"));
        self.tree.link(&secret, &format!("skills/{id}/absolute.md"));
        self.tree.link("../..", &format!("skills/{id}/up"));
        self.tree.link("/dev/zero", &format!("skills/{id}/endless"));
        let paths = ["out.md", "absolute.md", "up/secret.txt", "endless"];
        Ok(paths.map(|path| path.parse().unwrap()).to_vec())
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        Ok(fs::read(self.tree.path(&format!("skills/{id}/SKILL.md"))).unwrap())
    }
}

repertoire_testkit::conformance!(folders());

mod by_events {
    use super::*;

    repertoire_testkit::conformance!(watched(WatchBy::Events));
}

mod by_notify {
    use super::*;

    repertoire_testkit::conformance!(watched(WatchBy::Notify));
}

mod by_polling {
    use super::*;

    repertoire_testkit::conformance!(watched(WatchBy::Polling));
}
