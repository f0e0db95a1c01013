//! The tools of all servers at one moment, under the rules of the operator.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use repertoire_core::text::terminal_line;
use repertoire_core::{Code, Diagnostic, Skill};
use repertoire_permission::{Access, Authorizer, decide};
use repertoire_registry::Candidate;

use crate::ServerTool;
use crate::exposed_name::{exposed_name, split_name};
use crate::tool_rules::{ToolOffer, ToolRules};
use crate::tool_selector::{DeclaredTools, ToolSelector};

/// A tool as clients get it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ListedTool {
    /// The name for clients: the [full name](ServerTool::full_name), or a shortened one if a client could refuse that.
    pub name: Arc<str>,
    /// The tool of the server.
    pub tool: ServerTool,
    hash: u64,
}

/// The tools of all servers at one moment, under the rules of the operator.
#[derive(Debug)]
pub struct ToolTable {
    pub(crate) state: TableState,
    servers: BTreeMap<Arc<str>, ListedServer>,
}

/// The numbers of the provider and of the rules that a table was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TableState {
    pub(crate) provider: u64,
    pub(crate) rules: u64,
}

/// The rules of servers by id; `None` for a host that defines none.
pub(crate) type RulesByServer = Option<BTreeMap<Arc<str>, ToolRules>>;

#[derive(Debug, Default)]
struct ListedServer {
    rules: ToolRules,
    /// Each tool, or the reason why it is denied.
    tools: BTreeMap<Arc<str>, DecidedTool>,
    /// `true` until its tools are known.
    is_listing: bool,
}

/// A tool, or the reason why it is denied.
type DecidedTool = Result<Arc<ListedTool>, Arc<str>>;

/// The tools that a skill brings, and the reasons why it is not ready.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct BroughtTools {
    /// The tools, sorted by name.
    pub tools: Vec<Arc<ListedTool>>,
    /// The reasons in the order in which the skill declares the tools.
    pub problems: Vec<String>,
    /// The fixes, each once.
    fixes: Vec<String>,
}

impl ToolTable {
    pub(crate) fn new(
        state: TableState,
        tools: &[ServerTool],
        rules: &RulesByServer,
        authorizers: &[Arc<dyn Authorizer>],
    ) -> ToolTable {
        let mut servers: BTreeMap<Arc<str>, ListedServer> = BTreeMap::new();
        for (id, rules) in rules.iter().flatten() {
            let server = servers.entry(Arc::clone(id)).or_default();
            server.rules = rules.clone();
        }
        let mut taken = HashSet::new();
        for tool in tools {
            let server = match servers.get_mut(&tool.server) {
                Some(server) => server,
                // It was removed, and its server is about to end.
                None if rules.is_some() => continue,
                None => servers.entry(Arc::clone(&tool.server)).or_default(),
            };
            let name = exposed_name(&tool.server, &tool.name);
            let denial = server
                .rules
                .denial(&tool.server, &tool.name)
                .or_else(|| refusal(authorizers, &Access::offer(&tool.full_name())))
                .or_else(|| {
                    let is_new = taken.insert(Arc::clone(&name));
                    (!is_new).then(|| "two tools have the same name for clients".into())
                });
            let listed = match denial {
                Some(reason) => Err(reason),
                None => Ok(Arc::new(ListedTool::new(name, tool.clone()))),
            };
            server.tools.insert(Arc::clone(&tool.name), listed);
        }
        ToolTable { state, servers }
    }

    /// Creates a table of servers by their ids, whose tools are not known. A tool is a problem only if the rules refuse it.
    pub fn declared<S: Into<Arc<str>>>(
        servers: impl IntoIterator<Item = (S, ToolRules)>,
    ) -> ToolTable {
        let servers = servers.into_iter().map(|(id, rules)| {
            let server = ListedServer {
                rules,
                tools: BTreeMap::new(),
                is_listing: true,
            };
            (id.into(), server)
        });
        ToolTable {
            state: TableState {
                provider: 0,
                rules: 0,
            },
            servers: servers.collect(),
        }
    }

    /// Marks the servers whose tools are not known yet.
    pub(crate) fn with_listing(mut self, is_listing: impl Fn(&str) -> bool) -> ToolTable {
        for (id, server) in &mut self.servers {
            server.is_listing = is_listing(id);
        }
        self
    }

    /// Returns the tools that are offered from the start of a session.
    pub fn always(&self) -> impl Iterator<Item = &Arc<ListedTool>> {
        self.servers
            .values()
            .filter(|server| server.rules.offer == ToolOffer::Always)
            .flat_map(ListedServer::allowed)
    }

    /// Returns all tools that the operator allows.
    #[doc(hidden)]
    pub fn tools(&self) -> impl Iterator<Item = &Arc<ListedTool>> {
        self.servers.values().flat_map(ListedServer::allowed)
    }

    /// Returns the tools that `candidate` brings: those of its `required_tools` and of its `allowed-tools` that belong to a server and
    /// that the operator allows. The caller checks whether the skill is visible.
    ///
    /// A required tool that is missing or denied is a problem, and so is an allowed tool of a known server.
    pub fn brought_by(&self, candidate: &Candidate<Skill>) -> BroughtTools {
        let declared = DeclaredTools::of(&candidate.item);
        let mut brought = BroughtTools::default();
        for text in &declared.unreadable {
            let text = terminal_line(text);
            let problem = format!("cannot read the tool `{text}`: expected `mcp__server__tool`");
            let fix = "name one server and a tool of it, or `*` for all of its tools";
            brought.add_problem(problem, fix.to_owned());
        }
        for selector in &declared.required {
            if !self.servers.contains_key(&selector.server) {
                let server = terminal_line(&selector.server);
                let problem = format!("{}, and there is no MCP server `{server}`", needs(selector));
                brought.add_problem(problem, format!("define the MCP server `{server}`"));
            }
        }
        for selector in declared.required.iter().chain(&declared.allowed) {
            if let Some(server) = self.servers.get(&selector.server) {
                server.bring(selector, candidate, &mut brought);
            }
        }
        brought.tools.sort_by(|a, b| a.name.cmp(&b.name));
        brought.tools.dedup_by(|a, b| a.name == b.name);
        brought
    }

    /// Returns the reason why `tool` may not be called; `None` also for a tool that is not known, about which its provider decides.
    pub(crate) fn denial(&self, server: &str, tool: &str) -> Option<Arc<str>> {
        self.servers
            .get(server)?
            .tools
            .get(tool)?
            .as_ref()
            .err()
            .cloned()
    }

    /// Returns the reasons why the tools of `candidate` are missing or denied; `None` if it is ready.
    pub fn not_ready(&self, candidate: &Candidate<Skill>) -> Option<Arc<str>> {
        let problems = self.brought_by(candidate).problems;
        (!problems.is_empty()).then(|| problems.join("; ").into())
    }

    /// Returns a diagnostic with the reasons why `candidate` is not ready, and their fixes.
    pub fn diagnostic(&self, candidate: &Candidate<Skill>) -> Option<Diagnostic> {
        let BroughtTools {
            problems, fixes, ..
        } = self.brought_by(candidate);
        if problems.is_empty() {
            return None;
        }
        let (id, reasons) = (&candidate.item.id, problems.join("; "));
        let message = format!("the skill `{id}` is not ready: {reasons}");
        let mut diagnostic = Diagnostic::new(Code::NOT_READY, message).help(fixes.join("; "));
        diagnostic.path = candidate.item.location.clone();
        Some(diagnostic)
    }
}

impl ListedServer {
    fn allowed(&self) -> impl Iterator<Item = &Arc<ListedTool>> {
        self.tools.values().filter_map(|tool| tool.as_ref().ok())
    }

    fn bring(
        &self,
        selector: &ToolSelector,
        candidate: &Candidate<Skill>,
        brought: &mut BroughtTools,
    ) {
        let selected = self.selected(selector);
        let allowed: Vec<_> = selected
            .iter()
            .filter_map(|tool| tool.as_ref().ok())
            .collect();
        let absence = match allowed.as_slice() {
            [] => self.absence(selector, &selected),
            _ => None,
        };
        if let Some((reason, fix)) = absence {
            brought.add_problem(format!("{}, {reason}", needs(selector)), fix);
        } else if self.rules.are_granted_to(candidate) {
            brought.tools.extend(allowed.into_iter().cloned());
        } else {
            let reason = if candidate.item.is_raw() {
                "it is raw"
            } else {
                "its source is not trusted"
            };
            let problem = format!(
                "{}, which the operator has not granted, and {reason}",
                needs(selector)
            );
            let id = candidate.qualified_id();
            let fix = format!(
                "add \"{id}\" to `grant-to` of the server `{}`",
                selector.server
            );
            brought.add_problem(problem, fix);
        }
    }

    fn selected(&self, selector: &ToolSelector) -> Vec<&DecidedTool> {
        if !selector.tool.has_star() {
            let name = selector.tool.to_string();
            return self.tools.get(name.as_str()).into_iter().collect();
        }
        let tools = self.tools.iter();
        tools
            .filter(|(name, _)| selector.tool.matches(name))
            .map(|(_, tool)| tool)
            .collect()
    }

    /// Returns the reason why no tool of `selected` is allowed, and a fix; `None` while that is not known.
    fn absence(
        &self,
        selector: &ToolSelector,
        selected: &[&DecidedTool],
    ) -> Option<(String, String)> {
        let server = &selector.server;
        let is_never = self.rules.offer == ToolOffer::Never;
        let denial = match selected.iter().find_map(|tool| tool.as_ref().err()) {
            Some(reason) => Some(Arc::clone(reason)),
            None if is_never || self.is_listing && !selector.tool.has_star() => {
                self.rules.denial(server, &selector.tool.to_string())
            }
            None => None,
        };
        if let Some(reason) = denial {
            let fix = format!("change the rules of the server `{server}`");
            return Some((format!("which is denied: {reason}"), fix));
        }
        if self.is_listing {
            return None;
        }
        let reason = match self.tools.is_empty() {
            true => format!("and the server `{server}` lists no tools"),
            false => format!("which the server `{server}` does not have"),
        };
        let fix = format!("correct the name, or look at the status of the server `{server}`");
        Some((reason, fix))
    }
}

fn needs(selector: &ToolSelector) -> String {
    format!("needs the tool `{}`", terminal_line(&selector.text))
}

impl BroughtTools {
    fn add_problem(&mut self, problem: String, fix: String) {
        if self.problems.contains(&problem) {
            return;
        }
        self.problems.push(problem);
        if !self.fixes.contains(&fix) {
            self.fixes.push(fix);
        }
    }
}

/// Returns the reason why `access` is not allowed, without the rule, which is for the log. A decision to ask counts as a denial, as
/// no person can be asked.
pub(crate) fn refusal(
    authorizers: &[Arc<dyn Authorizer>],
    access: &Access<'_>,
) -> Option<Arc<str>> {
    let decision = decide(authorizers, access)?;
    (!decision.is_allowed()).then(|| "permissions deny it".into())
}

impl ListedTool {
    /// Returns whether skills or clients call it so.
    pub fn is_called(&self, name: &str) -> bool {
        *self.name == *name || split_name(name) == Some((&self.tool.server, &self.tool.name))
    }

    fn new(name: Arc<str>, tool: ServerTool) -> ListedTool {
        let mut hasher = DefaultHasher::new();
        let annotations = tool.annotations.as_ref().map(ToString::to_string);
        let schema = serde_json::to_string(&*tool.input_schema).unwrap_or_default();
        (
            &name,
            &tool.server,
            &tool.name,
            &tool.description,
            schema,
            annotations,
        )
            .hash(&mut hasher);
        ListedTool {
            name,
            tool,
            hash: hasher.finish(),
        }
    }
}

/// Hashes everything that clients get.
impl Hash for ListedTool {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}
