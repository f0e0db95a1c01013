//! What the operator allows each skill.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use repertoire_core::{Id, Skill};
use repertoire_registry::{Claim, Target};
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
    /// For nobody. Where it shall not win its id either, [`Rules`](repertoire_registry::Rules) of the registry switch it off.
    Off,
}

/// Which skill is offered how. Of several rules that match, the most specific decides, as in the registry's
/// [`Rules`](repertoire_registry::Rules): the one for `source:id`, then for the id, then for the source, then for
/// everything; of two for the same, the later. Cheap to clone.
///
/// ```
/// use repertoire_engine::{Mode, Modes};
///
/// let modes = Modes::default().with("acme:*".parse()?, Mode::ManualOnly).with("acme:release-notes".parse()?, Mode::Pinned);
/// assert_ne!(modes, Modes::default());
/// # Ok::<(), repertoire_core::InvalidId>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Modes(Arc<BTreeMap<Target, Mode>>);

impl Modes {
    /// The same modes, and `mode` for `target`.
    #[must_use]
    pub fn with(mut self, target: Target, mode: Mode) -> Modes {
        Arc::make_mut(&mut self.0).insert(target, mode);
        self
    }

    /// Whether nothing was chosen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How `claim` is offered.
    pub fn of(&self, claim: &Claim<Skill>) -> Mode {
        if self.is_empty() {
            return Mode::Auto;
        }
        let (source, id) = (&claim.origin.source, claim.item.id.clone());
        let qualified = Target::Id(Id::qualified(source, &id));
        let targets = [qualified, Target::Id(id), Target::Source(source.clone()), Target::All];
        targets.iter().find_map(|target| self.0.get(target)).copied().unwrap_or_default()
    }

    /// Why `claim` is hidden from `audience`; `None` when it is visible. The one place that decides it.
    ///
    /// The first of these that holds:
    /// 1. it is switched off, waits for admission, or excludes the audience itself: see [`Audience::hides`];
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

const ALL: [Mode; 5] = [Mode::Pinned, Mode::Auto, Mode::NameOnly, Mode::ManualOnly, Mode::Off];

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

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Mode, UnknownMode> {
        let named = ALL.into_iter().find(|mode| mode.to_string() == text);
        named.ok_or_else(|| UnknownMode(text.escape_debug().to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_read_as_it_is_written() {
        for mode in ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        let error = "on".parse::<Mode>().unwrap_err().to_string();
        assert_eq!(error, "unknown mode `on`: expected `pinned`, `auto`, `name-only`, `manual-only` or `off`");
    }
}
