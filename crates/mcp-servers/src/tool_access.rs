//! The tools of servers for the clients of a host.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use repertoire_permission::{Access, Authorizer};
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::tool_rules::ToolRules;
use crate::tool_table::{ListedTool, RulesByServer, TableState, ToolTable, refusal};
use crate::{AuditEvent, AuditKind, AuditLog, CallError, ServerTool, ToolProvider};

/// The tools of servers for the clients of a host: those that skills bring, under the rules of the operator. Clones share their state.
///
/// ```
/// # use std::sync::Arc;
/// # use async_trait::async_trait;
/// # use serde_json::{Map, Value, json};
/// # use tokio::sync::watch;
/// use repertoire_mcp_servers::{CallError, ServerTool, ToolAccess, ToolProvider};
///
/// #[derive(Debug)]
/// struct Clock(watch::Sender<u64>);
///
/// #[async_trait]
/// impl ToolProvider for Clock {
///     fn tools(&self) -> Arc<[ServerTool]> {
///         let schema = Map::from_iter([("type".to_owned(), json!("object"))]);
///         [ServerTool::new("time", "now", "Returns the time.", schema)].into()
///     }
///     fn revision(&self) -> watch::Receiver<u64> {
///         self.0.subscribe()
///     }
///     async fn call(&self, _: &str, _: &str, _: Map<String, Value>) -> Result<Value, CallError> {
///         Ok(json!({"content": [{"type": "text", "text": "12:00"}]}))
///     }
/// }
///
/// let access = ToolAccess::new(Arc::new(Clock(watch::Sender::new(0))));
/// // No tool is offered before a skill brings it.
/// assert_eq!(access.table().always().count(), 0);
/// ```
#[derive(Debug, Clone)]
pub struct ToolAccess(Arc<AccessState>);

#[derive(Debug)]
struct AccessState {
    provider: Arc<dyn ToolProvider>,
    revision: watch::Receiver<u64>,
    authorizers: Vec<Arc<dyn Authorizer>>,
    audit: Option<AuditLog>,
    rules: watch::Sender<NumberedRules>,
    /// The last table for sessions, which need the tools: a provider may start servers to list them.
    table: ArcSwapOption<ToolTable>,
    /// The last table that was made without starting a server.
    known_table: ArcSwapOption<ToolTable>,
}

/// The rules, and the number of times that they were set.
#[derive(Debug, Clone, Default)]
struct NumberedRules {
    number: u64,
    servers: Arc<RulesByServer>,
}

impl ToolAccess {
    /// Creates the access to the tools of `provider`, which trusted skills bring.
    pub fn new(provider: Arc<dyn ToolProvider>) -> ToolAccess {
        ToolAccess::of(provider, Vec::new(), None)
    }

    /// Offers only what `authorizer` allows too, by the [full names](crate::ServerTool::full_name) of tools. A decision to ask counts
    /// as a denial, as no person can be asked. The result shares nothing with this access, and has no rules yet.
    #[must_use]
    pub fn permitted_by(self, authorizer: Arc<dyn Authorizer>) -> ToolAccess {
        let AccessState {
            provider,
            authorizers,
            audit,
            ..
        } = &*self.0;
        let authorizers = authorizers.iter().cloned().chain([authorizer]).collect();
        ToolAccess::of(Arc::clone(provider), authorizers, audit.clone())
    }

    /// Records calls, denials and activations in `log`. The result shares nothing with this access, and has no rules yet.
    #[must_use]
    pub fn audited_by(self, log: AuditLog) -> ToolAccess {
        let AccessState {
            provider,
            authorizers,
            ..
        } = &*self.0;
        ToolAccess::of(Arc::clone(provider), authorizers.clone(), Some(log))
    }

    fn of(
        provider: Arc<dyn ToolProvider>,
        authorizers: Vec<Arc<dyn Authorizer>>,
        audit: Option<AuditLog>,
    ) -> ToolAccess {
        let revision = provider.revision();
        ToolAccess(Arc::new(AccessState {
            provider,
            revision,
            authorizers,
            audit,
            rules: watch::Sender::new(NumberedRules::default()),
            table: ArcSwapOption::empty(),
            known_table: ArcSwapOption::empty(),
        }))
    }

    /// Records an event, if there is a log.
    pub fn record(&self, event: impl FnOnce() -> AuditEvent) {
        if let Some(log) = &self.0.audit {
            log.record(event());
        }
    }

    fn record_call(&self, event: AuditEvent, arguments: &Map<String, Value>) {
        match &self.0.audit {
            Some(log) if log.has_arguments() => log.record(event.arguments(arguments)),
            Some(log) => log.record(event),
            None => {}
        }
    }

    /// Sets the rules of all servers, by id. From then on, only these servers exist for skills.
    pub fn set_rules<S: Into<Arc<str>>>(&self, servers: impl IntoIterator<Item = (S, ToolRules)>) {
        let servers = servers.into_iter();
        let servers: BTreeMap<Arc<str>, ToolRules> =
            servers.map(|(id, rules)| (id.into(), rules)).collect();
        self.0.rules.send_if_modified(|rules| {
            let is_new = rules.servers.as_ref().as_ref() != Some(&servers);
            if is_new {
                rules.number += 1;
                rules.servers = Arc::new(Some(servers));
            }
            is_new
        });
    }

    /// Returns the tools that are known at this moment. Starts no server: one that has never run may have any tool that the rules allow.
    /// Before [`set_rules`](ToolAccess::set_rules), only servers with known tools exist.
    pub fn known_table(&self) -> Arc<ToolTable> {
        let provider = &self.0.provider;
        self.current(&self.0.known_table, || provider.known_tools())
    }

    /// Returns the tools of this moment. A provider may start servers on demand to list them.
    pub fn table(&self) -> Arc<ToolTable> {
        let provider = &self.0.provider;
        self.current(&self.0.table, || provider.tools())
    }

    /// Returns the table of `cell`, which is made again if it is older than the tools or the rules.
    fn current(
        &self,
        cell: &ArcSwapOption<ToolTable>,
        tools: impl FnOnce() -> Arc<[ServerTool]>,
    ) -> Arc<ToolTable> {
        let known = cell.load_full();
        // The number is read before the tools, so that a table is never older than its number.
        let provider = *self.0.revision.borrow();
        let rules = self.0.rules.borrow().clone();
        let state = TableState {
            provider,
            rules: rules.number,
        };
        if let Some(known) = known.filter(|known| known.state == state) {
            return known;
        }
        let table = ToolTable::new(state, &tools(), &rules.servers, &self.0.authorizers);
        let provider = &self.0.provider;
        let table = Arc::new(table.with_listing(|server| provider.is_listing(server)));
        cell.store(Some(Arc::clone(&table)));
        table
    }

    /// Waits until the tools or the rules may differ from those of `known`.
    ///
    /// # Cancel safety
    /// May be dropped at any await; no change is lost.
    pub async fn changed(&self, known: &ToolTable) {
        let state = known.state;
        let (mut provider, mut rules) = (self.0.revision.clone(), self.0.rules.subscribe());
        tokio::select! {
            // A provider that ended changes no more.
            Ok(_) = provider.wait_for(|number| *number != state.provider) => {}
            Ok(_) = rules.wait_for(|rules| rules.number != state.rules) => {}
        }
    }

    /// Calls a tool that was listed, if the rules still allow it.
    ///
    /// # Errors
    /// [`CallError::Denied`] if they do not, and the errors of [`ToolProvider::call`].
    ///
    /// # Cancel safety
    /// That of [`ToolProvider::call`].
    pub async fn call(
        &self,
        listed: &ListedTool,
        arguments: Map<String, Value>,
    ) -> Result<Value, CallError> {
        let (server, tool) = (&listed.tool.server, &listed.tool.name);
        let event = |kind| {
            AuditEvent::new(kind)
                .fact("server", &**server)
                .fact("tool", &**tool)
        };
        let given = Value::Object(arguments);
        let reason = self.table().denial(server, tool).or_else(|| {
            let name = listed.tool.full_name();
            refusal(&self.0.authorizers, &Access::call(&name, &given))
        });
        let Value::Object(arguments) = given else {
            unreachable!("it was made of an object")
        };
        if let Some(reason) = reason {
            self.record(|| event(AuditKind::Denied).fact("reason", &*reason));
            return Err(CallError::Denied {
                server: Arc::clone(server),
                tool: Arc::clone(tool),
                reason,
            });
        }
        self.record_call(event(AuditKind::Called), &arguments);
        self.0.provider.call(server, tool, arguments).await
    }
}
