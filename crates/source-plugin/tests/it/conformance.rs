//! The promises of every source, across the library boundary and across a process.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_core::{Id, ResourcePath};
use repertoire_source_plugin::PluginSource;
use repertoire_testkit::{Fixture, Unsupported};
use serde_json::json;
use tempfile::TempDir;

use crate::library::{Compiled, Where, built, options, pinned, source};

/// A plugin over a folder of `NAME.md`, and hands that reach into the folder.
struct Folder {
    folder: TempDir,
    source: Arc<PluginSource>,
    /// Whether it has resources and tells of changes.
    is_full: bool,
    _library: Option<Compiled>,
}

impl Folder {
    fn over(library: &Path, at: Where, is_full: bool, kept: Option<Compiled>) -> Folder {
        let folder = tempfile::tempdir().unwrap();
        let given = if is_full {
            json!({ "folder": folder.path(), "look_every_ms": 5 })
        } else {
            json!({ "folder": folder.path() })
        };
        let source = Arc::new(source(at, pinned(library).with_options(options(given))));
        Folder {
            folder,
            source,
            is_full,
            _library: kept,
        }
    }

    /// The Rust plugin, an ordinary source.
    fn rust(at: Where) -> Folder {
        Folder::over(&built("folder"), at, true, None)
    }

    /// The plugin in C.
    fn c(at: Where) -> Folder {
        let library = Compiled::hello();
        Folder::over(&library.path.clone(), at, false, Some(library))
    }

    fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(path)
    }

    fn polled(&self) -> Result<(), Unsupported> {
        if self.is_full {
            Ok(())
        } else {
            Err(Unsupported::because(
                "the plugin offers only listings and bodies",
            ))
        }
    }
}

impl Fixture for Folder {
    type Source = PluginSource;

    fn source(&self) -> Arc<PluginSource> {
        self.source.clone()
    }

    fn watches(&self) -> Result<(), Unsupported> {
        self.polled()
    }

    fn reads_resources(&self) -> Result<(), Unsupported> {
        self.polled()
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        let fresh = self.path("fresh");
        fs::write(
            &fresh,
            format!("---\nname: {id}\ndescription: {description}\n---\n\n{body}"),
        )
        .unwrap();
        fs::rename(fresh, self.path(format!("{id}.md"))).unwrap();
        Ok(())
    }

    async fn put_document(&mut self, id: &Id, document: &str) -> Result<(), Unsupported> {
        if !self.is_full {
            return Err(Unsupported::because(
                "the plugin in C makes its front matter by itself",
            ));
        }
        fs::write(self.path(format!("{id}.md")), document).unwrap();
        Ok(())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        fs::remove_file(self.path(format!("{id}.md"))).unwrap();
        Ok(())
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        fs::write(self.path(format!("{id}.md")), "---\nname: never closed\n").unwrap();
        Ok(())
    }

    async fn put_resource(
        &mut self,
        id: &Id,
        path: &ResourcePath,
        bytes: &[u8],
    ) -> Result<(), Unsupported> {
        let path = self.path(id.as_str()).join(path.as_str());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        Ok(())
    }

    async fn hostile_resource_paths(&mut self, id: &Id) -> Result<Vec<ResourcePath>, Unsupported> {
        let secret = self.path("secret.txt");
        fs::write(&secret, "secret").unwrap();
        fs::create_dir_all(self.path(id.as_str())).unwrap();
        for (to, link) in [
            ("../secret.txt", "out.md"),
            ("..", "up"),
            (secret.to_str().unwrap(), "absolute.md"),
        ] {
            std::os::unix::fs::symlink(to, self.path(id.as_str()).join(link)).unwrap();
        }
        let paths = ["out.md", "absolute.md", "up/secret.txt"];
        Ok(paths.map(|path| path.parse().unwrap()).to_vec())
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        let file = fs::read(self.path(format!("{id}.md"))).unwrap();
        // Of a source that hands out texts, the text is what has a digest.
        Ok(if self.is_full {
            repertoire_core::skill_md::body(&file)
                .unwrap()
                .as_bytes()
                .to_vec()
        } else {
            file
        })
    }
}

mod rust {
    use super::*;

    repertoire_testkit::conformance!(Folder::rust(Where::Here));

    mod in_a_process {
        use super::*;

        repertoire_testkit::conformance!(Folder::rust(Where::There));
    }
}

mod c {
    use super::*;

    repertoire_testkit::conformance!(Folder::c(Where::Here));

    mod in_a_process {
        use super::*;

        repertoire_testkit::conformance!(Folder::c(Where::There));
    }
}

/// The plugin of the tutorial, whose skills never change.
struct Hello(Arc<PluginSource>);

impl Hello {
    fn at(at: Where) -> Hello {
        let given = json!({ "people": ["Ann", "Bob"] });
        Hello(Arc::new(source(
            at,
            pinned(&built("hello")).with_options(options(given)),
        )))
    }
}

impl Fixture for Hello {
    type Source = PluginSource;

    fn source(&self) -> Arc<PluginSource> {
        self.0.clone()
    }

    fn watches(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because(
            "the skills of the tutorial never change",
        ))
    }

    fn reads_resources(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because(
            "the skills of the tutorial have no resources",
        ))
    }
}

mod hello {
    use super::*;

    repertoire_testkit::conformance!(Hello::at(Where::Here));

    mod in_a_process {
        use super::*;

        repertoire_testkit::conformance!(Hello::at(Where::There));
    }
}
