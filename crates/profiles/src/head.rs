//! The part of a skill file that agents list.

use std::sync::Arc;

use repertoire_core::Value;
use repertoire_core::skill_md;

use crate::dependencies::DeclaredDependencies;

/// The fields of a file and what stands in their place. It says nothing about any agent.
#[derive(Debug, Default)]
pub(crate) struct SkillHead {
    pub(crate) fields: Vec<(Arc<str>, Value, u32)>,
    pub(crate) state: HeadState,
    pub(crate) first_paragraph: Option<Arc<str>>,
    pub(crate) dependencies: Arc<DeclaredDependencies>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum HeadState {
    #[default]
    Unreadable,
    /// Without front matter that has a field; the line of the fault.
    Missing(u32),
    /// With fields that were recovered; the line of the first fault.
    Broken(u32),
    Whole,
}

impl SkillHead {
    pub(crate) fn read(bytes: Option<Vec<u8>>) -> SkillHead {
        let Some(bytes) = bytes else {
            return SkillHead::default();
        };
        let (fields, state) = match skill_md::fields_with_lines(&bytes) {
            Ok((fields, Some(line))) => (fields, HeadState::Broken(line)),
            Ok((fields, None)) => (fields, HeadState::Whole),
            Err(line) => (Vec::new(), HeadState::Missing(line)),
        };
        let has_description = fields.iter().any(|(key, ..)| key.as_ref() == "description");
        let first_paragraph = match has_description && state == HeadState::Whole {
            true => None,
            false => first_paragraph(&bytes),
        };
        let mut head = SkillHead {
            fields,
            state,
            first_paragraph,
            dependencies: Arc::default(),
        };
        let dependencies = DeclaredDependencies::read(|key| Some(head.field(key)?.0));
        head.dependencies = dependencies.into();
        head
    }

    pub(crate) fn field(&self, key: &str) -> Option<(&Value, u32)> {
        let mut fields = self.fields.iter();
        let (_, value, line) = fields.find(|(name, ..)| name.as_ref() == key)?;
        Some((value, *line))
    }

    /// Returns the text of a field that is neither missing nor blank.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        let text = self.field(key)?.0.as_text()?.trim();
        (!text.is_empty()).then_some(text)
    }
}

fn first_paragraph(bytes: &[u8]) -> Option<Arc<str>> {
    // The beginning of a file may end inside a character.
    let end = match std::str::from_utf8(bytes) {
        Ok(text) => text.len(),
        Err(error) => error.valid_up_to(),
    };
    let body = skill_md::body(&bytes[..end]).ok()?;
    let mut lines = body
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty() || line.starts_with('#'))
        .take_while(|line| !line.is_empty())
        .peekable();
    lines.peek()?;
    Some(lines.collect::<Vec<_>>().join(" ").into())
}
