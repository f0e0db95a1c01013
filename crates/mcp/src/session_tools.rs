//! The skills that are active in a session, and the tools of servers that they bring.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use repertoire::Skill;
use repertoire::permission::Audience;
use repertoire::registry::Candidate;
use repertoire::skill::skill_uri::SkillRoot;
use repertoire_mcp_servers::{AuditEvent, AuditKind, ListedTool, ToolAccess};
use rmcp::model::Implementation;
use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::watch;

use crate::given_skills::GivenSkills;
use crate::served_view::{ListVersions, ServedView, root_of};
use crate::session_log::LoggedSession;
use crate::{Caller, Server};

/// The most skills that are active in a session. Beyond that the one that was activated first leaves.
const MOST_ACTIVE: usize = 32;

/// The skills that are active in a session, and the tools that they bring.
#[derive(Debug, Default)]
pub(crate) struct SessionTools {
    state: Mutex<SessionState>,
    /// The number of activations and deactivations.
    changes: watch::Sender<u64>,
    /// The session in the log of the host, once it began.
    logged: OnceLock<LoggedSession>,
    /// The skills whose text a session was given. Requests without a session have no record.
    given: OnceLock<GivenSkills>,
}

#[derive(Debug, Default)]
struct SessionState {
    active: Vec<ActiveSkill>,
    offered: Option<Arc<OfferedTools>>,
}

/// A skill that was activated, and the audience that has to see it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ActiveSkill {
    root: SkillRoot,
    audience: Audience,
}

/// The tools of servers that a session is offered, in one view.
#[derive(Debug)]
pub(crate) struct OfferedTools {
    view: u64,
    changes: u64,
    /// Sorted by name.
    tools: Vec<Arc<ListedTool>>,
    pub(crate) has_active_skills: bool,
    /// The version of the whole list of tools. The same tools have the same version in every session.
    pub(crate) version: u64,
}

impl SessionTools {
    /// Returns a receiver of a number that changes with each activation and deactivation.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Records the session of `client` in the log of the host, and its skills from now on.
    pub(crate) fn log_session(
        &self,
        server: &Server,
        context: &RequestContext<RoleServer>,
        client: &Implementation,
    ) {
        if let Some(log) = &server.options().session_log {
            let caller = Caller::of(&context.extensions);
            self.logged.get_or_init(|| log.begin(client, caller));
        }
    }

    /// Records a request in the log of the host, unless its session is there.
    pub(crate) fn log_request(&self, server: &Server, context: &RequestContext<RoleServer>) {
        if let Some(log) = &server.options().session_log {
            self.logged.get_or_init(|| {
                let client = context.client_info();
                let client = client.unwrap_or_else(|| Implementation::new("unknown client", ""));
                log.join(&client, Caller::of(&context.extensions))
            });
        }
    }

    /// Records the skills that the session is given from now on.
    pub(crate) fn record_skills(&self) {
        self.given.get_or_init(GivenSkills::default);
    }

    /// Records that the session was given text of a skill, so that it is notified if that is denied.
    pub(crate) async fn record_given(&self, server: &Server, root: &SkillRoot) {
        if let Some(given) = self.given.get()
            && given.record(server, root).await
        {
            // It was denied while it was read.
            self.changes.send_modify(|number| *number += 1);
        }
    }

    /// Returns the skills whose text the session was given, and that are denied now. A later call does not return them again.
    pub(crate) fn newly_denied(&self, server: &Server) -> Vec<SkillRoot> {
        let given = self.given.get();
        given.map_or_else(Vec::new, |given| {
            given.newly_denied(server.registry().snapshot().rules())
        })
    }

    /// Activates the skill of `candidate`, or makes it the latest one.
    pub(crate) fn activate(
        &self,
        access: &ToolAccess,
        candidate: &Candidate<Skill>,
        audience: Audience,
    ) {
        let root = root_of(candidate);
        access.record(|| event(AuditKind::Activated, &root));
        if let Some(logged) = self.logged.get() {
            let brought = access.table().brought_by(candidate).tools;
            let names = brought.iter().map(|tool| Arc::clone(&tool.name));
            logged.record_activation(&root, audience, names.collect());
        }
        let mut state = self.state.lock();
        state.active.retain(|active| active.root != root);
        let displaced = (state.active.len() == MOST_ACTIVE).then(|| state.active.remove(0));
        state.active.push(ActiveSkill { root, audience });
        drop(state);
        if let Some(first) = displaced {
            self.record_deactivation(access, &first.root);
        }
        self.changes.send_modify(|number| *number += 1);
    }

    /// Deactivates the skills that `name` means: `skill`, or `source:skill`. Returns `false` if none was active.
    pub(crate) fn deactivate(&self, access: &ToolAccess, name: &str) -> bool {
        let mut state = self.state.lock();
        let gone: Vec<_> = state
            .active
            .extract_if(.., |active| {
                let SkillRoot { source, id } = &active.root;
                id.as_str() == name || format!("{source}:{id}") == name
            })
            .collect();
        drop(state);
        for active in &gone {
            self.record_deactivation(access, &active.root);
        }
        if !gone.is_empty() {
            self.changes.send_modify(|number| *number += 1);
        }
        !gone.is_empty()
    }

    fn record_deactivation(&self, access: &ToolAccess, root: &SkillRoot) {
        access.record(|| event(AuditKind::Deactivated, root));
        if let Some(logged) = self.logged.get() {
            logged.record_deactivation(root);
        }
    }

    /// Returns the versions of all lists for this session.
    pub(crate) fn versions(&self, server: &Server) -> ListVersions {
        let versions = server.view().versions;
        let tools = self.offered(server).version;
        ListVersions { tools, ..versions }
    }

    /// Returns the tools of servers that the session is offered now. A skill that its audience does not see any more is deactivated.
    pub(crate) fn offered(&self, server: &Server) -> Arc<OfferedTools> {
        let view = server.view();
        let mut state = self.state.lock();
        let changes = *self.changes.borrow();
        if let Some(offered) = &state.offered
            && (offered.view, offered.changes) == (view.number, changes)
        {
            return Arc::clone(offered);
        }
        let mut candidates = Vec::with_capacity(state.active.len());
        state.active.retain(|active| {
            let found = view.candidate(&active.root, active.audience);
            if let (None, Some(access)) = (&found, &server.options().server_tools) {
                self.record_deactivation(access, &active.root);
            }
            let is_seen = found.is_some();
            candidates.extend(found);
            is_seen
        });
        let offered = Arc::new(OfferedTools::new(&view, changes, &candidates));
        state.offered = Some(Arc::clone(&offered));
        offered
    }
}

fn event(kind: AuditKind, root: &SkillRoot) -> AuditEvent {
    let SkillRoot { source, id } = root;
    AuditEvent::new(kind).fact("skill", format!("{source}:{id}"))
}

impl OfferedTools {
    fn new(view: &ServedView, changes: u64, active: &[Candidate<Skill>]) -> OfferedTools {
        let mut offered = OfferedTools {
            view: view.number,
            changes,
            tools: Vec::new(),
            has_active_skills: !active.is_empty(),
            version: view.versions.tools,
        };
        let Some(table) = &view.table else {
            return offered;
        };
        let brought = active
            .iter()
            .flat_map(|candidate| table.brought_by(candidate).tools);
        let mut tools: Vec<_> = table.always().cloned().chain(brought).collect();
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        tools.dedup_by(|a, b| a.name == b.name);
        // The tools of skills come first, and a host may have named them in any way.
        tools.retain(|tool| !view.has_tool(&tool.name));
        let mut hasher = DefaultHasher::new();
        (view.versions.tools, offered.has_active_skills).hash(&mut hasher);
        tools.iter().for_each(|tool| tool.hash(&mut hasher));
        offered.version = hasher.finish();
        offered.tools = tools;
        offered
    }

    pub(crate) fn tools(&self) -> &[Arc<ListedTool>] {
        &self.tools
    }

    /// Returns the tool with this name, as clients or as skills spell it.
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<ListedTool>> {
        find_tool(&self.tools, name)
    }
}

/// Returns the tool with this name, as clients or as skills spell it, in `tools` sorted by name.
pub(crate) fn find_tool<'t>(
    tools: &'t [Arc<ListedTool>],
    name: &str,
) -> Option<&'t Arc<ListedTool>> {
    match tools.binary_search_by(|tool| tool.name.as_ref().cmp(name)) {
        Ok(at) => Some(&tools[at]),
        Err(_) => tools.iter().find(|tool| tool.is_called(name)),
    }
}
