//! A registry of a different kind: agents, merged like skills.
//!
//! `cargo run -p repertoire --example agents`

use std::error::Error;
use std::io::{self, Write};

use repertoire::registry::Registry;
use repertoire::skill::Item;
use repertoire::{Id, MemorySource, Registered};

/// An agent that a host can start.
#[derive(Debug, Clone, PartialEq)]
struct Agent {
    id: Id,
    command: String,
}

impl Item for Agent {
    const KIND: &'static str = "agent";

    fn id(&self) -> &Id {
        &self.id
    }
}

fn agent(id: &str, command: &str) -> Result<Agent, Box<dyn Error>> {
    Ok(Agent {
        id: id.parse()?,
        command: command.to_owned(),
    })
}

/// Prints each agent, its command and the definitions that it overrides, before and after a change.
pub(crate) async fn show(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let (shipped, own) = (MemorySource::new("shipped"), MemorySource::new("own"));
    shipped.register(Registered::new(
        agent("reviewer", "review --strict")?,
        "You review changes.",
    ))?;
    own.register(Registered::new(
        agent("reviewer", "my-review")?,
        "You review gently.",
    ))?;
    own.register(Registered::new(agent("writer", "write")?, "You write."))?;
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
    show(&mut io::stdout()).await
}
