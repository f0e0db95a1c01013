//! A registry of a different kind: agents of the host and of a folder, merged, followed, listed and searched like skills.
//!
//! `cargo run -p repertoire --example agents`

mod agent;

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use repertoire::registry::{Registry, SourceConfig, SourceKind, SourceKinds};
use repertoire::search::{LiveIndex, Query};
use repertoire::source::fs::{FileSource, FsOptions};
use repertoire::{Catalog, CatalogOptions, MemorySource, Registered};
use serde_json::json;
use tokio::runtime::Handle;

pub(crate) use agent::Agent;

const REVIEWER: &str = "---
name: reviewer
description: Reviews changes.
command: my-review
---
You review gently.";

const WRITER: &str = "---
name: writer
description: Writes letters.
command: write
---
You write.";

/// Returns a kind of source that configurations of this host may name: a file for each agent.
fn agent_files() -> SourceKind<Agent> {
    SourceKind::from_fn("agent-files", "a file for each agent", |config| {
        let options: FsOptions = config.options()?;
        let source = FileSource::from_options(config.name.as_str(), &config.base, options)?;
        Ok(Arc::new(source))
    })
}

/// Prints each agent, its command and the definitions that it overrides, before and after a change of a file.
pub(crate) async fn show(folder: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let shipped = MemorySource::new("shipped");
    shipped.register(Registered::new(
        Agent::new("reviewer".parse()?, "Reviews.", "review --strict"),
        "You review changes.",
    ))?;
    fs::write(folder.join("reviewer.md"), REVIEWER)?;

    let kinds = SourceKinds::default().with(agent_files())?;
    let options = [("patterns".to_owned(), json!(["*.md"]))].into_iter();
    let config = SourceConfig::new("own", folder, options.collect());
    let own = kinds.find("agent-files")?.build(&config)?.remove(0);
    let registry = Registry::builder()
        .builtin(shipped.clone())
        .user(own)
        .start(&Handle::current())
        .await?;
    list(&registry, out).await?;

    // The folder is followed.
    let mut changes = registry.subscribe();
    fs::write(folder.join("writer.md"), WRITER)?;
    changes.next().await;
    shipped.unregister("reviewer");
    registry.refresh().await?;
    list(&registry, out).await?;

    let catalog = Catalog::new(&registry.snapshot(), &CatalogOptions::default());
    write!(out, "{}", catalog.text)?;
    let index = LiveIndex::new(registry.clone());
    for hit in index.search(&Query::new("write a letter")) {
        writeln!(out, "{}: {}", hit.entry.id, hit.why)?;
    }
    registry.close().await;
    Ok(())
}

async fn list(registry: &Registry<Agent>, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    for entry in registry.snapshot().entries() {
        let prompt = registry.body(&entry.candidate).await?.text;
        let (command, overridden) = (&entry.item().command, entry.shadows.len());
        writeln!(
            out,
            "{}: {command} ({overridden} overridden): {prompt}",
            entry.id
        )?;
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    show(folder.path(), &mut io::stdout()).await
}
