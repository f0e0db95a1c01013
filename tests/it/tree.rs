//! Folders of skills for a test, and what a registry makes of them.

use std::fs;
use std::path::{Path, PathBuf};

use repertoire::SkillRegistry;
use repertoire::registry::Snapshot;
use tempfile::TempDir;

/// A folder tree that goes when the test ends.
pub(crate) struct Tree(TempDir);

impl Tree {
    pub(crate) fn new() -> Tree {
        Tree(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// A well-formed skill of this name below `folder`.
    pub(crate) fn skill(&self, folder: &str, name: &str, description: &str, body: &str) {
        let text = format!("---\nname: {name}\ndescription: {description}\n---\n{body}\n");
        self.write(&format!("{folder}/{name}/SKILL.md"), &text);
    }
}

/// `id <- source > shadow`, in order of iteration.
pub(crate) fn table(snapshot: &Snapshot<repertoire::Skill>) -> Vec<String> {
    let mut rows = Vec::new();
    for entry in snapshot.entries() {
        let chain: Vec<_> = entry
            .candidates()
            .map(|candidate| candidate.origin.source.to_string())
            .collect();
        rows.push(format!("{} <- {}", entry.id, chain.join(" > ")));
    }
    rows
}

/// The body of what `name` leads to.
pub(crate) async fn body(registry: &SkillRegistry, name: &str) -> String {
    let snapshot = registry.snapshot();
    let candidate = snapshot.resolve(name).unwrap().candidate;
    registry.body(candidate).await.unwrap().text.to_string()
}
