//! Typed views of front-matter fields.

use std::borrow::Cow;

use super::declares_raw;
use super::{Check, FunctionalTier, InvokeLevel, Skill, SkillTrigger, WorkflowStep};
use crate::Value;
use crate::declared::CATEGORY;

/// Views of [`fields`](Skill::fields). A value of another shape counts as absent; nothing is ever cut or guessed.
///
/// Fields of the standard are read at the top level. Extensions are read there first, then under `metadata`,
/// where the standard wants them.
impl Skill {
    /// The `metadata` map.
    pub fn metadata(&self) -> Option<&Value> {
        self.field("metadata")
            .filter(|value| matches!(value, Value::Map(_)))
    }

    /// The text at a dotted path that starts with a field's name: `metadata.version`.
    pub fn text(&self, path: &str) -> Option<&str> {
        match path.split_once('.') {
            Some((field, rest)) => self.field(field)?.at(rest)?.as_text(),
            None => self.field(path)?.as_text(),
        }
    }

    /// Returns the hint for what to write after the skill's name, in the author's spelling: `[ticket-id]`.
    pub fn argument_hint(&self) -> Option<Cow<'_, str>> {
        match &self.argument_hint {
            Some(spelling) => Some((&***spelling).into()),
            None => hint(self.field("argument-hint")?),
        }
    }

    /// Names for the arguments by position.
    pub fn arguments(&self) -> Vec<&str> {
        self.names(&["arguments"], |c| c == ',' || c.is_whitespace())
    }

    /// Globs of the files that the skill is about.
    pub fn paths(&self) -> Vec<&str> {
        self.names(&["paths"], |c| c == ',' || c == '\n')
    }

    /// More about when to use it, beside the description.
    pub fn when_to_use(&self) -> Option<&str> {
        self.extension(&["when_to_use", "when-to-use"])?.as_text()
    }

    /// Conditions that suggest the skill.
    pub fn triggers(&self) -> Vec<SkillTrigger> {
        self.items(&["triggers"])
            .iter()
            .filter_map(|item| SkillTrigger::read(item).ok())
            .flatten()
            .collect()
    }

    /// Words to find the skill by: `tags`, else `keywords`, a list or one text with commas.
    pub fn tags(&self) -> Vec<&str> {
        self.names(&["tags", "keywords"], |c| c == ',')
    }

    /// Tools without which the skill cannot work.
    pub fn required_tools(&self) -> Vec<&str> {
        self.names(&["required_tools", "required-tools"], |c| {
            c == ',' || c.is_whitespace()
        })
    }

    /// The suggested steps, in order.
    pub fn workflow(&self) -> Vec<WorkflowStep> {
        self.items(&["workflow"])
            .iter()
            .filter_map(WorkflowStep::read)
            .collect()
    }

    /// Returns the checks of the result.
    pub fn verification(&self) -> Vec<Check> {
        self.extension(&["verification"])
            .map_or(&[][..], Check::items)
            .iter()
            .filter_map(Check::read)
            .collect()
    }

    /// Returns the label: `functional-tier`, or a `tier` that is no number.
    pub fn functional_tier(&self) -> Option<FunctionalTier> {
        let tier = self
            .extension(&["functional-tier", "functional_tier", "tier"])?
            .as_text()?;
        (tier.parse::<u64>().is_err() && !tier.trim().is_empty()).then(|| FunctionalTier::new(tier))
    }

    /// Returns whether its [label](Skill::functional_tier) is one of these.
    #[doc(hidden)]
    pub fn has_functional_tier(&self, tiers: &[FunctionalTier]) -> bool {
        self.functional_tier()
            .is_some_and(|tier| tiers.contains(&tier))
    }

    /// Returns the level of invocation: `invoke-level`, or a `tier` that is a number.
    pub fn invoke_level(&self) -> InvokeLevel {
        let level = self
            .extension(&["invoke-level", "invoke_level", "tier"])
            .and_then(Value::as_text);
        level.and_then(InvokeLevel::new).unwrap_or_default()
    }

    /// Returns whether a host may attach its tools behind a gate only, see [`Attachable`](crate::Attachable): its `category` is
    /// `raw`, or a word that is not a category.
    ///
    /// Of a declaration at the top level and one under `metadata`, the stricter counts.
    pub fn is_raw(&self) -> bool {
        let nested = self.metadata().and_then(|metadata| metadata.get(CATEGORY));
        self.field(CATEGORY)
            .into_iter()
            .chain(nested)
            .filter_map(declares_raw)
            .any(|is_raw| is_raw)
    }

    /// Tools that the skill brings: `tools`.
    pub fn tools(&self) -> Vec<&str> {
        self.names(&["tools"], |c| c == ',' || c.is_whitespace())
    }

    /// Files beside the instructions that are worth knowing of, as the skill lists them in `references`.
    ///
    /// For people and models. What can be read is what [`resources`](crate::Source::resources) lists.
    pub fn references(&self) -> Vec<&str> {
        self.items(&["references"])
            .iter()
            .filter_map(Value::as_text)
            .collect()
    }

    /// The first of these fields, at the top level, then under `metadata`, where the standard wants what it does not know.
    pub fn extension(&self, keys: &[&str]) -> Option<&Value> {
        keys.iter().find_map(|key| self.field(key)).or_else(|| {
            keys.iter()
                .find_map(|key: &&str| self.field("metadata")?.get(key))
        })
    }

    fn items(&self, keys: &[&str]) -> &[Value] {
        self.extension(keys).map_or(&[], Value::items)
    }

    fn names(&self, keys: &[&str], separates: fn(char) -> bool) -> Vec<&str> {
        let texts = self.items(keys).iter().filter_map(Value::as_text);
        texts
            .flat_map(|text| text.split(separates))
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .collect()
    }
}

pub(super) fn hint(value: &Value) -> Option<Cow<'_, str>> {
    if let Some(text) = value.as_text().or_else(|| wrapped_hint(value)) {
        return Some(text.into());
    }
    let Value::List(items) = value else {
        return None;
    };
    let texts: Vec<&str> = items.iter().map(Value::as_text).collect::<Option<_>>()?;
    Some(format!("[{}]", texts.join(", ")).into())
}

pub(super) fn wrapped_hint(value: &Value) -> Option<&str> {
    match value {
        Value::List(items) => match items.as_slice() {
            [item] => item.as_text().filter(|text| text.starts_with('[')),
            _ => None,
        },
        _ => None,
    }
}
