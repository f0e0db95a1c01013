//! `[rules]`: what is switched off.

use repertoire::{Authority, Level, Target};
use serde::Deserialize;

use super::Section;
use crate::failure::Failure;

/// What is switched off. The most specific rule decides: `source:id`, then an id, then `source:*`, then `*`.
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub(super) struct Rules {
    /// Hidden from models and users, and taking nobody's place.
    disable: Vec<Target>,
    /// Exceptions from what is disabled.
    enable: Vec<Target>,
}

/// The level that a section describes.
pub(super) fn read(section: &Section<'_>) -> Result<Level, Failure> {
    let Rules { disable, enable } = section.typed(section.values.clone())?;
    let level = disable.into_iter().fold(none(), Level::disable);
    Ok(enable.into_iter().fold(level, Level::enable))
}

/// The level without rules.
pub(super) fn none() -> Level {
    Level::new("configuration", Authority::MayWiden)
}
