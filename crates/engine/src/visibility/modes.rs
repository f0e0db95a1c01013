//! What the operator allows each skill.

use std::fmt;
use std::sync::Arc;

use repertoire_core::Skill;
use repertoire_registry::Claim;
use serde::{Deserialize, Serialize};

use super::{Audience, Hidden};

/// How a skill is offered, by the operator's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// In the catalog in full, whatever else has to give way.
    Pinned,
    /// In the catalog as far as there is room.
    #[default]
    Auto,
    /// In the catalog by its name alone.
    NameOnly,
    /// For the user alone.
    ManualOnly,
    /// For nobody.
    Off,
}

/// Which skill is offered how: rules, of which the last that fits a skill decides.
///
/// A rule names an id, or `source:id`; `*` stands for any text: `acme:*` is everything of the source `acme`. Cheap to clone.
///
/// ```
/// use repertoire_engine::{Mode, Modes};
///
/// let modes = Modes::default().with("acme:*", Mode::ManualOnly).with("acme:release-notes", Mode::Pinned);
/// assert_ne!(modes, Modes::default());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Modes(Arc<[(Arc<str>, Mode)]>);

impl Modes {
    /// The same rules, and behind them `rule`.
    #[must_use]
    pub fn with(self, rule: &str, mode: Mode) -> Modes {
        Modes(self.0.iter().cloned().chain([(rule.into(), mode)]).collect())
    }

    /// How `claim` is offered.
    pub fn of(&self, claim: &Claim<Skill>) -> Mode {
        if self.0.is_empty() {
            return Mode::Auto;
        }
        let (id, qualified) = (claim.item.id.as_str(), claim.qualified_id());
        let fits = |rule: &str| fits(rule, id) || fits(rule, qualified.as_str());
        let mut rules = self.0.iter().rev();
        rules.find(|(rule, _)| fits(rule)).map_or(Mode::Auto, |(_, mode)| *mode)
    }

    /// Why `claim` is hidden from `audience`; `None` when it is visible. The one place that decides it.
    ///
    /// The first of these that holds:
    /// 1. its source is [`Pending`](repertoire_registry::Trust::Pending), or the skill itself excludes the audience:
    ///    see [`Audience::hides`];
    /// 2. it is [`Off`](Mode::Off);
    /// 3. the model asks, and it is [`ManualOnly`](Mode::ManualOnly).
    pub fn hides(&self, audience: Audience, claim: &Claim<Skill>) -> Option<Hidden> {
        audience.hides(claim).or_else(|| match (self.of(claim), audience) {
            (Mode::Off, _) => Some(Hidden::Disabled),
            (Mode::ManualOnly, Audience::Model) => Some(Hidden::ForUsersOnly),
            _ => None,
        })
    }
}

/// Whether `text` is `rule`, in which every `*` stands for any text.
fn fits(rule: &str, text: &str) -> bool {
    let Some((first, rest)) = rule.split_once('*') else { return rule == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    true
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Mode::Pinned => "pinned",
            Mode::Auto => "auto",
            Mode::NameOnly => "name-only",
            Mode::ManualOnly => "manual-only",
            Mode::Off => "off",
        })
    }
}

/// A text that names no [`Mode`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown mode `{0}`: expected `pinned`, `auto`, `name-only`, `manual-only` or `off`")]
pub struct UnknownMode(String);

impl std::str::FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Mode, UnknownMode> {
        [Mode::Pinned, Mode::Auto, Mode::NameOnly, Mode::ManualOnly, Mode::Off]
            .into_iter()
            .find(|mode| mode.to_string() == text)
            .ok_or_else(|| UnknownMode(text.escape_debug().to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (rule, text, expected) in [
            ("pdf", "pdf", true),
            ("pdf", "pdf-forms", false),
            ("pdf*", "pdf", true),
            ("pdf*", "pdf-forms", true),
            ("*", "anything", true),
            ("acme:*", "acme:pdf", true),
            ("acme:*", "pdf", false),
            ("*-forms", "pdf-forms", true),
            ("p*f*s", "pdf-forms", true),
            ("p*f*x", "pdf-forms", false),
            ("*f-f*f*", "pdf-forms", false),
            ("a*a", "a", false),
            ("", "pdf", false),
        ] {
            assert_eq!(fits(rule, text), expected, "{rule} on {text}");
        }
    }

    #[test]
    fn a_mode_is_read_as_it_is_written() {
        for mode in [Mode::Pinned, Mode::Auto, Mode::NameOnly, Mode::ManualOnly, Mode::Off] {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        let error = "on".parse::<Mode>().unwrap_err().to_string();
        assert_eq!(error, "unknown mode `on`: expected `pinned`, `auto`, `name-only`, `manual-only` or `off`");
    }
}
