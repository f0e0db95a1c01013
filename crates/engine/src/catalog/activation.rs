//! How a model gets the instructions of a skill.

use std::borrow::Cow;

use crate::ToolPreset;

/// How a model gets the instructions of a skill, which decides what a catalog says of it.
///
/// A catalog in the description of a tool needs none of it: the tool says how it is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Activation {
    /// It reads the file at the location of the skill, which the catalog then tells. A skill that lies in no file is listed
    /// without a location, and cannot be read so.
    Files,
    /// It calls a tool, whose answer tells where the skill lies.
    Tool {
        /// The tool that gives instructions.
        read: Cow<'static, str>,
        /// Its parameter that names the skill.
        id: Cow<'static, str>,
        /// The tool that finds skills which are not listed, if there is one.
        find: Option<Cow<'static, str>>,
    },
}

impl Activation {
    /// By the tools of `preset`.
    pub fn tools(preset: &ToolPreset) -> Activation {
        let find = preset.search.as_ref().or(preset.list.as_ref());
        Activation::Tool { read: preset.read.name.clone(), id: preset.read.id.clone(), find: find.cloned() }
    }

    /// What the model is told of it, ahead of the skills; one line.
    pub fn how_to(&self) -> String {
        let how = match self {
            Activation::Files => "read the file at its location to the end".to_owned(),
            Activation::Tool { read, id, .. } => format!("call `{read}` with its name as `{id}`"),
        };
        let paths = match self {
            Activation::Files => "Relative paths in it start in the folder of that file.",
            Activation::Tool { .. } => "Relative paths in it start in the folder that the answer names.",
        };
        format!(
            "Skills hold instructions for certain tasks. When a task fits what a skill is for, {how} before you begin, and \
             follow what it says. {paths}"
        )
    }

    /// How skills are found that are not listed.
    pub(super) fn how_to_find(&self) -> Cow<'_, str> {
        match self {
            Activation::Files => "Look for more files called `SKILL.md` in the folders around these.".into(),
            Activation::Tool { find: Some(find), .. } => format!("`{find}` finds them.").into(),
            Activation::Tool { read, find: None, .. } => format!("`{read}` still takes the exact name of each.").into(),
        }
    }
}
