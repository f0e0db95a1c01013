//! A bare repository to fetch from.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use git2::{Index, IndexEntry, IndexTime, Oid, Repository, Signature};
use repertoire_plugin_sdk::Digest;
use repertoire_source_plugin::{PluginOptions, PluginSource};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// A bare repository with one branch, and what its next commit will hold.
pub(crate) struct Remote {
    pub(crate) folder: TempDir,
    files: BTreeMap<String, (u32, Vec<u8>)>,
}

/// Longer than any call here takes, on any machine.
const PATIENCE: Duration = Duration::from_secs(600);

pub(crate) const FILE: u32 = 0o100_644;
pub(crate) const LINK: u32 = 0o120_000;

impl Remote {
    pub(crate) fn new() -> Remote {
        let folder = tempfile::tempdir().unwrap();
        let repository = Repository::init_bare(folder.path().join("remote.git")).unwrap();
        repository.set_head("refs/heads/main").unwrap();
        let remote = Remote {
            folder,
            files: BTreeMap::new(),
        };
        remote.commit();
        remote
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("remote.git")
    }

    pub(crate) fn url(&self) -> String {
        format!("file://{}", self.path().display())
    }

    pub(crate) fn put(&mut self, path: &str, mode: u32, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.to_owned(), (mode, bytes.into()));
    }

    pub(crate) fn skill(&mut self, key: &str, name: &str, body: &str) {
        let text = format!("---\nname: {name}\ndescription: About {name}.\n---\n\n{body}");
        self.put(&format!("{key}/SKILL.md"), FILE, text);
    }

    /// Removes a file, or everything below a folder.
    pub(crate) fn remove(&mut self, path: &str) {
        self.files
            .retain(|known, _| known != path && !known.starts_with(&format!("{path}/")));
    }

    pub(crate) fn file(&self, path: &str) -> Vec<u8> {
        self.files[path].1.clone()
    }

    /// Commits everything to the branch.
    pub(crate) fn commit(&self) -> Oid {
        let repository = Repository::open_bare(self.path()).unwrap();
        let mut index = Index::new().unwrap();
        for (path, (mode, bytes)) in &self.files {
            let time = IndexTime::new(0, 0);
            let id = repository.blob(bytes).unwrap();
            let (dev, ino, uid, gid, flags, flags_extended) = (0, 0, 0, 0, 0, 0);
            let (file_size, path) = (0, path.clone().into_bytes());
            let (ctime, mtime, mode) = (time, time, *mode);
            index
                .add(&IndexEntry {
                    ctime,
                    mtime,
                    dev,
                    ino,
                    mode,
                    uid,
                    gid,
                    file_size,
                    id,
                    flags,
                    flags_extended,
                    path,
                })
                .unwrap();
        }
        let tree = repository
            .find_tree(index.write_tree_to(&repository).unwrap())
            .unwrap();
        let author = Signature::new("A", "a@example.test", &git2::Time::new(0, 0)).unwrap();
        let parent = repository
            .refname_to_id("refs/heads/main")
            .and_then(|id| repository.find_commit(id))
            .ok();
        let parents: Vec<_> = parent.iter().collect();
        repository
            .commit(
                Some("refs/heads/main"),
                &author,
                &author,
                "Change.",
                &tree,
                &parents,
            )
            .unwrap()
    }

    /// The plugin, loaded; `more` are further options.
    pub(crate) fn plugin(&self, url: &str, more: Value) -> PluginSource {
        let mut options: Map<String, Value> = Map::new();
        let usual = json!({ "url": url, "cache": self.folder.path().join("cache"), "poll_ms": 5 });
        for one in [usual, more] {
            options.extend(one.as_object().unwrap().clone());
        }
        let name = format!(
            "{}git{}",
            std::env::consts::DLL_PREFIX,
            std::env::consts::DLL_SUFFIX
        );
        let library = std::env::current_exe().unwrap().with_file_name(name);
        let digest = Digest::of(&fs::read(&library).unwrap());
        PluginSource::new(
            "company",
            PluginOptions::new(library)
                .pinned(digest)
                .within(PATIENCE)
                .with_options(options),
        )
    }
}
