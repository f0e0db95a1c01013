//! What a simulated conversation comes to.

use std::io::{self, Write};

use repertoire::{Active, Evaluation, Id, Placement, Rerendered, Ruling, Slots, Surface};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Stream;
use crate::answer::{json, word};
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
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Shown {
    /// From 1.
    pub(super) number: usize,
    /// What came again because the conversation was shortened before this call, if it was.
    pub(super) compacted: Option<CompactRow>,
    /// The message of the user, if there is one.
    pub(super) user: Option<String>,
    /// What tells the model which skills there are.
    pub(super) catalog: String,
    pub(super) active: Vec<ActiveRow>,
    pub(super) skipped: Vec<SkippedRow>,
    /// Skills that a trigger of a source suggests that is not trusted: the catalog of the turn and its searches mark them.
    pub(super) suggested: Vec<SuggestedRow>,
    /// What is put into the system prompt.
    pub(super) system_prompt: String,
    /// What is put into the conversation.
    pub(super) messages: Vec<MessageRow>,
    /// The names of the tools that are offered: those for skills, and those that the script has.
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

/// A skill that a trigger suggests and does not activate.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct SuggestedRow {
    pub(super) id: Id,
    pub(super) source: String,
    /// The trigger.
    pub(super) cause: String,
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

/// What came again because the conversation was shortened.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CompactRow {
    /// For the conversation, behind its summary.
    text: String,
    /// What became of each skill, the newest first.
    skills: Vec<AgainRow>,
}

/// How much of a skill came again.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AgainRow {
    id: Id,
    /// Tokens of what came again.
    tokens: usize,
    /// Tokens of all of it.
    of: usize,
}

/// What was decided about a call, and by which rule: the model is not told.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RulingRow {
    /// `allow`; `ask`: a person first; `deny`; `halt`.
    effect: String,
    rule: String,
    why: String,
}

/// A call of a tool, and what it answered.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CallRow {
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
    /// What became of it, if it was refused or the tool is one of those for skills: `ok`, `unknown`, `refused` and so on.
    pub(super) code: Option<String>,
    pub(super) is_error: bool,
    /// What was decided about it, if anybody did.
    pub(super) ruling: Option<RulingRow>,
    /// What the operator should know of the answer, and the model is not told.
    pub(super) trouble: Option<String>,
    pub(super) text: String,
}

impl CompactRow {
    pub(super) fn of(again: Rerendered) -> CompactRow {
        let row = |skill: repertoire::RerenderedSkill| AgainRow { id: skill.id, tokens: skill.tokens, of: skill.of };
        CompactRow { text: again.text, skills: again.skills.into_iter().map(row).collect() }
    }
}

impl RulingRow {
    pub(super) fn of(ruling: Ruling) -> RulingRow {
        let (rule, why) = (ruling.rule.to_string(), ruling.rationale.to_string());
        RulingRow { effect: word(&ruling.effect), rule, why }
    }
}

impl Simulated {
    pub(super) fn write_turns(&self, out: &mut Stream<'_>) -> io::Result<()> {
        for (place, turn) in self.turns.iter().enumerate() {
            if place > 0 {
                writeln!(out)?;
            }
            turn.write(place.checked_sub(1).map(|before| &self.turns[before]), out)?;
        }
        Ok(())
    }
}

impl Shown {
    /// What a call of the model is made of, without what the script says of it.
    pub(super) fn of(number: usize, evaluation: &Evaluation, slots: Slots) -> Shown {
        let Slots { system_prompt, messages, placements, notices, .. } = slots;
        let messages = messages.into_iter().map(|message| MessageRow {
            role: word(&message.role),
            place: word(&message.place),
            ids: message.ids,
            text: message.text.to_string(),
        });
        let skipped = evaluation.skipped.iter().map(|skipped| SkippedRow {
            id: skipped.id.clone(),
            flavor: skipped.flavor.to_string(),
            why: skipped.why.to_string(),
        });
        let suggested = evaluation.suggested.iter().map(|suggested| SuggestedRow {
            id: suggested.id.clone(),
            source: suggested.source.to_string(),
            cause: cause(&json(&suggested.by)),
        });
        Shown {
            number,
            suggested: suggested.collect(),
            active: evaluation.active.iter().map(|active| ActiveRow::of(active, &placements)).collect(),
            skipped: skipped.collect(),
            system_prompt,
            messages: messages.collect(),
            notices: notices.iter().map(ToString::to_string).collect(),
            ..Shown::default()
        }
    }

    fn write(&self, before: Option<&Shown>, out: &mut Stream<'_>) -> io::Result<()> {
        writeln!(out, "# turn {}", self.number)?;
        if let Some(CompactRow { text, skills }) = &self.compacted {
            let skills = skills
                .iter()
                .map(|AgainRow { id, tokens, of }| format!("{} ({tokens} of {of} tokens)", shown(id.as_str())));
            let skills: Vec<_> = skills.collect();
            let skills = if skills.is_empty() { "nothing".to_owned() } else { skills.join(", ") };
            quote(&format!("the conversation was shortened; again come {skills}"), text, out)?;
        }
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
        for SuggestedRow { id, source, cause } in &self.suggested {
            writeln!(out, "suggested: skill `{}` of `{}`: {}", shown(id.as_str()), shown(source), shown(cause))?;
        }
        // It is there in every call, and the same as long as nothing changes.
        if before.is_none_or(|before| before.catalog != self.catalog) && !self.catalog.is_empty() {
            quote("\ncatalog", &self.catalog, out)?;
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
        for CallRow { tool, arguments, code, is_error, ruling, trouble, text } in &self.calls {
            let ended = code.as_deref().unwrap_or(if *is_error { "failed" } else { "ok" });
            let arguments = Value::Object(arguments.clone()).to_string();
            quote(&format!("\nthe model calls {} {}: {ended}", shown(tool), shown(&arguments)), text, out)?;
            if let Some(RulingRow { effect, rule, why }) = ruling {
                writeln!(out, "ruling: {effect}, by {}: {}", shown(rule), shown(why))?;
            }
            if let Some(trouble) = trouble {
                writeln!(out, "trouble: {}", shown(trouble))?;
            }
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

impl ActiveRow {
    fn of(active: &Active, placements: &[Placement]) -> ActiveRow {
        let own = || placements.iter().filter(|placed| placed.id == active.id && placed.flavor == active.flavor);
        let row = |placed: &Placement| PlacementRow { slot: word(&placed.slot), delivery: word(&placed.delivery) };
        ActiveRow {
            id: active.id.clone(),
            flavor: active.flavor.to_string(),
            cause: cause(&json(&active.by)),
            surface: own().find_map(|placed| placed.surface.clone()),
            placements: own().map(row).collect(),
        }
    }
}

/// Why something is active, in a few words: `always`, `rule at-night`, `mention`, `keyword review`.
fn cause(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let parts = fields.iter().map(|(kind, what)| match kind.as_str() {
                // What it comes to is the same.
                "fired" | "declared" => cause(what),
                kind => format!("{kind} {}", cause(what)),
            });
            parts.collect::<Vec<_>>().join(" ")
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
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
