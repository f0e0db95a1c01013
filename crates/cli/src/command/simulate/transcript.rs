//! The transcript of a simulated conversation.

use repertoire::Id;
use repertoire::permission::AccessDecision;
use repertoire::session::{
    Active, Evaluation, NoticeReason, Placement, Redelivery, Slots, ToolResult,
};
use repertoire::skill::Surface;
use repertoire::skill::text::terminal_lines;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::diagnostics::joined;
use crate::output::{Output, to_json, word};
use crate::table::TextTable;

/// A conversation, turn by turn.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct SimulateOutput {
    pub(super) turns: Vec<TurnRow>,
}

/// One call of the model.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct TurnRow {
    /// From 1.
    pub(super) number: usize,
    /// The skills that were repeated because the conversation was compacted before this call; null if it was not.
    pub(super) compacted: Option<CompactRow>,
    /// The message of the user; null without one.
    pub(super) user: Option<String>,
    /// The catalog of skills.
    pub(super) catalog: String,
    pub(super) active: Vec<ActiveRow>,
    pub(super) skipped: Vec<SkippedRow>,
    /// The skills that triggers of untrusted sources suggest; the catalog and searches of the turn mark them.
    pub(super) suggested: Vec<SuggestedRow>,
    /// The additions to the system prompt.
    pub(super) system_prompt: String,
    /// The additions to the conversation.
    pub(super) messages: Vec<MessageRow>,
    /// The names of the offered tools.
    pub(super) tools: Vec<String>,
    /// Notices for the host.
    pub(super) notices: Vec<String>,
    /// The text of the model; null without one.
    pub(super) says: Option<String>,
    pub(super) calls: Vec<CallRow>,
}

/// An active skill or injection.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ActiveRow {
    pub(super) id: Id,
    /// Its kind: `skill`, `steering`, `fact` and so on.
    pub(super) flavor: String,
    /// The reason why it is active.
    pub(super) cause: String,
    /// The surface of a skill's body, and the rule that decided it.
    pub(super) surface: Option<Surface>,
    /// The slots of its content.
    pub(super) placements: Vec<PlacementRow>,
}

/// A slot, and whether the content is in it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PlacementRow {
    /// `system-prompt`, `messages` or `tools`.
    pub(super) slot: String,
    /// `now`, `earlier` (in the conversation already), `deferred` or `left-out`.
    pub(super) delivery: String,
}

/// A skill or injection that was skipped.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct SkippedRow {
    pub(super) id: Id,
    pub(super) flavor: String,
    /// The reason.
    pub(super) why: String,
}

/// A skill that a trigger suggests without activating it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct SuggestedRow {
    pub(super) id: Id,
    pub(super) source: String,
    /// The trigger.
    pub(super) cause: String,
}

/// A message that is added to the conversation.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct MessageRow {
    /// `system`, `user` or `assistant`.
    pub(super) role: String,
    /// `before-turn`, `in-turn` or `end`.
    pub(super) place: String,
    /// The skills and injections of the text.
    pub(super) ids: Vec<Id>,
    pub(super) text: String,
}

/// The skills that were repeated after a compaction.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CompactRow {
    /// The text to add after the summary of the conversation.
    text: String,
    /// The skills, the most recent first.
    skills: Vec<AgainRow>,
}

/// A skill that was repeated after a compaction.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AgainRow {
    id: Id,
    /// The tokens of the repeated part.
    tokens: usize,
    /// The tokens of the whole body.
    of: usize,
}

/// The decision about a call, which the model does not see.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct DecisionRow {
    /// `allow`, `ask` (a person decides), `deny` or `halt`.
    effect: String,
    rule: String,
    why: String,
}

/// A tool call and its result.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CallRow {
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
    /// The status of a refused call, or of a tool for skills: `ok`, `unknown`, `refused` and so on.
    pub(super) code: Option<String>,
    pub(super) is_error: bool,
    /// The decision about the call; null if no rule applies.
    pub(super) decision: Option<DecisionRow>,
    /// A note for the operator, which the model does not see.
    pub(super) operator_note: Option<String>,
    pub(super) text: String,
}

impl CompactRow {
    pub(super) fn of(again: Redelivery) -> CompactRow {
        let rows = again
            .skills
            .into_iter()
            .filter_map(|skill| match skill.why {
                NoticeReason::Redelivered { tokens, of } => Some(AgainRow {
                    id: skill.id,
                    tokens,
                    of,
                }),
                _ => None,
            });
        CompactRow {
            skills: rows.collect(),
            text: again.text,
        }
    }

    fn write(&self, out: &mut Output) {
        let repeated = joined(
            self.skills
                .iter()
                .map(|AgainRow { id, tokens, of }| format!("{id} ({tokens} of {of} tokens)")),
        );
        let repeated = if repeated.is_empty() {
            "no skills"
        } else {
            &repeated
        };
        quote(
            &format!("the conversation was compacted; repeated: {repeated}"),
            &self.text,
            out,
        );
    }
}

impl DecisionRow {
    pub(super) fn of(decision: AccessDecision) -> DecisionRow {
        let (rule, why) = (decision.rule.to_string(), decision.rationale.to_string());
        DecisionRow {
            effect: word(&decision.effect),
            rule,
            why,
        }
    }
}

impl SimulateOutput {
    pub(super) fn write(&self, out: &mut Output) {
        // The same catalog is part of every call; it is printed only when it changes.
        let mut catalog = "";
        for turn in &self.turns {
            if turn.number > 1 {
                out.line("");
            }
            turn.write(turn.catalog != catalog, out);
            catalog = &turn.catalog;
        }
    }
}

impl TurnRow {
    pub(super) fn of(number: usize, evaluation: &Evaluation, slots: Slots) -> TurnRow {
        let Slots {
            system_prompt,
            messages,
            placements,
            notices,
            ..
        } = slots;
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
            source: suggested
                .candidate()
                .map(|skill| skill.origin.source.to_string())
                .unwrap_or_default(),
            cause: cause(&to_json(&suggested.by)),
        });
        TurnRow {
            number,
            suggested: suggested.collect(),
            active: evaluation
                .active
                .iter()
                .map(|active| ActiveRow::of(active, &placements))
                .collect(),
            skipped: skipped.collect(),
            system_prompt,
            messages: messages.collect(),
            notices: notices.iter().map(ToString::to_string).collect(),
            ..TurnRow::default()
        }
    }

    fn write(&self, has_new_catalog: bool, out: &mut Output) {
        out.line(format!("# turn {}", self.number));
        if let Some(compacted) = &self.compacted {
            compacted.write(out);
        }
        if let Some(user) = &self.user {
            quote("user", user, out);
        }
        if !self.active.is_empty() {
            out.line("");
            self.write_active(out);
        }
        for SkippedRow { id, flavor, why } in &self.skipped {
            out.line(format!("skipped: {flavor} `{id}`: {why}"));
        }
        for SuggestedRow { id, source, cause } in &self.suggested {
            out.line(format!("suggested: skill `{id}` of `{source}`: {cause}"));
        }
        if has_new_catalog && !self.catalog.is_empty() {
            quote_apart("catalog", &self.catalog, out);
        }
        if !self.system_prompt.is_empty() {
            quote_apart("system prompt", &self.system_prompt, out);
        }
        for MessageRow {
            role,
            place,
            ids,
            text,
        } in &self.messages
        {
            quote_apart(
                &format!(
                    "message, {role}, {place}, from {}",
                    joined(ids.iter().map(Id::as_str))
                ),
                text,
                out,
            );
        }
        let tools = joined(self.tools.iter().map(String::as_str));
        out.line("");
        out.line(format!(
            "tools: {}",
            if tools.is_empty() { "none" } else { &tools }
        ));
        self.notices
            .iter()
            .for_each(|notice| out.line(format!("notice: {notice}")));
        if let Some(says) = &self.says {
            quote_apart("model", says, out);
        }
        self.calls.iter().for_each(|call| call.write(out));
    }

    fn write_active(&self, out: &mut Output) {
        let mut table = TextTable::new(&["active", "kind", "reason", "surface", "slots"]);
        for ActiveRow {
            id,
            flavor,
            cause,
            surface,
            placements,
        } in &self.active
        {
            let slots =
                placements
                    .iter()
                    .map(|PlacementRow { slot, delivery }| match delivery.as_str() {
                        "now" => slot.clone(),
                        delivery => format!("{slot} ({delivery})"),
                    });
            let surface = surface
                .as_ref()
                .map(|surface| format!("{}, {}", surface.mode, surface.decided_by));
            table.row([
                id.as_str().into(),
                flavor.into(),
                cause.into(),
                surface.unwrap_or_default().into(),
                joined(slots).into(),
            ]);
        }
        table.write(out);
    }
}

impl CallRow {
    pub(super) fn to_tool_result(&self) -> ToolResult {
        match self.is_error {
            true => ToolResult::failed(&self.tool, &self.text),
            false => ToolResult::new(&self.tool, &self.text),
        }
    }

    fn write(&self, out: &mut Output) {
        let CallRow {
            tool,
            arguments,
            code,
            is_error,
            decision,
            operator_note,
            text,
        } = self;
        let ended = code
            .as_deref()
            .unwrap_or(if *is_error { "failed" } else { "ok" });
        quote_apart(
            &format!("call {tool} {}: {ended}", to_json(arguments)),
            text,
            out,
        );
        if let Some(DecisionRow { effect, rule, why }) = decision {
            out.line(format!("decision: {effect}, by {rule}: {why}"));
        }
        if let Some(operator_note) = operator_note {
            out.line(format!("note: {operator_note}"));
        }
    }
}

impl ActiveRow {
    fn of(active: &Active, placements: &[Placement]) -> ActiveRow {
        let own = placements
            .iter()
            .filter(|placed| placed.id == active.id && placed.flavor == active.flavor);
        let own: Vec<_> = own.collect();
        let rows = own.iter().map(|placed| PlacementRow {
            slot: word(&placed.slot),
            delivery: word(&placed.delivery),
        });
        ActiveRow {
            id: active.id.clone(),
            flavor: active.flavor.to_string(),
            cause: cause(&to_json(&active.by)),
            surface: own.iter().find_map(|placed| placed.surface.clone()),
            placements: rows.collect(),
        }
    }
}

fn cause(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let parts = fields.iter().map(|(kind, what)| match kind.as_str() {
                // These keys add nothing for people.
                "trigger" | "declared" => cause(what),
                kind => format!("{kind} {}", cause(what)),
            });
            parts.collect::<Vec<_>>().join(" ")
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn quote(heading: &str, text: &str, out: &mut Output) {
    out.line(format!("{heading}:"));
    for line in terminal_lines(text.trim_end()).lines() {
        out.bytes(format!("  | {line}").trim_end());
        out.bytes("\n");
    }
}

fn quote_apart(heading: &str, text: &str, out: &mut Output) {
    out.line("");
    quote(heading, text, out);
}
