//! The checks of extension fields: what the engine would leave out in silence is reported with its line.

use super::report::DiagnosticSink;
use super::table::{FieldTable, Mark};
use crate::declared::CATEGORY;
use crate::skill::declares_raw;
use crate::text::quoted;
use crate::{
    Check, Code, Diagnostic, FunctionalTier, InvokeLevel, SkillTrigger, Value, WeakKeyword,
    WorkflowStep,
};

pub(super) fn check(table: &FieldTable, text: &str, sink: &mut DiagnosticSink<'_>) {
    for ((key, value), mark) in table.fields.iter().zip(&table.marks) {
        check_field(
            key,
            value,
            &FieldPlace {
                text,
                mark,
                key: None,
            },
            sink,
        );
        if key.as_ref() == "metadata"
            && let Value::Map(rows) = value
        {
            for (key, value) in rows {
                check_field(
                    key,
                    value,
                    &FieldPlace {
                        text,
                        mark,
                        key: Some(key),
                    },
                    sink,
                );
            }
        }
    }
}

struct FieldPlace<'a> {
    text: &'a str,
    mark: &'a Mark,
    /// The key under `metadata`, if it stands there.
    key: Option<&'a str>,
}

impl FieldPlace<'_> {
    fn at(&self) -> usize {
        let within = self.key.and_then(|key| {
            let value = self.text.get(self.mark.value.clone())?;
            value
                .match_indices(key)
                .map(|(at, _)| at)
                .find(|at: &usize| {
                    let before = value[..*at].chars().next_back();
                    let rest = value[at + key.len()..].trim_start_matches(['"', '\'', ' ']);
                    !before.is_some_and(char::is_alphanumeric) && rest.starts_with(':')
                })
                .map(|at| self.mark.value.start + at)
        });
        within.unwrap_or(self.mark.key)
    }

    fn item(&self, number: usize) -> usize {
        let start = self.at();
        let mut at = start;
        let mut dashes = Vec::new();
        for line in self
            .text
            .get(start..self.mark.value.end)
            .unwrap_or_default()
            .split_inclusive('\n')
        {
            let indent = line.len() - line.trim_start().len();
            if line[indent..].starts_with("- ") {
                dashes.push((indent, at + indent));
            }
            at += line.len();
        }
        let outer = dashes.iter().map(|(indent, _)| *indent).min();
        let mut items = dashes.iter().filter(|(indent, _)| Some(*indent) == outer);
        items
            .nth(number.saturating_sub(1))
            .map_or(start, |(_, at)| *at)
    }
}

fn check_field(key: &str, value: &Value, place: &FieldPlace<'_>, sink: &mut DiagnosticSink<'_>) {
    match key {
        "triggers" => triggers(value, place, sink),
        "workflow" => {
            for fault in WorkflowStep::read_all(value).1 {
                let at = fault
                    .number
                    .map_or_else(|| place.at(), |number| place.item(number));
                sink.emit(
                    at,
                    Code::BAD_WORKFLOW,
                    format!("invalid `workflow`: {}", fault.message),
                );
            }
        }
        "verification" => {
            for (number, item) in (1..).zip(Check::items(value)) {
                if Check::read(item).is_none() {
                    let message = format!(
                        "item {number} of `verification` is not a check: expected a text, or a map with `kind`"
                    );
                    sink.emit(place.item(number), Code::BAD_VERIFICATION, message);
                }
            }
        }
        "required_tools" | "required-tools" => names(key, value, place, sink),
        "references" => names(key, value, place, sink),
        CATEGORY => category(value, place, sink),
        "functional-tier" | "functional_tier" | "tier" | "invoke-level" | "invoke_level" => {
            label(key, value, place, sink);
        }
        _ => {}
    }
}

fn triggers(value: &Value, place: &FieldPlace<'_>, sink: &mut DiagnosticSink<'_>) {
    if matches!(value, Value::Map(_)) {
        let message = "`triggers` must be a text or a list, found a map; it counts as absent";
        // Many skills have one there for another program: `{files: [...], keywords: [...]}`.
        let code = if place.key.is_some() {
            Code::FOREIGN_FIELD
        } else {
            Code::UNREADABLE_FIELD
        };
        return sink.emit(place.at(), code, message);
    }
    for (number, item) in (1..).zip(value.items()) {
        let triggers = SkillTrigger::read(item);
        for keyword in triggers.iter().flatten() {
            let SkillTrigger::Keyword(word) = keyword else {
                continue;
            };
            if let Some(weak) = WeakKeyword::of(word) {
                let message = format!("the keyword `{}` never holds: {weak}", quoted(word));
                sink.emit(place.item(number), Code::WEAK_KEYWORD, message);
            }
        }
        let fault = match triggers {
            Ok(triggers) => triggers.iter().find_map(SkillTrigger::fault),
            Err(fault) => Some(fault),
        };
        let Some(fault) = fault else { continue };
        let message = format!("item {number} of `triggers` is not a trigger: {fault}");
        sink.emit(place.item(number), Code::BAD_TRIGGER, message);
    }
}

fn names(key: &str, value: &Value, place: &FieldPlace<'_>, sink: &mut DiagnosticSink<'_>) {
    let fault = match value {
        Value::Map(_) => {
            "must be a text or a list of names, found a map; it counts as absent".to_owned()
        }
        Value::List(items) => match items.iter().position(|item| item.as_text().is_none()) {
            Some(at) => format!(
                "must be a list of names; item {} is not one and was left out",
                at + 1
            ),
            None => return,
        },
        Value::Scalar(_) => return,
    };
    sink.emit(
        place.at(),
        Code::UNREADABLE_FIELD,
        format!("`{key}` {fault}"),
    );
}

fn category(value: &Value, place: &FieldPlace<'_>, sink: &mut DiagnosticSink<'_>) {
    if declares_raw(value) != Some(true)
        || value.items().iter().any(|item: &Value| {
            item.as_text()
                .is_some_and(|text| text.trim().eq_ignore_ascii_case("raw"))
        })
    {
        return;
    }
    let written = value.as_text().unwrap_or_default().trim().to_lowercase();
    let slip = [("raw", 1), ("standard", 2)];
    let slip = slip
        .into_iter()
        // Each slip changes the length by one at most.
        .filter(|(word, slips)| word.len().abs_diff(written.chars().count()) <= *slips)
        .find(|(word, slips)| strsim::osa_distance(word, &written) <= *slips);
    let message = "the category is neither `standard` nor `raw`; it counts as `raw`, which limits";
    let diagnostic = match slip {
        Some((word, _)) => Diagnostic::new(Code::MISSPELT_LIMIT, message)
            .help(format!("write `category: {word}` if that is meant")),
        None => Diagnostic::new(Code::UNKNOWN_CATEGORY, message),
    };
    sink.add(place.at(), diagnostic);
}

fn label(key: &str, value: &Value, place: &FieldPlace<'_>, sink: &mut DiagnosticSink<'_>) {
    let Some(text) = value.as_text() else {
        if !value.is_null() {
            let message =
                format!("`{key}` must be a text, found a list or a map; it counts as absent");
            sink.emit(place.at(), Code::UNREADABLE_FIELD, message);
        }
        return;
    };
    let is_level = key.starts_with("invoke") || key == "tier" && text.trim().parse::<f64>().is_ok();
    if is_level {
        if InvokeLevel::new(text).is_none() {
            let message = format!(
                "`{key}` must be 1, 2 or 3, found `{}`; it counts as 2",
                quoted(text)
            );
            sink.emit(place.at(), Code::UNKNOWN_LEVEL, message);
        }
        return;
    }
    let tier = FunctionalTier::new(text);
    if !tier.is_known() {
        let known = FunctionalTier::KNOWN
            .map(|tier| format!("`{tier}`"))
            .join(", ");
        let tier = quoted(tier.as_str());
        let message =
            format!("`{tier}` is not a functional tier that is known; it is kept as a label");
        let diagnostic = Diagnostic::new(Code::UNKNOWN_TIER, message)
            .help(format!("those that are known: {known}"));
        sink.add(place.at(), diagnostic);
    }
}
