//! Skills to serve.

use std::path::Path;
use std::sync::Arc;

use repertoire::{FsSource, MemorySource, Mount, Registered, Skill, SkillRegistry};
use repertoire_mcp::{Server, ServerOptions};
use tokio::runtime::Handle;

pub(crate) fn skill(id: &str, about: &str) -> Skill {
    Skill::new(id.parse().expect("an id"), about)
}

/// Skills that live in memory, and can be changed there.
pub(crate) fn home(skills: &[(&str, &str)]) -> Arc<MemorySource<Skill>> {
    let home = MemorySource::new("home");
    for (id, body) in skills {
        home.register(Registered::new(skill(id, &format!("Does {id}.")), *body))
            .expect("ids are unique");
    }
    Arc::new(home)
}

pub(crate) async fn serve(home: Arc<MemorySource<Skill>>) -> Server {
    serve_with(Mount::user(home), ServerOptions::default()).await
}

pub(crate) async fn serve_with(mount: Mount<Skill>, options: ServerOptions) -> Server {
    let registry = SkillRegistry::builder()
        .mount(mount)
        .start(&Handle::current())
        .await
        .expect("composed");
    Server::new(registry, options)
}

/// A folder of skills, served as the source `home`; it is watched.
pub(crate) async fn serve_folder(folder: &Path) -> Server {
    let source =
        FsSource::new("home", folder).watching(repertoire::source::fs::WatchOptions::default());
    serve_with(Mount::user(source), ServerOptions::default()).await
}

/// Writes files into `folder`: paths and texts.
pub(crate) fn write(folder: &Path, files: &[(&str, &[u8])]) {
    for (path, bytes) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
    }
}
