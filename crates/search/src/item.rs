//! The content of an item that an index reads.

use std::borrow::Cow;

use repertoire_core::{FunctionalTier, InvokeLevel, Skill, SkillTrigger, Value};
use repertoire_permission::VisibleItem;

/// An item that a [`SearchIndex`](super::SearchIndex) finds: a skill, an agent, a workflow.
///
/// ```
/// use repertoire_core::{Id, Item, Listing, ListingEntry, Revision, Stamp};
/// use repertoire_permission::VisibleItem;
/// use repertoire_registry::{Layer, Origin, Tier, merge};
/// use repertoire_search::{Query, SearchIndex, SearchItem};
///
/// #[derive(Debug, Clone, PartialEq)]
/// struct Agent(Id, &'static str);
///
/// impl Item for Agent {
///     const KIND: &'static str = "agent";
///     fn id(&self) -> &Id {
///         &self.0
///     }
///     fn description(&self) -> Option<&str> {
///         Some(self.1)
///     }
/// }
/// impl VisibleItem for Agent {}
/// impl SearchItem for Agent {}
///
/// let agent = Agent("reviewer".parse()?, "Reviews changes.");
/// let rows = [ListingEntry::new(agent, Stamp::of("1"))];
/// let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, Listing::new(Revision(0), rows, []))]);
/// let hits = SearchIndex::new(&snapshot).search(&Query::new("review a change"));
/// assert_eq!(hits[0].entry.id.as_str(), "reviewer");
/// # Ok::<(), repertoire_core::InvalidValue>(())
/// ```
pub trait SearchItem: VisibleItem {
    /// Returns the texts that are searched besides the id. By default, the [description](repertoire_core::Item::description).
    fn search_texts(&self) -> SearchTexts<'_> {
        SearchTexts::new().description(self.description().unwrap_or_default())
    }
}

/// The texts of an item that are searched besides its id, and the labels that a [`Query`](super::Query) may ask for.
#[derive(Debug, Clone)]
pub struct SearchTexts<'a> {
    pub(super) triggers: Vec<Cow<'a, str>>,
    pub(super) tags: Vec<&'a str>,
    pub(super) categories: Vec<&'a str>,
    pub(super) tools: Vec<&'a str>,
    pub(super) descriptions: Vec<&'a str>,
    pub(super) functional_tier: Option<FunctionalTier>,
    pub(super) level: InvokeLevel,
}

impl<'a> SearchTexts<'a> {
    /// Creates texts of an item that has an id alone.
    pub fn new() -> SearchTexts<'a> {
        SearchTexts {
            triggers: Vec::new(),
            tags: Vec::new(),
            categories: Vec::new(),
            tools: Vec::new(),
            descriptions: Vec::new(),
            functional_tier: None,
            level: InvokeLevel::Any,
        }
    }

    /// Adds a phrase that the item is for.
    #[must_use]
    pub fn trigger(mut self, phrase: impl Into<Cow<'a, str>>) -> SearchTexts<'a> {
        self.triggers.push(phrase.into());
        self
    }

    /// Adds a tag.
    #[must_use]
    pub fn tag(mut self, tag: &'a str) -> SearchTexts<'a> {
        self.tags.push(tag);
        self
    }

    /// Adds a category.
    #[must_use]
    pub fn category(mut self, category: &'a str) -> SearchTexts<'a> {
        self.categories.push(category);
        self
    }

    /// Adds the name of a tool that the item needs or brings. It is a filter, and its words are not searched.
    #[must_use]
    pub fn tool(mut self, tool: &'a str) -> SearchTexts<'a> {
        self.tools.push(tool);
        self
    }

    /// Adds a text that describes the item.
    #[must_use]
    pub fn description(mut self, text: &'a str) -> SearchTexts<'a> {
        self.descriptions.push(text);
        self
    }
}

impl Default for SearchTexts<'_> {
    fn default() -> Self {
        SearchTexts::new()
    }
}

impl SearchItem for Skill {
    fn search_texts(&self) -> SearchTexts<'_> {
        let triggers = self
            .triggers()
            .into_iter()
            .filter_map(|trigger| match trigger {
                SkillTrigger::Keyword(text)
                | SkillTrigger::Task(text)
                | SkillTrigger::Command(text) => Some(Cow::Owned(text.to_string())),
                // Patterns of paths, tools and texts are no words.
                _ => None,
            });
        let descriptions = [Some(self.description.as_ref()), self.when_to_use()];
        SearchTexts {
            triggers: triggers.collect(),
            tags: self.tags(),
            categories: categories(self),
            tools: tools(self),
            descriptions: descriptions.into_iter().flatten().collect(),
            functional_tier: self.functional_tier(),
            level: self.invoke_level(),
        }
    }
}

fn categories(skill: &Skill) -> Vec<&str> {
    let value = skill
        .field("category")
        .or_else(|| skill.field("metadata")?.get("category"));
    value
        .map_or(&[][..], Value::items)
        .iter()
        .filter_map(Value::as_text)
        .collect()
}

fn tools(skill: &Skill) -> Vec<&str> {
    let allowed = skill.allowed_tools.iter().flatten().map(AsRef::as_ref);
    let tools = skill
        .required_tools()
        .into_iter()
        .chain(skill.tools())
        .chain(allowed);
    tools
        .map(|tool| tool.split_once('(').map_or(tool, |(name, _)| name))
        .collect()
}
