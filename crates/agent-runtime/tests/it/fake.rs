//! Agents without a process, whose every message a test chooses.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use repertoire_agent_runtime::{
    AgentExit, AgentLifetime, AgentMessage, AgentRunner, HostMessage, Launch, Received,
    RunnerEvent, RunningAgent, Runtime, Ticket,
};
use serde_json::Value;
use tokio::sync::{broadcast, mpsc};
use tokio::time::Instant;

use crate::bed::{Seen, TestBed, TestHost, request, spawn, until_ended};

/// A runtime that passes both ends of a conversation to the test.
#[derive(Debug)]
pub(crate) struct FakeRuntime(mpsc::UnboundedSender<FakeAgent>);

/// The agent's end of a conversation.
#[derive(Debug)]
pub(crate) struct FakeAgent {
    sender: Option<mpsc::UnboundedSender<Received>>,
    pub(crate) receiver: mpsc::UnboundedReceiver<HostMessage>,
}

struct FakeConnection {
    incoming: mpsc::UnboundedReceiver<Received>,
    outgoing: mpsc::UnboundedSender<HostMessage>,
}

impl FakeAgent {
    pub(crate) fn send(&self, message: AgentMessage) {
        let sender = self.sender.as_ref().unwrap();
        sender.send(Received::Message(message)).unwrap();
    }

    /// Ends as a process does that crashes.
    pub(crate) fn crash(&mut self) {
        self.sender = None;
    }

    /// Becomes busy.
    pub(crate) async fn begin(&mut self) {
        self.send(AgentMessage::Ready);
        let assigned = self.receiver.recv().await;
        assert!(matches!(assigned, Some(HostMessage::Assigned { .. })));
    }
}

#[repertoire_core::async_trait]
impl Runtime for FakeRuntime {
    async fn start(&self, _agent: Launch<'_>) -> io::Result<Box<dyn RunningAgent>> {
        let (sender, incoming) = mpsc::unbounded_channel();
        let (outgoing, receiver) = mpsc::unbounded_channel();
        let agent = FakeAgent {
            sender: Some(sender),
            receiver,
        };
        self.0.send(agent).map_err(|_| io::ErrorKind::NotFound)?;
        Ok(Box::new(FakeConnection { incoming, outgoing }))
    }
}

#[repertoire_core::async_trait]
impl RunningAgent for FakeConnection {
    async fn receive(&mut self) -> Received {
        let ended = Received::Ended(AgentExit::default());
        self.incoming.recv().await.unwrap_or(ended)
    }

    async fn send(&mut self, message: &HostMessage) -> io::Result<()> {
        let sent = self.outgoing.send(message.clone());
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    async fn end(&mut self, _grace: Duration) -> AgentExit {
        AgentExit::default()
    }
}

/// Returns a bed whose agents the receiver gets, and whose clock is tokio's.
pub(crate) fn fake_bed(lifetime: AgentLifetime) -> (TestBed, mpsc::UnboundedReceiver<FakeAgent>) {
    let (sender, agents) = mpsc::unbounded_channel();
    let mut bed = TestBed::new(TestHost {
        runtime: Arc::new(FakeRuntime(sender)),
        lifetime,
        ..TestHost::default()
    });
    let origin = Mutex::new(Instant::now());
    bed.options.clock = Arc::new(move || {
        let since = origin.lock().elapsed().as_millis();
        1_700_000_000_000 + u64::try_from(since).unwrap()
    });
    (bed, agents)
}

/// A runner with an agent that is busy with the task `T-1`.
pub(crate) struct BusyRun {
    pub(crate) bed: TestBed,
    pub(crate) agents: mpsc::UnboundedReceiver<FakeAgent>,
    pub(crate) runner: AgentRunner,
    pub(crate) events: broadcast::Receiver<RunnerEvent>,
    pub(crate) ticket: Ticket,
    pub(crate) agent: FakeAgent,
}

impl BusyRun {
    pub(crate) async fn begin(lifetime: AgentLifetime) -> BusyRun {
        let (bed, mut agents) = fake_bed(lifetime);
        let runner = bed.start().await;
        let events = runner.events();
        let ticket = spawn(&runner, request("T-1", Value::Null)).await;
        let mut agent = agents.recv().await.unwrap();
        agent.begin().await;
        BusyRun {
            bed,
            agents,
            runner,
            events,
            ticket,
            agent,
        }
    }
    pub(crate) async fn ended(&mut self) -> Seen {
        until_ended(&self.runner, &mut self.events, &self.ticket.agent_id).await
    }
}
