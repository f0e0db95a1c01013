//! A host: `host HOME PROJECT SKILL` follows two folders, admits the project, and sees the folder SKILL move into HOME.

use std::error::Error;
use std::fs;
use std::path::Path;

use repertoire::{Budget, Catalog, CatalogOptions, FsSource, Mount, SkillRegistry, Trust};
use tokio::runtime::Handle;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [home, project, skill] = arguments.as_slice() else {
        return Err("usage: host HOME PROJECT SKILL".into());
    };
    let registry = SkillRegistry::builder()
        .mount(Mount::user(FsSource::new("project", project)).trust(Trust::Pending))
        .user(FsSource::new("home", home))
        .start(&Handle::current())
        .await?;
    println!("before: {}", catalog(&registry));
    for mount in registry.mounts() {
        if &*mount.origin().source == "project" {
            registry.replace_source(mount.trust(Trust::Trusted)).await?;
        }
    }
    println!("admitted: {}", catalog(&registry));

    let mut changes = registry.subscribe();
    let name = Path::new(skill).file_name().ok_or("a skill has a name")?;
    fs::rename(skill, Path::new(home).join(name))?;
    let update = changes.next().await.ok_or("the registry was closed")?;
    println!("changed: {}", update.change.summary());

    let found = registry.get("greet").ok_or("no skill `greet`")?;
    println!("body: {}", registry.body(&found.candidate).await?.text);
    registry.close().await;
    Ok(())
}

/// Returns the names that a model sees.
fn catalog(registry: &SkillRegistry) -> String {
    let options = CatalogOptions::default().budget(Budget::Tokens(2_000));
    let catalog = Catalog::new(&registry.snapshot(), &options);
    let ids: Vec<_> = catalog.report.lines().iter().map(|line| line.id.to_string()).collect();
    ids.join(" ")
}
