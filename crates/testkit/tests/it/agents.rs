//! A source of a different kind of item passes the same tests.

use std::sync::{Arc, Mutex};

use repertoire_core::{
    Id, Item, Listing, ListingEntry, Revision, Source, SourceError, Stamp, async_trait,
};
use repertoire_testkit::{Fixture, Unsupported};

#[derive(Debug, Clone, PartialEq)]
struct Agent {
    id: Id,
    task: String,
}

impl Item for Agent {
    const KIND: &'static str = "agent";

    fn id(&self) -> &Id {
        &self.id
    }

    fn description(&self) -> Option<&str> {
        Some(&self.task)
    }
}

#[derive(Debug, Default)]
struct Agents(Mutex<(u64, Vec<Agent>)>);

impl Agents {
    fn change(&self, id: &Id, agent: Option<Agent>) {
        let mut state = self.0.lock().unwrap();
        state.1.retain(|agent| agent.id != *id);
        state.1.extend(agent);
        state.0 += 1;
    }
}

#[async_trait]
impl Source<Agent> for Agents {
    fn name(&self) -> &str {
        "agents"
    }

    async fn list(&self) -> Result<Listing<Agent>, SourceError> {
        let (revision, agents) = self.0.lock().unwrap().clone();
        let rows = agents.into_iter().map(|agent| {
            let stamp = Stamp::of(&agent.task);
            ListingEntry::new(agent, stamp)
        });
        Ok(Listing::new(Revision(revision), rows, []))
    }
}

#[derive(Default)]
struct AgentFixture(Arc<Agents>);

impl Fixture<Agent> for AgentFixture {
    type Source = Agents;

    fn source(&self) -> Arc<Agents> {
        self.0.clone()
    }

    fn watches(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because("the agents are polled"))
    }

    fn reads_bodies(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because("agents have no bodies"))
    }

    fn reads_resources(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because("agents have no files"))
    }

    async fn put(&mut self, id: &Id, description: &str, _: &str) -> Result<(), Unsupported> {
        self.0.change(
            id,
            Some(Agent {
                id: id.clone(),
                task: description.to_owned(),
            }),
        );
        Ok(())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.0.change(id, None);
        Ok(())
    }
}

repertoire_testkit::conformance!(AgentFixture::default());
