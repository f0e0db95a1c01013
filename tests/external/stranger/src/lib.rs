//! A kind of source: one skill for each port of a tide table.

use std::sync::{Arc, Mutex};

use repertoire::registry::{ConfigError, SourceConfig, SourceKind, inventory};
use repertoire::skill::{
    Body, Digest, Listing, ListingEntry, Revision, Source, SourceError, Stamp, async_trait,
};
use repertoire::{Id, Skill};
use tokio::sync::watch;

inventory::submit! {
    SourceKind::new("tides", "high tides of ports", |config: &SourceConfig| Ok(Arc::new(Tides::configured(config)?)))
}

/// The high tides of some ports.
#[derive(Debug)]
pub struct Tides {
    name: String,
    ports: Mutex<Vec<(Id, String)>>,
    revision: watch::Sender<u64>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    ports: Vec<String>,
    high: String,
}

impl Tides {
    /// Creates a source without ports.
    pub fn new(name: &str) -> Tides {
        Tides {
            name: name.to_owned(),
            ports: Mutex::default(),
            revision: watch::Sender::new(0),
        }
    }

    fn configured(config: &SourceConfig) -> Result<Tides, ConfigError> {
        let options: Options = config.options()?;
        let tides = Tides::new(&config.name);
        for (at, port) in options.ports.iter().enumerate() {
            let id = Id::new(port)
                .map_err(|error| ConfigError::in_option(format!("ports[{at}]"), error.to_string()))?;
            tides.set(id, &options.high);
        }
        Ok(tides)
    }

    /// Sets the high tide of a port. First the content, then the signal.
    pub fn set(&self, port: Id, high: &str) {
        let mut ports = self.ports.lock().expect("no holder panics");
        ports.retain(|(other, _)| *other != port);
        ports.push((port, format!("High tide is at {high}.\n")));
        drop(ports);
        self.revision.send_modify(|revision| *revision += 1);
    }
}

#[async_trait]
impl Source<Skill> for Tides {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let revision = Revision(*self.revision.borrow());
        let ports = self.ports.lock().expect("no holder panics").clone();
        let rows = ports.into_iter().map(|(id, text)| {
            let skill = Skill::new(id.clone(), format!("Knows the tides of {id}."));
            ListingEntry::new(skill, Stamp::of(&text)).with_digest(Digest::of(text.as_bytes()))
        });
        Ok(Listing::new(revision, rows, []))
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let ports = self.ports.lock().expect("no holder panics");
        let found = ports.iter().find(|(port, _)| port == id);
        let (_, text) = found.ok_or_else(|| SourceError::not_found("skill", id))?;
        Ok(Body::new(text.as_str(), Digest::of(text.as_bytes()), Stamp::of(text)))
    }

    async fn changed(&self, since: Revision) {
        let mut revision = self.revision.subscribe();
        let _ = revision.wait_for(|now| *now > since.0).await;
    }
}
