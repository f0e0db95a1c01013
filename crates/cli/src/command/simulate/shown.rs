//! What a simulated conversation comes to.

use std::io::{self, Write};

use repertoire::{Id, Surface};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Stream;
use crate::shown::{shown, shown_lines};
use crate::table::{Cell, Table};

/// A conversation, turn by turn.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Simulated {
    pub(super) turns: Vec<Shown>,
    #[serde(skip)]
    pub(super) pending: Option<String>,
}

/// One call of the model.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Shown {
    /// From 1.
    pub(super) number: usize,
    /// The message of the user, if there is one.
    pub(super) user: Option<String>,
    pub(super) active: Vec<ActiveRow>,
    pub(super) skipped: Vec<SkippedRow>,
    /// What is put into the system prompt.
    pub(super) system_prompt: String,
    /// What is put into the conversation.
    pub(super) messages: Vec<MessageRow>,
    /// The names of the tools that are offered beside the host's own.
    pub(super) tools: Vec<String>,
    /// What the host should know.
    pub(super) notices: Vec<String>,
    /// What the model says, if it says anything.
    pub(super) says: Option<String>,
    pub(super) calls: Vec<CallRow>,
}

/// Something that is active.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ActiveRow {
    pub(super) id: Id,
    /// What kind of thing it is: `skill`, `steering`, `fact` and so on.
    pub(super) flavor: String,
    /// Why it is active.
    pub(super) cause: String,
    /// For a skill: where its body goes, and who decided.
    pub(super) surface: Option<Surface>,
    /// What of it is where.
    pub(super) placements: Vec<PlacementRow>,
}

/// What of something is where.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PlacementRow {
    /// `system-prompt`, `messages` or `tools`.
    pub(super) slot: String,
    /// `now`; `earlier`: it is in the conversation already; `deferred`; `left-out`.
    pub(super) delivery: String,
}

/// Something that would be active, and is not.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct SkippedRow {
    pub(super) id: Id,
    pub(super) flavor: String,
    /// Why.
    pub(super) why: String,
}

/// A message that is put into the conversation.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct MessageRow {
    /// `system`, `user` or `assistant`.
    pub(super) role: String,
    /// `before-turn`, `in-turn` or `end`.
    pub(super) place: String,
    /// Whose text it is.
    pub(super) ids: Vec<Id>,
    pub(super) text: String,
}

/// A call of a tool, and what it answered.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CallRow {
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
    /// What became of it, if the tool is one of those for skills: `ok`, `unknown`, `refused` and so on.
    pub(super) code: Option<String>,
    pub(super) is_error: bool,
    pub(super) text: String,
}

impl Simulated {
    pub(super) fn write_turns(&self, out: &mut Stream<'_>) -> io::Result<()> {
        for (place, turn) in self.turns.iter().enumerate() {
            if place > 0 {
                writeln!(out)?;
            }
            turn.write(out)?;
        }
        Ok(())
    }
}

impl Shown {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        writeln!(out, "# turn {}", self.number)?;
        if let Some(user) = &self.user {
            quote("the user says", user, out)?;
        }
        if !self.active.is_empty() {
            writeln!(out)?;
            self.write_active(out)?;
        }
        for SkippedRow { id, flavor, why } in &self.skipped {
            writeln!(out, "skipped: {} `{}`: {}", shown(flavor), shown(id.as_str()), shown(why))?;
        }
        if !self.system_prompt.is_empty() {
            quote("\nsystem prompt", &self.system_prompt, out)?;
        }
        for MessageRow { role, place, ids, text } in &self.messages {
            let ids: Vec<_> = ids.iter().map(|id| shown(id.as_str())).collect();
            quote(&format!("\nmessage, {role}, {place}, from {}", ids.join(", ")), text, out)?;
        }
        let tools: Vec<_> = self.tools.iter().map(|name| shown(name)).collect();
        writeln!(out, "\ntools: {}", if tools.is_empty() { "none".to_owned() } else { tools.join(", ") })?;
        for notice in &self.notices {
            writeln!(out, "notice: {}", shown(notice))?;
        }
        if let Some(says) = &self.says {
            quote("\nthe model says", says, out)?;
        }
        for CallRow { tool, arguments, code, is_error, text } in &self.calls {
            let ended = code.as_deref().unwrap_or(if *is_error { "failed" } else { "ok" });
            let arguments = Value::Object(arguments.clone()).to_string();
            quote(&format!("\nthe model calls {} {}: {ended}", shown(tool), shown(&arguments)), text, out)?;
        }
        Ok(())
    }

    fn write_active(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["active", "kind", "because", "surface", "where"]);
        for ActiveRow { id, flavor, cause, surface, placements } in &self.active {
            let places = placements.iter().map(|PlacementRow { slot, delivery }| match delivery.as_str() {
                "now" => slot.clone(),
                delivery => format!("{slot} ({delivery})"),
            });
            let places: Vec<_> = places.collect();
            let surface = surface.as_ref().map(|surface| format!("{}, {}", surface.mode, surface.decided_by));
            table.row([
                Cell::from(id.as_str()),
                flavor.into(),
                cause.into(),
                surface.unwrap_or_default().into(),
                places.join(", ").into(),
            ]);
        }
        let coloured = out.is_coloured();
        table.write(out, coloured)
    }
}

/// Writes a text of somebody, each line behind a bar.
fn quote(heading: &str, text: &str, out: &mut Stream<'_>) -> io::Result<()> {
    writeln!(out, "{heading}:")?;
    for line in shown_lines(text.trim_end()).lines() {
        writeln!(out, "{}", format!("  | {line}").trim_end())?;
    }
    Ok(())
}
