//! A project in a temporary folder, and a gateway of it.

use std::fs;
use std::sync::{Arc, Mutex};

use repertoire::config::{Configuration, HostSettings};
use repertoire::registry::{Registry, Update};
use repertoire::skill::Item;
use repertoire_gateway::{Gateway, Registries};
use tempfile::TempDir;
use tokio::runtime::Handle;

/// A project in a temporary folder, removed when dropped.
pub(crate) struct Project {
    folder: TempDir,
}

/// Two agents and a server, and no watching, so that only calls change anything.
pub(crate) const FILE: &str = r#"
[gateway]
watch = false

[[registries.agents]]
id = "coder"
command = "coder"

[[registries.mcp-servers]]
id = "fs"
command = "mcp-fs"
"#;

impl Project {
    pub(crate) fn new(file: &str) -> Project {
        let project = Project {
            folder: tempfile::tempdir().unwrap(),
        };
        project.write("repertoire.toml", file);
        project
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).unwrap()
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.folder.path().join(path)).unwrap();
    }

    pub(crate) fn skill(&self, name: &str, more: &str) {
        let text = format!("---\nname: {name}\ndescription: Does {name}.\n{more}---\nDo it.\n");
        self.write(&format!("skills/{name}/SKILL.md"), &text);
    }

    pub(crate) fn settings(&self) -> HostSettings {
        HostSettings::new(self.folder.path().canonicalize().unwrap())
    }

    pub(crate) fn parse(&self, text: &str) -> Configuration {
        Configuration::parse("repertoire.toml", text, &self.settings()).unwrap()
    }

    pub(crate) fn gateway(&self) -> Gateway {
        Gateway::open("repertoire.toml", self.settings()).unwrap()
    }

    pub(crate) async fn start(&self) -> (Gateway, Registries) {
        let gateway = self.gateway();
        let registries = gateway.start(&Handle::current()).await.unwrap();
        (gateway, registries)
    }
}

pub(crate) fn ids<T: Item>(registry: &Registry<T>) -> Vec<String> {
    let entries = registry.list();
    entries.iter().map(|entry| entry.id.to_string()).collect()
}

/// Returns the ids of all four registries.
pub(crate) fn all_ids(registries: &Registries) -> [Vec<String>; 4] {
    [
        ids(&registries.skills),
        ids(&registries.workflows),
        ids(&registries.agents),
        ids(&registries.mcp_servers),
    ]
}

pub(crate) fn texts(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// The changes that a listener got: the numbers of added, modified and removed ids.
#[derive(Clone, Default)]
pub(crate) struct Notified(Arc<Mutex<Vec<[usize; 3]>>>);

impl Notified {
    pub(crate) fn listener<T: Item>(&self) -> impl FnMut(&Update<T>) + Send + 'static {
        let notified = Arc::clone(&self.0);
        move |update| {
            let change = &update.change;
            let counts = [
                change.added.len(),
                change.modified.len(),
                change.removed.len(),
            ];
            notified.lock().unwrap().push(counts);
        }
    }

    pub(crate) fn counts(&self) -> Vec<[usize; 3]> {
        self.0.lock().unwrap().clone()
    }
}
