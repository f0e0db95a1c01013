//! Skills, as a listing has them.

mod keyword;
mod labels;
mod record;
mod skill_trigger;
mod views;
mod workflow;

use std::sync::Arc;

use serde::Serialize;

pub use self::keyword::WeakKeyword;
pub(crate) use self::labels::declares_raw;
pub use self::labels::{FunctionalTier, InvokeLevel};
pub use self::skill_trigger::SkillTrigger;
pub use self::workflow::{Check, OnError, WorkflowFault, WorkflowStep};
use crate::declared::{
    ALLOWED_TOOLS, ALLOWED_WORKFLOWS, DISABLE_MODEL_INVOCATION, DeclaredFields, SURFACE,
    USER_INVOCABLE, unique,
};

use crate::{Flavor, Id, Injection, InvalidValue, Item, SurfaceMode, ToolPattern, Value};

/// A skill at level 1: id, description and front matter. Its body and resources are read later.
///
/// Fields about rights and delivery are typed when the file is parsed. All fields are kept as written in
/// [`fields`](Skill::fields), and the methods below type them on demand.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Skill {
    /// The id: the written name, else the directory's.
    pub id: Id,
    /// A text that says what the skill does and when to use it, trimmed.
    pub description: Arc<str>,
    /// The declared surface mode; `None` leaves it to the cascade.
    pub surface: Option<SurfaceMode>,
    /// Tools the skill pre-approves, in order; `None` when it says nothing.
    pub allowed_tools: Option<Vec<Arc<str>>>,
    /// Hidden from the model; the user may still call it.
    pub disable_model_invocation: bool,
    /// Offered to the user.
    pub user_invocable: bool,
    /// Workflows that may use the skill; `None` when it says nothing, empty when none may.
    pub allowed_workflows: Option<Vec<Arc<str>>>,
    /// The place it comes from, for people and for the model. Never parsed.
    pub location: Option<Arc<str>>,
    /// Every front-matter field in source order, known ones too.
    pub fields: Vec<(Arc<str>, Value)>,
    /// The spelling of `argument-hint` in its file, if its value does not give it. Boxed, because few skills have it.
    #[serde(skip)]
    argument_hint: Option<Box<Arc<str>>>,
    /// The real path of its file, which only the source that read the file sets.
    #[serde(skip)]
    real_location: Option<Arc<str>>,
}

impl Skill {
    /// Creates a skill that declares nothing but its id and description.
    pub fn new(id: Id, description: impl Into<Arc<str>>) -> Skill {
        Skill {
            id,
            description: description.into(),
            surface: None,
            allowed_tools: None,
            disable_model_invocation: false,
            user_invocable: true,
            allowed_workflows: None,
            location: None,
            fields: Vec::new(),
            argument_hint: None,
            real_location: None,
        }
    }

    /// Sets the location.
    #[must_use]
    pub fn from_location(mut self, location: impl Into<Arc<str>>) -> Skill {
        self.location = Some(location.into());
        self
    }

    /// Sets the real path of its file. Only for sources that read the file themselves: a registry counts two skills with one real
    /// path as one.
    #[must_use]
    #[doc(hidden)]
    pub fn from_real_location(mut self, location: impl Into<Arc<str>>) -> Skill {
        self.real_location = Some(location.into());
        self
    }

    /// Sets a field of the front matter, and the typed field that it decides.
    ///
    /// ```
    /// use repertoire_core::Skill;
    ///
    /// let skill = Skill::new("fix".parse()?, "Repairs a broken build.")
    ///     .with_field("triggers", ["broken build", "/fix"])
    ///     .with_field("arguments", ["branch"])
    ///     .with_field("tags", ["ci"])
    ///     .with_field("allowed-tools", ["Bash(git:*)"])
    ///     .with_field("user-invocable", false);
    /// assert_eq!((skill.triggers().len(), skill.arguments(), skill.user_invocable), (2, vec!["branch"], false));
    /// # Ok::<(), repertoire_core::InvalidValue>(())
    /// ```
    #[must_use]
    pub fn with_field(mut self, key: &str, value: impl Into<Value>) -> Skill {
        self.fields.retain(|(name, _)| name.as_ref() != key);
        self.fields.push((key.into(), value.into()));
        let declared = DeclaredFields::read(&self.fields, |_, _, _| {});
        match key {
            ALLOWED_TOOLS => self.allowed_tools = declared.allowed_tools,
            ALLOWED_WORKFLOWS => self.allowed_workflows = declared.allowed_workflows,
            DISABLE_MODEL_INVOCATION => {
                self.disable_model_invocation = declared.disable_model_invocation
            }
            USER_INVOCABLE => self.user_invocable = declared.user_invocable,
            "metadata" => self.surface = declared.surface.or(self.surface),
            key if SURFACE.contains(&key) => self.surface = declared.surface,
            _ => {}
        }
        self
    }

    /// Returns the rules of [`allowed_tools`](Skill::allowed_tools) in order, each with what it grants. A rule that cannot be read
    /// grants nothing.
    #[doc(hidden)]
    pub fn allowed_rules(
        &self,
    ) -> impl Iterator<Item = (&Arc<str>, Result<ToolPattern, InvalidValue>)> {
        let location = self.location.as_deref();
        self.allowed_tools
            .iter()
            .flatten()
            .map(move |rule| (rule, ToolPattern::in_skill(rule, location)))
    }

    /// Returns a front-matter field as written.
    pub fn field(&self, key: &str) -> Option<&Value> {
        self.fields
            .iter()
            .find(|(name, _)| name.as_ref() == key)
            .map(|(_, value)| value)
    }

    pub(crate) fn declare(&mut self, declared: DeclaredFields) {
        let DeclaredFields {
            surface,
            allowed_tools,
            disable_model_invocation,
            user_invocable,
            allowed_workflows,
        } = declared;
        self.surface = surface;
        self.allowed_tools = allowed_tools;
        self.disable_model_invocation = disable_model_invocation;
        self.user_invocable = user_invocable;
        self.allowed_workflows = allowed_workflows;
    }

    pub(crate) fn spell_argument_hint(&mut self, value: &Value, spelling: &str) {
        let is_spelled = views::hint(value).is_some_and(|hint| hint == spelling)
            || views::wrapped_hint(value).is_some();
        if !is_spelled && value.as_text().is_none() && spelling.starts_with(['[', '{']) {
            self.argument_hint = Some(Box::new(spelling.into()));
        }
    }
}

impl TryFrom<Injection> for Skill {
    type Error = InvalidValue;

    fn try_from(injection: Injection) -> Result<Skill, InvalidValue> {
        let Injection { id, flavor, .. } = &injection;
        if *flavor != Flavor::Skill {
            return Err(InvalidValue::new(format!(
                "expected a skill, but `{id}` has the flavor `{flavor}`"
            )));
        }
        let mut skill = Skill::new(injection.id, injection.description);
        skill.fields = unique(injection.metadata);
        skill.declare(DeclaredFields::read(&skill.fields, |_, _, _| {}));
        Ok(skill)
    }
}

impl Item for Skill {
    const KIND: &'static str = "skill";

    fn id(&self) -> &Id {
        &self.id
    }

    fn description(&self) -> Option<&str> {
        Some(&self.description)
    }

    fn location(&self) -> Option<&str> {
        self.location.as_deref()
    }

    fn real_location(&self) -> Option<&str> {
        self.real_location.as_deref()
    }
}

#[cfg(test)]
mod tests;
