//! The fields of front matter about rights and delivery.

use std::collections::HashMap;
use std::sync::Arc;

use crate::shared_text::shared_value;
use crate::skill::declares_raw;
use crate::{Code, Scalar, SurfaceMode, Value};

pub(crate) const LIMITING: [&str; 5] = [
    ALLOWED_TOOLS,
    DISABLE_MODEL_INVOCATION,
    USER_INVOCABLE,
    ALLOWED_WORKFLOWS,
    CATEGORY,
];

pub(crate) const ALLOWED_TOOLS: &str = "allowed-tools";
pub(crate) const CATEGORY: &str = "category";
pub(crate) const DISABLE_MODEL_INVOCATION: &str = "disable-model-invocation";
pub(crate) const USER_INVOCABLE: &str = "user-invocable";
pub(crate) const ALLOWED_WORKFLOWS: &str = "allowedWorkflows";

pub(crate) const SURFACE: [&str; 3] = ["surface", "surface-mode", "surfaceMode"];

/// The typed fields of a [`Skill`](crate::Skill), read in one place for files and injections alike.
#[derive(Debug, PartialEq)]
pub(crate) struct DeclaredFields {
    pub(crate) surface: Option<SurfaceMode>,
    pub(crate) allowed_tools: Option<Vec<Arc<str>>>,
    pub(crate) disable_model_invocation: bool,
    pub(crate) user_invocable: bool,
    pub(crate) allowed_workflows: Option<Vec<Arc<str>>>,
}

impl DeclaredFields {
    /// Reads the fields, and reports every one that says something unreadable: its key, a code, a message.
    pub(crate) fn read(
        fields: &[(Arc<str>, Value)],
        mut report: impl FnMut(&str, Code, String),
    ) -> DeclaredFields {
        let field = |key: &str| {
            fields
                .iter()
                .find(|(name, _)| name.as_ref() == key)
                .map(|(_, value)| value)
        };
        let report = &mut report;
        DeclaredFields {
            surface: surface(field, report),
            allowed_tools: field(ALLOWED_TOOLS)
                .map(|value| names(value, ALLOWED_TOOLS, tools, report)),
            disable_model_invocation: flag(
                field(DISABLE_MODEL_INVOCATION),
                DISABLE_MODEL_INVOCATION,
                true,
                report,
            )
            .unwrap_or(false),
            user_invocable: flag(field(USER_INVOCABLE), USER_INVOCABLE, false, report)
                .unwrap_or(true),
            allowed_workflows: field(ALLOWED_WORKFLOWS)
                .map(|value| names(value, ALLOWED_WORKFLOWS, workflows, report)),
        }
    }
}

/// Returns the stricter of two values of one limiting field: the flag or category that limits, the names in both lists.
///
/// The result does not depend on which of the two came first, but for the order of names.
pub(crate) fn stricter(key: &str, one: &Value, other: &Value) -> Value {
    let is_strict = match key {
        ALLOWED_TOOLS => return common_names(key, one, other, tools),
        ALLOWED_WORKFLOWS => return common_names(key, one, other, workflows),
        DISABLE_MODEL_INVOCATION => one.as_bool() != Some(false),
        USER_INVOCABLE => one.as_bool() != Some(true),
        _ => declares_raw(one) == Some(true),
    };
    if is_strict {
        one.clone()
    } else {
        other.clone()
    }
}

fn common_names(key: &str, one: &Value, other: &Value, split: fn(&str, &mut Names)) -> Value {
    let others = names(other, key, split, &mut |_, _, _| {});
    let mut names = names(one, key, split, &mut |_, _, _| {});
    names.retain(|name| others.contains(name));
    Value::List(names.into_iter().map(Value::text).collect())
}

/// Returns rows with unique keys: the place of the first, the value of the last, of a limiting field the stricter one.
pub(crate) fn unique(mut rows: Vec<(Arc<str>, Value)>) -> Vec<(Arc<str>, Value)> {
    const FEW: usize = 16;
    let mut keys = rows
        .iter()
        .enumerate()
        .map(|(index, (key, _))| (key, &rows[..index]));
    if rows.len() <= FEW
        && !keys.any(|(key, earlier)| earlier.iter().any(|(other, _)| other == key))
    {
        rows.shrink_to_fit();
        return rows;
    }
    let mut places = HashMap::new();
    let mut result: Vec<(Arc<str>, Value)> = Vec::with_capacity(rows.len());
    for (key, value) in rows {
        let place = *places.entry(key.clone()).or_insert(result.len());
        match result.get_mut(place) {
            Some(row) if LIMITING.contains(&key.as_ref()) => row.1 = stricter(&key, &row.1, &value),
            Some(row) => row.1 = value,
            None => result.push((key, value)),
        }
    }
    result
}

fn flag(
    value: Option<&Value>,
    key: &str,
    limiting: bool,
    report: &mut impl FnMut(&str, Code, String),
) -> Option<bool> {
    let value = value?;
    Some(value.as_bool().unwrap_or_else(|| {
        let message =
            format!("`{key}` must be `true` or `false`; it counts as `{limiting}`, which limits");
        report(key, Code::UNREADABLE_LIMIT, message);
        limiting
    }))
}

fn names(
    value: &Value,
    key: &str,
    split: fn(&str, &mut Names),
    report: &mut impl FnMut(&str, Code, String),
) -> Vec<Arc<str>> {
    let mut names = Names::default();
    match value {
        _ if value.is_null() && key == ALLOWED_TOOLS => {}
        Value::Scalar(scalar) if is_readable(scalar) && !value.is_null() => {
            split(&scalar.text, &mut names)
        }
        Value::List(items) => {
            for item in items {
                match item {
                    Value::Scalar(scalar) if is_readable(scalar) && !item.is_null() => {
                        split(&scalar.text, &mut names)
                    }
                    _ => names.dropped += 1,
                }
                // An item of blanks says nothing, which the author cannot have meant.
                names.dropped +=
                    usize::from(item.as_text().is_some_and(|text| text.trim().is_empty()));
            }
        }
        _ => report(
            key,
            Code::UNREADABLE_LIMIT,
            format!("`{key}` must be a text or a list of names; it counts as empty, which limits"),
        ),
    }
    if names.dropped > 0 {
        let items = if names.dropped == 1 {
            "an item that is not a name; it was"
        } else {
            "items that are not names; they were"
        };
        report(
            key,
            Code::DROPPED_ITEM,
            format!("`{key}` holds {items} left out"),
        );
    }
    names.found.shrink_to_fit();
    names.found
}

#[derive(Default)]
struct Names {
    found: Vec<Arc<str>>,
    dropped: usize,
}

fn is_readable(scalar: &Scalar) -> bool {
    !(scalar.plain
        && scalar.text.starts_with([
            '[', ']', '{', '}', '*', '&', '!', '|', '>', '%', '@', '`', '"', '\'', ',',
        ]))
}

fn tools(text: &str, names: &mut Names) {
    let mut depth = 0_usize;
    let parts = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    });
    for name in parts.filter(|name| !name.is_empty()) {
        if is_tool(name) {
            names.found.push(shared_value(name))
        } else {
            names.dropped += 1
        }
    }
}

fn is_tool(name: &str) -> bool {
    let outer = name.split('(').next().unwrap_or_default();
    let pairs = name.matches('(').count() == name.matches(')').count();
    pairs && !outer.is_empty() && !outer.contains(['[', ']', '{', '}', '"', '\'', ')'])
}

fn workflows(text: &str, names: &mut Names) {
    names.found.extend(
        text.split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(shared_value),
    );
}

fn surface<'a>(
    field: impl Fn(&str) -> Option<&'a Value>,
    report: &mut impl FnMut(&str, Code, String),
) -> Option<SurfaceMode> {
    let metadata = field("metadata");
    let (key, value) = SURFACE
        .into_iter()
        .find_map(|key| field(key).map(|value| (key, value)))
        .or_else(|| {
            SURFACE
                .into_iter()
                .find_map(|key| Some(("metadata", metadata?.get(key)?)))
        })?;
    SurfaceMode::declared(value.as_text().unwrap_or_default().trim()).unwrap_or_else(|_| {
        let message =
            "unknown surface mode: expected `system-prompt`, `tool-only`, `both` or `auto`; it counts as absent";
        report(key, Code::UNKNOWN_SURFACE, message.to_owned());
        None
    })
}
