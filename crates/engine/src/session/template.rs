//! A text with facts of the turn in it.

use std::fmt;

use serde::Serialize;

use super::turn::Turn;

/// A text with facts of the turn in it.
#[derive(Debug)]
pub(super) struct Template(Vec<Part>);

#[derive(Debug)]
enum Part {
    Text(String),
    Fact(TurnFact),
}

/// What a template may ask for: its name stands between double braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TurnFact {
    /// `action`: which call it is since the user's message.
    Action,
    /// `actionBudget`: how many there may be.
    ActionBudget,
    /// `actionsRemaining`: how many are left after it.
    ActionsRemaining,
}

impl TurnFact {
    const ALL: [TurnFact; 3] = [TurnFact::Action, TurnFact::ActionBudget, TurnFact::ActionsRemaining];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            TurnFact::Action => "action",
            TurnFact::ActionBudget => "actionBudget",
            TurnFact::ActionsRemaining => "actionsRemaining",
        }
    }

    fn of(self, turn: &Turn<'_>) -> Option<usize> {
        match self {
            TurnFact::Action => Some(turn.number),
            TurnFact::ActionBudget => turn.most,
            TurnFact::ActionsRemaining => turn.remaining(),
        }
    }
}

impl fmt::Display for TurnFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Template {
    /// Reads `text`.
    ///
    /// # Errors
    /// What stands between double braces and is no fact.
    pub(super) fn read(text: &str) -> Result<Template, &str> {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, (name, behind))) =
            rest.split_once("{{").and_then(|(before, inside)| Some((before, inside.split_once("}}")?)))
        {
            let is_named = |fact: &&TurnFact| fact.as_str() == name.trim();
            let fact = TurnFact::ALL.iter().find(is_named).ok_or(name.trim())?;
            parts.extend([Part::Text(before.to_owned()), Part::Fact(*fact)]);
            rest = behind;
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Template(parts))
    }

    /// The text in `turn`.
    ///
    /// # Errors
    /// The first fact that the turn does not tell: a text with a gap, or with a number made up, is none.
    pub(super) fn fill(&self, turn: &Turn<'_>) -> Result<String, TurnFact> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Fact(fact) => text.push_str(&fact.of(turn).ok_or(*fact)?.to_string()),
            }
        }
        Ok(text)
    }
}
