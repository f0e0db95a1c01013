//! A host that follows a folder of skills, and admits a project while it runs.
//!
//! `cargo run -p repertoire --example minimal_host -- ~/.agents/skills ./.agents/skills`

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use repertoire::{Catalog, CatalogOptions, FsSource, Model, Mount, SkillRegistry, Trust};
use tokio::runtime::Handle;

/// Composes the skills of a user and of a project that is not trusted yet. The registry follows both folders.
pub(crate) async fn compose(home: &Path, project: &Path) -> Result<SkillRegistry, Box<dyn Error>> {
    let registry = SkillRegistry::builder()
        .mount(Mount::user(FsSource::new("project", project)).trust(Trust::Pending))
        .user(FsSource::new("home", home))
        .start(&Handle::current())
        .await?;
    Ok(registry)
}

/// Trusts the skills of the project, after a person agreed.
pub(crate) async fn admit(registry: &SkillRegistry) -> Result<(), Box<dyn Error>> {
    let pending = registry
        .mounts()
        .into_iter()
        .filter(|mount| &*mount.origin().source == "project");
    for mount in pending {
        registry.replace_source(mount.trust(Trust::Trusted)).await?;
    }
    Ok(())
}

/// Prints the catalog for a system prompt, and each skill with the place of its instructions.
pub(crate) async fn show(
    registry: &SkillRegistry,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let snapshot = registry.snapshot();
    writeln!(
        out,
        "{}",
        Catalog::new(&snapshot, &CatalogOptions::default()).text
    )?;
    let model = Model::from("anthropic/claude-sonnet-4-5");
    for entry in snapshot.entries() {
        let surface = registry.surface_of(entry.item(), &model);
        let body = registry.body(&entry.candidate).await?;
        writeln!(
            out,
            "{} ({}, {}): {} bytes",
            entry.id,
            entry.candidate.trust,
            surface.mode,
            body.text.len()
        )?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<_> = std::env::args_os().skip(1).collect();
    let [home, project] = folders.as_slice() else {
        return Err("usage: minimal_host HOME PROJECT".into());
    };
    let registry = compose(home.as_ref(), project.as_ref()).await?;
    show(&registry, &mut io::stdout()).await?;
    admit(&registry).await?;
    let mut changes = registry.subscribe();
    while let Some(update) = changes.next().await {
        print!("{}", update.change.summary());
        show(&registry, &mut io::stdout()).await?;
    }
    Ok(())
}
