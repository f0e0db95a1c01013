//! A registry of agents instead of skills.

use std::error::Error;

use repertoire::registry::Registry;
use repertoire::skill::Item;
use repertoire::{Id, MemorySource, Registered};

#[derive(Debug, Clone, PartialEq)]
struct Agent {
    id: Id,
    model: String,
}

impl Item for Agent {
    const KIND: &'static str = "agent";

    fn id(&self) -> &Id {
        &self.id
    }
}

fn agent(id: &str, model: &str, instructions: &str) -> Result<Registered<Agent>, Box<dyn Error>> {
    let agent = Agent {
        id: id.parse()?,
        model: model.to_owned(),
    };
    Ok(Registered::new(agent, instructions))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (builtin, home) = (MemorySource::new("builtin"), MemorySource::new("home"));
    builtin.register(agent("reviewer", "large", "Review strictly.")?)?;
    home.register(agent("reviewer", "small", "Review gently.")?)?;
    home.register(agent("writer", "small", "Write.")?)?;
    let registry = Registry::<Agent>::builder()
        .builtin(builtin)
        .user(home)
        .load()
        .await?;

    let snapshot = registry.snapshot();
    for entry in snapshot.entries() {
        let body = registry.body(&entry.candidate).await?;
        println!("{} on {}: {}", entry.id, entry.item().model, body.text);
    }
    let own = snapshot.resolve("home:reviewer")?;
    println!("home:reviewer on {}", own.candidate.item.model);
    match registry.snapshot().resolve("editor") {
        Ok(_) => println!("there is an editor"),
        Err(error) => println!("{error}"),
    }
    Ok(())
}
