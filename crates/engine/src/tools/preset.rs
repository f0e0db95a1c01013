//! The presets of tools.

use std::borrow::Cow;

use repertoire_core::ToolSpec;

use crate::error::EngineError;

/// The names of the tools and of their parameters, and the format of their results, as one family of clients has them.
///
/// ```
/// use repertoire_engine::tools::ToolPreset;
///
/// let preset = ToolPreset::DEFAULT.read_tool("use_skill", "id")?.without("search_skills");
/// # let _ = preset;
/// # Ok::<(), repertoire_engine::session::EngineError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ToolPreset {
    name: &'static str,
    pub(crate) list: Option<Cow<'static, str>>,
    pub(crate) search: Option<Cow<'static, str>>,
    pub(crate) read: ReadTool,
    pub(crate) resource: Option<ResourceTool>,
    /// The tool that returns the plan of a skill. Its parameters are those of `read`.
    pub(crate) plan: Option<Cow<'static, str>>,
    pub(crate) rows: RowFormat,
    pub(crate) wrapper: BodyWrapper,
}

/// The tool that returns instructions, and the names of its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ReadTool {
    pub(crate) name: Cow<'static, str>,
    pub(crate) id: Cow<'static, str>,
    pub(crate) arguments: Option<Cow<'static, str>>,
    pub(crate) offset: Option<Cow<'static, str>>,
}

/// The tool that returns a file, and the names of its parameters. It also takes `offset` and `limit`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ResourceTool {
    pub(crate) name: Cow<'static, str>,
    pub(crate) id: Cow<'static, str>,
    pub(crate) path: Cow<'static, str>,
}

/// The rows of lists and searches: JSON, indented by two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RowFormat {
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
pub(crate) enum BodyWrapper {
    /// An element with the skill's name, the instructions, its folder, and its files. Hosts find it by its tag when they compact a
    /// conversation.
    Element {
        tag: &'static str,
    },
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
    ReadTool {
        name: text(name),
        id: text(id),
        arguments,
        offset: None,
    }
}

const fn one_tool(name: &'static str, read: ReadTool, tag: &'static str) -> ToolPreset {
    let wrapper = BodyWrapper::Element { tag };
    ToolPreset {
        name,
        list: None,
        search: None,
        read,
        resource: None,
        plan: None,
        rows: RowFormat::Array,
        wrapper,
    }
}

impl ToolPreset {
    /// The preset with `list_skills`, `search_skills`, `read_skill` and `read_skill_resource`.
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
        resource: Some(ResourceTool {
            name: text("read_skill_resource"),
            id: text("id"),
            path: text("path"),
        }),
        plan: None,
        rows: RowFormat::Pages,
        wrapper: BodyWrapper::Element {
            tag: "skill_content",
        },
    };

    pub(crate) const AGENTFOOTPRINT: ToolPreset = ToolPreset {
        name: "agentfootprint",
        list: Some(text("list_skills")),
        search: None,
        read: read("read_skill", "id", None),
        resource: None,
        plan: None,
        rows: RowFormat::Array,
        wrapper: BodyWrapper::Plain,
    };

    pub(crate) const CORTEX: ToolPreset = one_tool(
        "cortex",
        read("load_skill", "name", Some("arguments")),
        "skill-instructions",
    );

    pub(crate) const FIND_SKILLS: ToolPreset = ToolPreset {
        name: "find-skills",
        list: Some(text("list_skills")),
        search: Some(text("search_skills")),
        read: read("load_skill_instructions", "skill_name", None),
        resource: None,
        plan: None,
        rows: RowFormat::Named,
        wrapper: BodyWrapper::Descriptor,
    };

    pub(crate) const GEMINI_CLI: ToolPreset = one_tool(
        "gemini-cli",
        read("activate_skill", "name", None),
        "activated_skill",
    );

    pub(crate) const OPENCODE: ToolPreset =
        one_tool("opencode", read("skill", "name", None), "skill_content");

    pub(crate) const GOOSE: ToolPreset = one_tool(
        "goose",
        read("load_skill", "name", Some("args")),
        "loaded_skill",
    );

    pub(crate) const AGENT_FRAMEWORK: ToolPreset = ToolPreset {
        name: "agent-framework",
        list: None,
        search: None,
        read: read("load_skill", "skillName", None),
        resource: Some(ResourceTool {
            name: text("read_skill_resource"),
            id: text("skillName"),
            path: text("resourceName"),
        }),
        plan: None,
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

    /// Returns the name of the preset.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the name of the tool that reads instructions.
    pub fn read_name(&self) -> &str {
        &self.read.name
    }

    /// Sets the name of the tool that lists skills.
    ///
    /// # Errors
    /// [`EngineError::InvalidToolName`].
    pub fn list_tool(
        mut self,
        name: impl Into<Cow<'static, str>>,
    ) -> Result<ToolPreset, EngineError> {
        self.list = Some(tool_name(name)?);
        Ok(self)
    }

    /// Sets the name of the tool that searches skills.
    ///
    /// # Errors
    /// [`EngineError::InvalidToolName`].
    pub fn search_tool(
        mut self,
        name: impl Into<Cow<'static, str>>,
    ) -> Result<ToolPreset, EngineError> {
        self.search = Some(tool_name(name)?);
        Ok(self)
    }

    /// Sets the name of the tool that reads instructions, and its parameter for the skill.
    ///
    /// # Errors
    /// [`EngineError::InvalidToolName`].
    pub fn read_tool(
        mut self,
        name: impl Into<Cow<'static, str>>,
        id: impl Into<Cow<'static, str>>,
    ) -> Result<ToolPreset, EngineError> {
        (self.read.name, self.read.id) = (tool_name(name)?, tool_name(id)?);
        Ok(self)
    }

    /// Sets the name of the tool that reads files, with the parameters `id` and `path`.
    ///
    /// # Errors
    /// [`EngineError::InvalidToolName`].
    pub fn resource_tool(
        mut self,
        name: impl Into<Cow<'static, str>>,
    ) -> Result<ToolPreset, EngineError> {
        self.resource = Some(ResourceTool {
            name: tool_name(name)?,
            id: text("id"),
            path: text("path"),
        });
        Ok(self)
    }

    /// Adds a tool that returns the steps and the checks of a skill. It has the parameters of the tool that reads instructions, and is
    /// offered while a visible skill has a `workflow` or a `verification`.
    ///
    /// # Errors
    /// [`EngineError::InvalidToolName`].
    pub fn plan_tool(
        mut self,
        name: impl Into<Cow<'static, str>>,
    ) -> Result<ToolPreset, EngineError> {
        self.plan = Some(tool_name(name)?);
        Ok(self)
    }

    /// Removes the tool called `name`. The tool that reads instructions stays.
    #[must_use]
    pub fn without(mut self, name: &str) -> ToolPreset {
        self.list = self.list.filter(|list| list != name);
        self.search = self.search.filter(|search| search != name);
        self.resource = self.resource.filter(|resource| resource.name != name);
        self.plan = self.plan.filter(|plan| plan != name);
        self
    }
}

fn tool_name(name: impl Into<Cow<'static, str>>) -> Result<Cow<'static, str>, EngineError> {
    let name = name.into();
    if ToolSpec::is_name(&name) {
        Ok(name)
    } else {
        Err(EngineError::InvalidToolName(name.into_owned()))
    }
}

impl Default for ToolPreset {
    fn default() -> ToolPreset {
        ToolPreset::DEFAULT
    }
}
