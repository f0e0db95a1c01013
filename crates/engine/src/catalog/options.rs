//! The options of a catalog.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use repertoire_core::Id;

use super::{Budget, CatalogFormat, Overflow, SkillAges};
use crate::catalog::Tokenizer;
use crate::tools::ToolPreset;
use repertoire_permission::{Audience, VisibilityPolicy};

/// The options of a catalog: format, budget and overflow are chosen independently.
///
/// By default XML without locations, unlimited.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CatalogOptions {
    pub(super) format: CatalogFormat,
    pub(super) budget: Budget,
    pub(super) overflow: Overflow,
    pub(super) tokenizer: Tokenizer,
    pub(super) paths: Locations,
    pub(super) load: Option<LoadMethod>,
    pub(super) hint: Option<Cow<'static, str>>,
    pub(super) modes: VisibilityPolicy,
    pub(super) audience: Audience,
    pub(super) suggested: BTreeSet<Id>,
    pub(super) not_ready: BTreeSet<Id>,
    pub(super) ages: Arc<SkillAges>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Locations {
    Omitted,
    Listed,
}

impl Default for CatalogOptions {
    fn default() -> CatalogOptions {
        CatalogOptions {
            format: CatalogFormat::default(),
            budget: Budget::default(),
            overflow: Overflow::default(),
            tokenizer: Tokenizer::default(),
            paths: Locations::Omitted,
            load: None,
            hint: None,
            modes: VisibilityPolicy::default(),
            audience: Audience::Model,
            suggested: BTreeSet::new(),
            not_ready: BTreeSet::new(),
            ages: Arc::default(),
        }
    }
}

impl CatalogOptions {
    /// Sets the markup.
    #[must_use]
    pub fn format(mut self, format: CatalogFormat) -> CatalogOptions {
        self.format = format;
        self
    }

    /// The budget of the text.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> CatalogOptions {
        self.budget = budget;
        self
    }

    /// Sets the overflow strategy.
    #[must_use]
    pub fn overflow(mut self, overflow: Overflow) -> CatalogOptions {
        self.overflow = overflow;
        self
    }

    /// Sets the tokenizer of the budget.
    #[must_use]
    pub fn tokenizer(mut self, tokenizer: Tokenizer) -> CatalogOptions {
        self.tokenizer = tokenizer;
        self
    }

    /// Lists the file of each skill, for hosts whose model reads skills with its file tools. A host with a tool that reads skills
    /// does not need it.
    #[must_use]
    pub fn locations(mut self) -> CatalogOptions {
        self.paths = Locations::Listed;
        self
    }

    /// Sets the audience: the model by default, the user for a host that shows the catalog.
    #[must_use]
    pub fn seen_by(mut self, audience: Audience) -> CatalogOptions {
        self.audience = audience;
        self
    }

    /// Explains before the skills that a model reads the file of a skill, and lists these files.
    #[must_use]
    pub fn read_by_file(self) -> CatalogOptions {
        self.load(LoadMethod::Files)
    }

    /// Explains before the skills how a model calls the tools of `preset`. A catalog in the description of a tool does not need it.
    #[must_use]
    pub fn read_by_tool(self, preset: &ToolPreset) -> CatalogOptions {
        self.load(LoadMethod::of_tools(preset))
    }

    pub(super) fn load(mut self, method: LoadMethod) -> CatalogOptions {
        if method == LoadMethod::Files {
            self.paths = Locations::Listed;
        }
        self.load = Some(method);
        self
    }

    /// Marks the skills that a turn [suggests](crate::session::Evaluation::suggested). They are omitted after all others that are not
    /// pinned; their order and the rest of their lines stay the same.
    #[must_use]
    pub fn suggesting<'a>(mut self, suggested: impl IntoIterator<Item = &'a Id>) -> CatalogOptions {
        self.suggested = suggested.into_iter().cloned().collect();
        self
    }

    /// Marks the skills that cannot be followed now, as something that they need is missing or denied.
    #[doc(hidden)]
    #[must_use]
    pub fn marking_not_ready<'a>(
        mut self,
        skills: impl IntoIterator<Item = &'a Id>,
    ) -> CatalogOptions {
        self.not_ready = skills.into_iter().cloned().collect();
        self
    }

    /// Lists the skills that changed last at the end, so that edits leave the beginning of the text as it was. A provider's prompt
    /// cache then keeps more of it. By default a skill keeps its place when it changes.
    #[must_use]
    pub fn oldest_first(mut self, ages: impl Into<Arc<SkillAges>>) -> CatalogOptions {
        self.ages = ages.into();
        self
    }

    /// Sets the visibility policy.
    #[must_use]
    pub fn modes(mut self, modes: VisibilityPolicy) -> CatalogOptions {
        self.modes = modes;
        self
    }

    /// Explains how to find omitted skills, after their number. The default depends on how skills are read.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> CatalogOptions {
        self.hint = Some(hint.into());
        self
    }

    fn how_to_find(&self) -> Cow<'_, str> {
        match (&self.hint, &self.load) {
            (Some(hint), _) => hint.as_ref().into(),
            (None, Some(load)) => load.how_to_find(),
            (None, None) => "Each can still be loaded by its exact name.".into(),
        }
    }

    pub(super) fn opening(&self, kind: &str) -> String {
        let how_to = self.load.as_ref().map(LoadMethod::how_to);
        self.format.opening(kind, how_to.as_deref())
    }

    pub(super) fn note(&self, kind: &str, left_out: usize, out: &mut String) {
        self.format.note(
            kind,
            left_out,
            &repertoire_core::text::clean_line(&self.how_to_find()),
            out,
        );
    }

    /// The size of `text` as [`CatalogReport::used`](super::CatalogReport::used) counts it: in tokens for a budget of tokens,
    /// else in characters.
    pub fn count(&self, text: &str) -> usize {
        self.budget.meter(&self.tokenizer).whole(text)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum LoadMethod {
    Files,
    Tool {
        read: Cow<'static, str>,
        id: Cow<'static, str>,
        find: Option<Cow<'static, str>>,
    },
}

impl LoadMethod {
    pub(super) fn of_tools(preset: &ToolPreset) -> LoadMethod {
        let find = preset.search.as_ref().or(preset.list.as_ref());
        LoadMethod::Tool {
            read: preset.read.name.clone(),
            id: preset.read.id.clone(),
            find: find.cloned(),
        }
    }

    pub(super) fn how_to(&self) -> String {
        let how = match self {
            LoadMethod::Files => "read the whole file at its location".to_owned(),
            LoadMethod::Tool { read, id, .. } => format!("call `{read}` with its name as `{id}`"),
        };
        let paths = match self {
            LoadMethod::Files => "Relative paths are relative to that file's folder.",
            LoadMethod::Tool { .. } => {
                "Relative paths are relative to the folder that the answer names."
            }
        };
        format!(
            "Skills contain instructions for specific tasks. When a task matches a skill's description, {how} before you start, and \
             follow it. {paths}"
        )
    }

    fn how_to_find(&self) -> Cow<'_, str> {
        match self {
            LoadMethod::Files => {
                "Look for more files called `SKILL.md` in the folders around these.".into()
            }
            LoadMethod::Tool {
                find: Some(find), ..
            } => format!("`{find}` finds them.").into(),
            LoadMethod::Tool {
                read, find: None, ..
            } => format!("`{read}` still takes the exact name of each.").into(),
        }
    }
}
