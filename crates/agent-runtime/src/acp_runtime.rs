//! Agents that speak the Agent Client Protocol.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, ContentBlock, HttpHeader, InitializeRequest, McpServer, McpServerHttp,
    NewSessionRequest, PermissionOptionKind, PromptRequest, RequestPermissionOutcome,
    RequestPermissionRequest, RequestPermissionResponse, SelectedPermissionOutcome, SessionId,
    SessionNotification, SessionUpdate, StopReason, TextContent, ToolKind,
};
use agent_client_protocol::{Agent, ByteStreams, Client, Error};
use repertoire_core::async_trait;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

use crate::agent_process::AgentProcess;
use crate::{
    AgentExit, AgentMessage, AgentToken, HostMessage, Launch, Received, RunningAgent, Runtime,
    Ticket,
};

/// The prompts after which an agent that does not write back is given up.
const MOST_PROMPTS: u32 = 4;

/// A runtime for programs that speak the [Agent Client Protocol](https://agentclientprotocol.com), version 1, over standard
/// input and output.
///
/// - The task is one prompt, which contains the ticket without its token. The end of the turn is the message
///   [`Done`](AgentMessage::Done).
/// - The agent writes back through the tools of an [MCP endpoint](AcpRuntime::with_mcp_url). If the host refuses the end, the
///   reason is a further prompt, up to three times.
/// - An agent without write access gets no permission for tools that change something.
/// - The protocol has no heartbeats: the agent counts as alive while its process is.
#[derive(Debug, Clone, Default)]
pub struct AcpRuntime {
    mcp_url: Option<String>,
}

impl AcpRuntime {
    /// Passes on an MCP endpoint over HTTP, which agents call with their token.
    #[must_use]
    pub fn with_mcp_url(mut self, url: impl Into<String>) -> Self {
        self.mcp_url = Some(url.into());
        self
    }
}

#[async_trait]
impl Runtime for AcpRuntime {
    async fn start(&self, agent: Launch<'_>) -> io::Result<Box<dyn RunningAgent>> {
        let (process, stdin, stdout) = AgentProcess::start(&agent, None)?;
        let (received, incoming) = mpsc::channel(64);
        let (orders, outgoing) = mpsc::channel(4);
        let session = Session {
            folder: agent.folder.to_owned(),
            may_write: agent.ticket.permissions.may_write(),
            mcp_url: self.mcp_url.clone(),
            token: agent.ticket.token.clone(),
        };
        let talk = tokio::spawn(session.talk(stdin, stdout, received, outgoing));
        Ok(Box::new(AcpAgent {
            process,
            prompt: prompt(agent.ticket),
            prompts: 0,
            incoming,
            orders: Some(orders),
            talk: talk.abort_handle(),
        }))
    }
}

struct AcpAgent {
    process: AgentProcess,
    /// The text of the first prompt.
    prompt: String,
    prompts: u32,
    incoming: mpsc::Receiver<Received>,
    /// `None` once the agent was given up: the connection closes then.
    orders: Option<mpsc::Sender<SessionOrder>>,
    talk: tokio::task::AbortHandle,
}

#[derive(Debug)]
enum SessionOrder {
    Prompt(String),
    Cancel,
}

impl AcpAgent {
    async fn order(&mut self, order: SessionOrder) -> io::Result<()> {
        if matches!(order, SessionOrder::Prompt(_)) {
            self.prompts += 1;
            if self.prompts > MOST_PROMPTS {
                self.orders = None;
            }
        }
        let Some(orders) = &self.orders else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let sent = orders.send(order).await;
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

#[async_trait]
impl RunningAgent for AcpAgent {
    fn sends_heartbeats(&self) -> bool {
        false
    }

    async fn receive(&mut self) -> Received {
        tokio::select! {
            biased;
            received = self.incoming.recv() => match received {
                Some(Received::Output(text)) => Received::Output(self.process.redact(text)),
                Some(received) => received,
                // The connection ended, so the process is of no use.
                None => Received::Ended(self.process.end(Duration::from_millis(100)).await),
            },
            exit = self.process.wait() => Received::Ended(exit),
        }
    }

    async fn send(&mut self, message: &HostMessage) -> io::Result<()> {
        match message {
            HostMessage::Assigned { task_id, .. } => {
                let prompt = match self.prompts {
                    0 => self.prompt.clone(),
                    _ => format!("Your next task is `{task_id}`."),
                };
                self.prompts = 0;
                self.order(SessionOrder::Prompt(prompt)).await
            }
            HostMessage::Refused { error, .. } => {
                let prompt = format!("The task is not done yet: {error}");
                self.order(SessionOrder::Prompt(prompt)).await
            }
            HostMessage::Cancel => self.order(SessionOrder::Cancel).await,
            HostMessage::End => {
                self.orders = None;
                Ok(())
            }
            HostMessage::Accepted => Ok(()),
        }
    }

    async fn end(&mut self, grace: Duration) -> AgentExit {
        self.orders = None;
        self.process.end(grace).await
    }
}

impl Drop for AcpAgent {
    fn drop(&mut self) {
        self.talk.abort();
    }
}

/// Everything that the connection needs to know.
struct Session {
    folder: PathBuf,
    may_write: bool,
    mcp_url: Option<String>,
    token: Option<AgentToken>,
}

impl Session {
    /// Talks until the host gives up the agent, or until the connection ends.
    async fn talk(
        self,
        stdin: ChildStdin,
        stdout: ChildStdout,
        received: mpsc::Sender<Received>,
        orders: mpsc::Receiver<SessionOrder>,
    ) {
        let may_write = self.may_write;
        let updates = received.clone();
        let tokens = AtomicU64::new(0);
        let errors = received.clone();
        let connected = Client
            .v1()
            .name("repertoire")
            .on_receive_notification(
                async move |notification: SessionNotification, _| {
                    if let Some(update) = read_update(notification.update, &tokens) {
                        let _ = updates.send(update).await;
                    }
                    Ok(())
                },
                agent_client_protocol::on_receive_notification!(),
            )
            .on_receive_request(
                async move |request: RequestPermissionRequest, responder, _| {
                    let outcome = permission(&request, may_write);
                    responder.respond(RequestPermissionResponse::new(outcome))
                },
                agent_client_protocol::on_receive_request!(),
            )
            .connect_with(
                ByteStreams::new(stdin.compat_write(), stdout.compat()),
                async move |connection: ConnectionTo<Agent>| {
                    let session = self.open(&connection).await?;
                    let ready = Received::Message(AgentMessage::Ready);
                    let _ = received.send(ready).await;
                    take_turns(&connection, session, received, orders).await
                },
            )
            .await;
        if let Err(error) = connected {
            let _ = errors.send(Received::Output(error.to_string())).await;
        }
    }

    async fn open(&self, connection: &ConnectionTo<Agent>) -> Result<SessionId, Error> {
        let initialize = InitializeRequest::new(ProtocolVersion::V1);
        let agent = connection.send_request(initialize).block_task().await?;
        let mut request = NewSessionRequest::new(&self.folder);
        let takes_http = agent.agent_capabilities.mcp_capabilities.http;
        if let (Some(url), Some(token), true) = (&self.mcp_url, &self.token, takes_http) {
            let bearer = format!("Bearer {}", token.as_str());
            let header = HttpHeader::new("Authorization", bearer);
            let server = McpServerHttp::new("repertoire", url).headers(vec![header]);
            request = request.mcp_servers(vec![McpServer::Http(server)]);
        }
        let session = connection.send_request(request).block_task().await?;
        Ok(session.session_id)
    }
}

/// Sends prompts, and reports the end of each turn.
async fn take_turns(
    connection: &ConnectionTo<Agent>,
    session: SessionId,
    received: mpsc::Sender<Received>,
    mut orders: mpsc::Receiver<SessionOrder>,
) -> Result<(), Error> {
    while let Some(order) = orders.recv().await {
        let SessionOrder::Prompt(text) = order else {
            continue;
        };
        let blocks = vec![ContentBlock::Text(TextContent::new(text))];
        let request = PromptRequest::new(session.clone(), blocks);
        let mut turn = Box::pin(connection.send_request(request).block_task());
        let ended = loop {
            tokio::select! {
                ended = &mut turn => break ended?,
                order = orders.recv() => match order {
                    Some(SessionOrder::Cancel) => {
                        connection.send_notification(CancelNotification::new(session.clone()))?;
                    }
                    Some(SessionOrder::Prompt(_)) => {}
                    None => return Ok(()),
                },
            }
        };
        let message = match ended.stop_reason {
            StopReason::EndTurn => Received::Message(AgentMessage::Done),
            reason => Received::Malformed(format!("the turn ended early: {reason:?}")),
        };
        if received.send(message).await.is_err() {
            break;
        }
    }
    Ok(())
}

/// Returns the text or the new tokens of an update. `tokens` has the highest number so far.
fn read_update(update: SessionUpdate, tokens: &AtomicU64) -> Option<Received> {
    match update {
        SessionUpdate::UsageUpdate(usage) => {
            let before = tokens.fetch_max(usage.used, Ordering::Relaxed);
            let used = usage.used.saturating_sub(before);
            (used > 0).then_some(Received::Message(AgentMessage::Tokens { used }))
        }
        SessionUpdate::AgentMessageChunk(chunk) => match chunk.content {
            ContentBlock::Text(text) => Some(Received::Output(text.text)),
            _ => None,
        },
        _ => None,
    }
}

/// Allows once what the rights of the agent include, and rejects the rest.
fn permission(request: &RequestPermissionRequest, may_write: bool) -> RequestPermissionOutcome {
    let kind = request.tool_call.fields.kind.unwrap_or_default();
    let only_reads = matches!(
        kind,
        ToolKind::Read | ToolKind::Search | ToolKind::Think | ToolKind::Fetch
    );
    let wanted = match may_write || only_reads {
        true => PermissionOptionKind::AllowOnce,
        false => PermissionOptionKind::RejectOnce,
    };
    let option = request.options.iter().find(|option| option.kind == wanted);
    match option {
        Some(option) => {
            let selected = SelectedPermissionOutcome::new(option.option_id.clone());
            RequestPermissionOutcome::Selected(selected)
        }
        None => RequestPermissionOutcome::Cancelled,
    }
}

/// Returns the first prompt: the ticket without its secret.
fn prompt(ticket: &Ticket) -> String {
    let mut shown = ticket.clone();
    shown.token = None;
    let shown = serde_json::to_string_pretty(&shown).unwrap_or_default();
    format!(
        "Your task is `{}`. This is your ticket:\n\n```json\n{shown}\n```\n\n\
         Before you end your turn, record a `task_update` and a `thought_record` with the tools of the server `repertoire`.",
        ticket.task_id
    )
}
