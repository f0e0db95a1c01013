//! The options and presets of tools.

use std::borrow::Cow;
use std::sync::Arc;

use crate::catalog::CatalogOptions;
use crate::permission::{Audience, VisibilityPolicy};
use crate::search::Ranker;

/// The options of tools: by default the project's own names, and no catalog in a description.
#[derive(Debug, Clone)]
pub struct ToolOptions {
    pub(crate) preset: ToolPreset,
    pub(crate) audience: Audience,
    pub(super) catalog: Option<CatalogOptions>,
    pub(crate) modes: VisibilityPolicy,
    pub(super) ranker: Option<Arc<dyn Ranker>>,
    pub(super) named: usize,
}

impl Default for ToolOptions {
    fn default() -> ToolOptions {
        ToolOptions {
            preset: ToolPreset::DEFAULT,
            audience: Audience::Model,
            catalog: None,
            modes: VisibilityPolicy::default(),
            ranker: None,
            named: 250,
        }
    }
}

impl ToolOptions {
    /// Names, parameters and shapes.
    #[must_use]
    pub fn preset(mut self, preset: ToolPreset) -> ToolOptions {
        self.preset = preset;
        self
    }

    /// Sets the audience: the model by default, the user for a host that serves its user's commands.
    #[must_use]
    pub fn seen_by(mut self, audience: Audience) -> ToolOptions {
        self.audience = audience;
        self
    }

    /// Puts a catalog into the description of the tool that reads skills, for hosts that have it nowhere else. It lists what this
    /// role may see, where permissions decide that.
    #[must_use]
    pub fn catalog(mut self, catalog: CatalogOptions) -> ToolOptions {
        self.catalog = Some(catalog);
        self
    }

    /// Sets the visibility policy, also for the catalog in a description.
    #[must_use]
    pub fn modes(mut self, modes: VisibilityPolicy) -> ToolOptions {
        self.modes = modes;
        self
    }

    /// Another ranking beside that by words. Where it fails, words alone decide.
    #[must_use]
    pub fn ranker(mut self, ranker: Arc<dyn Ranker>) -> ToolOptions {
        self.ranker = Some(ranker);
        self
    }

    /// Names every skill in the schemas as long as they are no more than so many. 250 by default, up to which
    /// every provider takes them.
    #[must_use]
    pub fn name_at_most(mut self, count: usize) -> ToolOptions {
        self.named = count;
        self
    }
}

/// Names of the tools and of their parameters, and the shapes of their results: how one family of clients has them.
///
/// All fields are public: take a preset and change what differs.
///
/// ```
/// use repertoire_engine::tools::ToolPreset;
///
/// let mut preset = ToolPreset::DEFAULT;
/// preset.read.name = "use_skill".into();
/// preset.search = None;
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ToolPreset {
    /// The name of the preset.
    pub name: &'static str,
    /// The name of the tool that lists skills, if there is one.
    pub list: Option<Cow<'static, str>>,
    /// The name of the tool that searches them, if there is one.
    pub search: Option<Cow<'static, str>>,
    /// The tool that gives a skill's instructions.
    pub read: ReadTool,
    /// The tool that gives a file beside them, if there is one.
    pub resource: Option<ResourceTool>,
    /// The rows of lists and searches.
    pub rows: RowFormat,
    /// The wrapper of instructions.
    pub wrapper: BodyWrapper,
}

/// The tool that gives a skill's instructions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReadTool {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The parameter that names the skill.
    pub id: Cow<'static, str>,
    /// The parameter for what the skill shall work on, if there is one.
    pub arguments: Option<Cow<'static, str>>,
    /// The parameter that says where to read on, if long instructions come in parts.
    pub offset: Option<Cow<'static, str>>,
}

/// The tool that gives a file beside the instructions. It also takes `offset` and `limit`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResourceTool {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The parameter that names the skill.
    pub id: Cow<'static, str>,
    /// The parameter that names the file.
    pub path: Cow<'static, str>,
}

/// The rows of lists and searches: JSON, indented by two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowFormat {
    /// `{"skills": [{"id", "description"}], "total", "next_cursor"}` in the catalog's order, a page at a time;
    /// `{"query", "matches"}`.
    Pages,
    /// `[{"id", "description"}]`, all of them, in the registry's order.
    Array,
    /// `{"skills": [{"name", "description"}]}`, all of them, in the registry's order; `{"query", "matches"}`. An
    /// unknown skill is answered by `{"error": "unknown_skill", "skill_name"}`.
    Named,
}

/// The wrapper of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyWrapper {
    /// An element with the skill's name, the instructions, its folder, and the files in it. What a host wants to
    /// keep when it shortens a conversation is found by the element's name.
    Element {
        /// The element's name.
        tag: &'static str,
    },
    /// The instructions alone.
    Plain,
    /// `{"name", "instructions", "tools", "references"}`.
    Descriptor,
}

const fn text(text: &'static str) -> Cow<'static, str> {
    Cow::Borrowed(text)
}

const fn read(name: &'static str, id: &'static str, arguments: Option<&'static str>) -> ReadTool {
    let arguments = match arguments {
        Some(arguments) => Some(text(arguments)),
        None => None,
    };
    ReadTool { name: text(name), id: text(id), arguments, offset: None }
}

const fn one_tool(name: &'static str, read: ReadTool, tag: &'static str) -> ToolPreset {
    let wrapper = BodyWrapper::Element { tag };
    ToolPreset { name, list: None, search: None, read, resource: None, rows: RowFormat::Array, wrapper }
}

impl ToolPreset {
    /// The project's own: `list_skills`, `search_skills`, `read_skill` and `read_skill_resource`.
    pub const DEFAULT: ToolPreset = ToolPreset {
        name: "repertoire",
        list: Some(text("list_skills")),
        search: Some(text("search_skills")),
        read: ReadTool {
            name: text("read_skill"),
            id: text("id"),
            arguments: Some(text("arguments")),
            offset: Some(text("offset")),
        },
        resource: Some(ResourceTool { name: text("read_skill_resource"), id: text("id"), path: text("path") }),
        rows: RowFormat::Pages,
        wrapper: BodyWrapper::Element { tag: "skill_content" },
    };

    /// agentfootprint's: `list_skills` and `read_skill`, the instructions word for word.
    pub const AGENTFOOTPRINT: ToolPreset = ToolPreset {
        name: "agentfootprint",
        list: Some(text("list_skills")),
        search: None,
        read: read("read_skill", "id", None),
        resource: None,
        rows: RowFormat::Array,
        wrapper: BodyWrapper::Plain,
    };

    /// Cortex's `load_skill`.
    pub const CORTEX: ToolPreset =
        one_tool("cortex", read("load_skill", "name", Some("arguments")), "skill-instructions");

    /// mirai's skill `find-skills`: `list_skills`, `search_skills` and `load_skill_instructions`.
    pub const FIND_SKILLS: ToolPreset = ToolPreset {
        name: "find-skills",
        list: Some(text("list_skills")),
        search: Some(text("search_skills")),
        read: read("load_skill_instructions", "skill_name", None),
        resource: None,
        rows: RowFormat::Named,
        wrapper: BodyWrapper::Descriptor,
    };

    /// Gemini CLI's `activate_skill`.
    pub const GEMINI_CLI: ToolPreset = one_tool("gemini-cli", read("activate_skill", "name", None), "activated_skill");

    /// OpenCode's `skill`.
    pub const OPENCODE: ToolPreset = one_tool("opencode", read("skill", "name", None), "skill_content");

    /// goose's `load_skill`.
    pub const GOOSE: ToolPreset = one_tool("goose", read("load_skill", "name", Some("args")), "loaded_skill");

    /// The Agent Framework's `load_skill` and `read_skill_resource`.
    pub const AGENT_FRAMEWORK: ToolPreset = ToolPreset {
        name: "agent-framework",
        list: None,
        search: None,
        read: read("load_skill", "skillName", None),
        resource: Some(ResourceTool {
            name: text("read_skill_resource"),
            id: text("skillName"),
            path: text("resourceName"),
        }),
        rows: RowFormat::Array,
        wrapper: BodyWrapper::Element { tag: "skill" },
    };

    /// Every shipped preset.
    pub const ALL: [&'static ToolPreset; 8] = [
        &ToolPreset::DEFAULT,
        &ToolPreset::AGENTFOOTPRINT,
        &ToolPreset::CORTEX,
        &ToolPreset::FIND_SKILLS,
        &ToolPreset::GEMINI_CLI,
        &ToolPreset::OPENCODE,
        &ToolPreset::GOOSE,
        &ToolPreset::AGENT_FRAMEWORK,
    ];
}

impl Default for ToolPreset {
    fn default() -> ToolPreset {
        ToolPreset::DEFAULT
    }
}
