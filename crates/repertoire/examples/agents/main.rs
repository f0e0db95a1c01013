//! A registry of a different kind: agents of the host and of a folder, merged like skills.
//!
//! `cargo run -p repertoire --example agents`

mod agent_folder;

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use repertoire::registry::Registry;
use repertoire::skill::Item;
use repertoire::{Id, MemorySource, Registered, Skill};

pub(crate) use agent_folder::AgentFolder;

/// An agent that a host can start.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Agent {
    id: Id,
    about: String,
    command: String,
    location: Option<String>,
}

impl Agent {
    fn new(id: &str, command: &str) -> Result<Agent, Box<dyn Error>> {
        Ok(Agent {
            id: id.parse()?,
            about: String::new(),
            command: command.to_owned(),
            location: None,
        })
    }

    /// Creates the agent of a file whose front matter was read as that of a skill.
    fn from_file(front_matter: &Skill, path: String) -> Agent {
        Agent {
            id: front_matter.id.clone(),
            about: front_matter.description.to_string(),
            command: front_matter.text("command").unwrap_or("agent").to_owned(),
            location: Some(path),
        }
    }
}

impl Item for Agent {
    const KIND: &'static str = "agent";

    fn id(&self) -> &Id {
        &self.id
    }

    fn description(&self) -> Option<&str> {
        Some(&self.about)
    }

    fn location(&self) -> Option<&str> {
        self.location.as_deref()
    }
}

const REVIEWER: &str = "---
name: reviewer
description: Reviews changes.
command: my-review
---
You review gently.";

const WRITER: &str = "---
name: writer
description: Writes.
command: write
---
You write.";

/// Prints each agent, its command and the definitions that it overrides, before and after a change.
pub(crate) async fn show(folder: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let shipped = MemorySource::new("shipped");
    shipped.register(Registered::new(
        Agent::new("reviewer", "review --strict")?,
        "You review changes.",
    ))?;
    let own = AgentFolder::new(folder);
    fs::write(folder.join("reviewer.md"), REVIEWER)?;
    fs::write(folder.join("writer.md"), WRITER)?;
    let registry = Registry::builder()
        .builtin(shipped.clone())
        .user(own)
        .load()
        .await?;
    list(&registry, out).await?;

    shipped.unregister("reviewer");
    let change = registry.refresh().await?;
    writeln!(out, "{} modified", change.modified.len())?;
    list(&registry, out).await
}

async fn list(registry: &Registry<Agent>, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    for entry in registry.snapshot().entries() {
        let prompt = registry.body(&entry.candidate).await?.text;
        let overridden = entry.shadows.len();
        writeln!(
            out,
            "{}: {} ({} overridden): {prompt}",
            entry.id,
            entry.item().command,
            overridden
        )?;
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    show(folder.path(), &mut io::stdout()).await
}
