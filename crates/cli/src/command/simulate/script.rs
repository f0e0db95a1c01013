//! The script of a conversation: what the host has, and what happens in each turn.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use repertoire::permission::{Authorizer, PermissionPolicy, SkillTools};
use repertoire::registry::Target;
use repertoire::session::{
    BodyPlacement, CompactionBudget, ConversationEnd, Lifetime, MessageRules, RefreshPolicy,
};
use repertoire::skill::{
    Attachable, Content, Flavor, FunctionalTier, Injection, InvokeLevel, Role, ToolPolicies,
    ToolPolicy, ToolSpec, Trigger,
};
use repertoire::tools::Toolset;
use repertoire::{Id, SessionOptions};
use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value, json};

use crate::context::CommandContext;
use crate::failure::Failure;
use crate::file_slot::is_quotable;
use crate::report::Excerpt;
use crate::text_file;

/// The script of a conversation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConversationScript {
    #[serde(default)]
    pub(super) session: SessionSettings,
    /// The permissions of each role.
    #[serde(default)]
    roles: BTreeMap<String, RolePermissions>,
    /// The active role.
    role: Option<String>,
    /// The tools of the host and of its skills.
    #[serde(default)]
    tools: Vec<ToolDefinition>,
    /// The injections of the host.
    #[serde(default)]
    pub(super) injections: Vec<InjectionDefinition>,
    /// The calls of the model.
    pub(super) turns: Vec<ScriptStep>,
}

/// The settings of the session.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SessionSettings {
    lifetime: Lifetime,
    bodies: BodyPlacement,
    refresh: RefreshPolicy,
    /// Whether the provider refuses two messages of one role in a row.
    strictly_alternating: bool,
}

/// The permissions of a role.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RolePermissions {
    /// The tools that it may call.
    #[serde(default)]
    tools: Vec<String>,
    /// The skills that it may see; all if absent.
    skills: Option<Vec<FromText<Target>>>,
    functional_tiers: Option<Vec<String>>,
    invoke_level: Option<u8>,
}

/// A tool of the host or of a skill.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ToolDefinition {
    name: String,
    #[serde(default)]
    description: String,
    /// The skill that provides it; without one it is a tool of the host.
    of: Option<String>,
    /// The policy of the gate of a raw skill.
    policy: Option<ToolPolicy>,
}

/// An injection of the host.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct InjectionDefinition {
    id: Id,
    flavor: Flavor,
    when: Trigger,
    system_prompt: Option<String>,
    message: Option<String>,
    /// The role of the message.
    role: Option<Role>,
}

/// One call of the model: its input and its reply.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ScriptStep {
    /// The conversation was compacted before this call.
    pub(super) compact: Option<Compaction>,
    /// A message of the user.
    pub(super) user: Option<String>,
    /// The type of the current task.
    pub(super) task: Option<String>,
    /// The files in use.
    #[serde(default)]
    pub(super) paths: Vec<String>,
    /// The command of the user.
    pub(super) command: Option<String>,
    /// The names of the host's rules that match.
    #[serde(default)]
    pub(super) rules: Vec<String>,
    /// Skills, and injections with `when: activated`, that the user activates.
    #[serde(default)]
    pub(super) activate: Vec<String>,
    /// Skills and injections that end.
    #[serde(default)]
    pub(super) deactivate: Vec<String>,
    /// The end of the conversation, if the tool results do not determine it.
    pub(super) ends_with: Option<ConversationEnd>,
    /// The text of the model.
    pub(super) says: Option<String>,
    /// The tool calls of the model.
    #[serde(default)]
    pub(super) calls: Vec<ToolCall>,
}

/// The token limits for repeating skills after a compaction.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Compaction {
    per_skill: Option<usize>,
    total: Option<usize>,
}

/// A tool call of the model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolCall {
    pub(super) tool: String,
    #[serde(default)]
    pub(super) arguments: Map<String, Value>,
    /// The text that patterns of `allowed-tools` match: the command of a shell, the path of a file.
    #[serde(default)]
    pub(super) about: String,
    /// The result; the tools for skills have their own.
    pub(super) result: Option<String>,
    /// Whether the call failed.
    #[serde(default)]
    pub(super) failed: bool,
}

/// A value that is parsed during deserialization, so that errors have a position.
#[derive(Debug)]
struct FromText<T>(T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for FromText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FromText<T>, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(FromText).map_err(de::Error::custom)
    }
}

const MOST_BYTES: u64 = 1 << 20;

impl ConversationScript {
    pub(super) fn read(path: &Path, cwd: &Path) -> Result<ConversationScript, Failure> {
        let (name, path) = (path.display().to_string(), cwd.join(path));
        let text = text_file::read(&path, &name, MOST_BYTES)?;
        let script: ConversationScript =
            serde_saphyr::from_str(&text).map_err(|error| match is_quotable(&path, cwd) {
                true => locate_error(&error, &name, &text),
                // The message quotes values, too.
                false => error_behind_link(&error, &name),
            })?;
        if script.turns.is_empty() {
            return Err(Failure::new(format!("`{name}` has no turns")));
        }
        Ok(script)
    }

    /// Returns the policy of the active role, if the script has roles.
    pub(super) fn policy(&self) -> Result<Option<Arc<PermissionPolicy>>, Failure> {
        let Some(active) = &self.role else {
            return match self.roles.is_empty() {
                true => Ok(None),
                false => Err(Failure::new("the script has `roles` and no active role")
                    .help("name one under `role`")),
            };
        };
        let tools = self
            .roles
            .iter()
            .map(|(name, role)| (name.as_str(), role.tools.iter().map(String::as_str)));
        let mut policy = PermissionPolicy::new(tools, active)?;
        for (name, role) in &self.roles {
            if let Some(skills) = &role.skills {
                policy = policy.skills(name, skills.iter().map(|FromText(skill)| skill.clone()))?;
            }
            if let Some(tiers) = &role.functional_tiers {
                let tiers = tiers.iter().map(|tier| FunctionalTier::new(tier));
                policy = policy.functional_tiers(name, tiers)?;
            }
            if let Some(level) = role.invoke_level {
                let level = InvokeLevel::new(&level.to_string()).ok_or_else(|| {
                    Failure::new(format!(
                        "the role `{name}` has the level {level}: expected 1, 2 or 3"
                    ))
                })?;
                policy = policy.invoke_level(name, level)?;
            }
        }
        Ok(Some(Arc::new(policy)))
    }

    pub(super) fn available(&self, tools: &Toolset) -> Vec<String> {
        if self.tools.is_empty() {
            return Vec::new();
        }
        let names = tools.tools().iter().map(|tool| tool.name.to_string());
        names
            .chain(self.tools.iter().map(|tool| tool.name.clone()))
            .collect()
    }

    /// Returns the tools for skills and those of the script, with their permissions.
    pub(super) fn gate(
        &self,
        tools: &Toolset,
        policy: Option<&Arc<PermissionPolicy>>,
        context: &CommandContext,
    ) -> Result<SkillTools, Failure> {
        let mut own = tools.tools().to_vec();
        for tool in self.tools.iter().filter(|tool| tool.of.is_none()) {
            own.push(tool.spec()?);
        }
        let mut gate = SkillTools::new(own)?;
        for tool in &self.tools {
            let Some(of) = &tool.of else { continue };
            let found = context.find(of)?;
            let skill = Attachable::new(found.candidate.item.clone())
                .unwrap_or_else(|raw| raw.with_policies(tool.gate()));
            gate = gate.with(&found.entry.id, &skill, [tool.spec()?])?;
        }
        Ok(match policy {
            Some(policy) => gate.permitted_by(Arc::clone(policy) as Arc<dyn Authorizer>),
            None => gate,
        })
    }
}

impl SessionSettings {
    pub(super) fn options(&self, context: &CommandContext) -> SessionOptions {
        let surfaces = context.registry.surface_policy();
        let provider = context
            .model
            .provider()
            .or(surfaces.hint.as_deref())
            .unwrap_or_default()
            .to_owned();
        let rules = MessageRules::of_provider(&provider);
        let rules = if self.strictly_alternating {
            rules.strictly_alternating()
        } else {
            rules
        };
        let options = SessionOptions::new(surfaces).message_rules(&provider, rules);
        options
            .lifetime(self.lifetime)
            .bodies(self.bodies)
            .refresh(self.refresh)
    }
}

impl ToolDefinition {
    fn spec(&self) -> Result<ToolSpec, Failure> {
        let schema = json!({"type": "object"});
        Ok(ToolSpec::new(
            self.name.as_str(),
            self.description.as_str(),
            schema,
        )?)
    }

    /// Returns the gate of a raw skill, which blocks the tool if no policy is set.
    fn gate(&self) -> ToolPolicies {
        match self.policy {
            Some(policy) => ToolPolicies::new().with(self.name.as_str(), policy),
            None => ToolPolicies::new(),
        }
    }
}

impl InjectionDefinition {
    pub(super) fn injection(&self) -> Result<Injection, Failure> {
        if matches!(self.flavor, Flavor::Skill | Flavor::Custom(_)) {
            let message = format!("unknown flavor of the injection `{}`", self.id);
            return Err(
                Failure::new(message).help("expected steering, instructions, fact, rag or memory")
            );
        }
        let mut content = match &self.message {
            Some(message) => Content::message(self.role.unwrap_or(Role::User), message.as_str()),
            None => Content::default(),
        };
        content.system_prompt = self.system_prompt.as_deref().map(Into::into);
        Ok(Injection::new(
            self.id.clone(),
            self.flavor.clone(),
            self.when.clone(),
            "",
            content,
        )?)
    }
}

impl Compaction {
    pub(super) fn survival(self) -> CompactionBudget {
        let default = CompactionBudget::default();
        CompactionBudget::new(
            self.per_skill.unwrap_or(default.per_skill),
            self.total.unwrap_or(default.total),
        )
    }
}

fn locate_error(error: &serde_saphyr::Error, name: &str, text: &str) -> Failure {
    const PLAINER: [(&str, &str); 4] = [
        ("expected mapping start", "expected a map"),
        ("expected sequence start", "expected a list"),
        ("expected string scalar", "expected a text"),
        (", set DuplicateKeyPolicy in Options if acceptable", ""),
    ];
    let error = error.without_snippet();
    let mut message = PLAINER
        .iter()
        .fold(error.to_string(), |message, (from, to)| {
            message.replace(from, to)
        });
    let place = error.location().and_then(|place| {
        let (line, column) = (place.line(), place.column());
        // The excerpt shows the position.
        if let Some(at) = message.find(&format!(" at line {line}, column {column}")) {
            message.truncate(at);
        }
        Excerpt::at(text, u32::try_from(line).ok()?, u32::try_from(column).ok()?)
    });
    let failure = Failure::new(message);
    match place {
        Some(excerpt) => failure.at(name, excerpt),
        None => failure,
    }
}

fn error_behind_link(error: &serde_saphyr::Error, name: &str) -> Failure {
    let failure = Failure::new(format!("`{name}` is not a valid script"));
    match error.location() {
        Some(place) => failure.help(format!(
            "see line {} of the file that it links to",
            place.line()
        )),
        None => failure,
    }
}
