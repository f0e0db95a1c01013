//! Reading workflow files that are data: YAML, TOML and JSON.

use std::sync::Arc;

use repertoire::skill::{Check, Code, Diagnostic, Severity, Value, skill_md};
use repertoire::workflow::Workflow;
use repertoire::{Id, Skill};
use serde::Serialize;
use toml_edit::{Document, Item, TableLike};

/// The format of a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WorkflowFormat {
    /// A program, which a host loads. It is never read for a listing.
    Script,
    /// A plan in YAML.
    Yaml,
    /// A plan in TOML.
    Toml,
    /// A plan in JSON.
    Json,
}

impl WorkflowFormat {
    pub(crate) fn of(path: &str) -> WorkflowFormat {
        match path.rsplit_once('.').map(|(_, extension)| extension) {
            Some("yaml" | "yml") => WorkflowFormat::Yaml,
            Some("toml") => WorkflowFormat::Toml,
            Some("json") => WorkflowFormat::Json,
            _ => WorkflowFormat::Script,
        }
    }
}

/// A workflow file that was parsed.
pub(crate) struct ParsedPlan {
    pub(crate) description: Option<Arc<str>>,
    pub(crate) workflow: Workflow,
    /// A skill with the same fields.
    pub(crate) skill: Skill,
}

/// The fields of a file, each with its line.
type Fields = Vec<(Arc<str>, Value, u32)>;

/// Parses a file: its `steps` are the `workflow` of a skill, and its `arguments` and `verification` are those of a skill. The tools of
/// the steps are those of `tools`, if there is such a list.
pub(crate) fn parse(
    format: WorkflowFormat,
    id: &Id,
    bytes: &[u8],
) -> Result<ParsedPlan, Vec<Diagnostic>> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        vec![fault(
            line_of(bytes, at),
            "the file is not UTF-8".to_owned(),
        )]
    })?;
    let fields = match format {
        WorkflowFormat::Toml => toml_fields(text),
        _ => yaml_fields(text),
    };
    let fields = fields.map_err(|(line, message)| vec![fault(line, message)])?;
    let description = field(&fields, "description").and_then(|(_, value, _)| value.as_text());
    let Some((_, steps, line)) = field(&fields, "steps") else {
        let message = "expected a list `steps`".to_owned();
        return Err(vec![fault(1, message)]);
    };
    let tools = match field(&fields, "tools") {
        Some((_, tools, _)) => tools.clone(),
        None => Value::List(named_tools(steps)),
    };
    let mut skill = Skill::new(id.clone(), description.unwrap_or_default())
        .with_field("workflow", steps.clone())
        .with_field("required_tools", tools);
    if let Some((_, names, _)) = field(&fields, "arguments") {
        skill = skill.with_field("arguments", names.clone());
    }
    if let Some((_, checks, line)) = field(&fields, "verification") {
        let number = Check::items(checks)
            .iter()
            .position(|item| Check::read(item).is_none());
        if let Some(number) = number {
            let number = number + 1;
            let message = format!(
                "item {number} of `verification` is not a check: expected a text, or a map with `kind`"
            );
            return Err(vec![fault(*line, message)]);
        }
        skill = skill.with_field("verification", checks.clone());
    }
    match Workflow::from_skill(&skill) {
        Ok(workflow) => Ok(ParsedPlan {
            description: description.map(Arc::from),
            workflow,
            skill,
        }),
        Err(faults) => {
            let faults = faults.into_iter();
            Err(faults.map(|found| fault(*line, found.message)).collect())
        }
    }
}

fn field<'f>(fields: &'f Fields, key: &str) -> Option<&'f (Arc<str>, Value, u32)> {
    fields.iter().find(|(name, ..)| name.as_ref() == key)
}

fn named_tools(steps: &Value) -> Vec<Value> {
    let tools = steps.items().iter().filter_map(|step| step.get("tool"));
    tools
        .filter(|tool| tool.as_text().is_some())
        .cloned()
        .collect()
}

fn fault(line: u32, message: String) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(Code::BAD_WORKFLOW, message).at(line, 1);
    diagnostic.severity = Severity::Error;
    diagnostic
}

fn line_of(bytes: &[u8], at: usize) -> u32 {
    let lines = bytes[..at].iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(lines + 1).unwrap_or(u32::MAX)
}

/// Reads YAML, of which JSON is a part, with the parser of front matter. An error has a line and a message.
fn yaml_fields(text: &str) -> Result<Fields, (u32, String)> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let (start, lines_above) = match text.strip_prefix("---") {
        Some(rest) if rest.starts_with(['\n', '\r']) => (text.to_owned(), 0),
        _ => (format!("---\n{text}"), 1),
    };
    let end = if start.ends_with('\n') {
        "---\n"
    } else {
        "\n---\n"
    };
    match skill_md::fields_with_lines(format!("{start}{end}").as_bytes()) {
        Ok((_, Some(at))) | Err(at) => {
            let message = "the file cannot be read as a map of YAML or JSON";
            Err((written_line(at, lines_above), message.to_owned()))
        }
        Ok((fields, None)) => Ok(fields
            .into_iter()
            .map(|(key, value, at)| (key, value, written_line(at, lines_above)))
            .collect()),
    }
}

/// Returns the line in the file of a line in the text that the parser got.
fn written_line(line: u32, lines_above: u32) -> u32 {
    line.saturating_sub(lines_above).max(1)
}

fn toml_fields(text: &str) -> Result<Fields, (u32, String)> {
    let document = Document::parse(text).map_err(|error| {
        let at = error.span().map_or(text.len(), |span| span.start);
        (line_of(text.as_bytes(), at), error.message().to_owned())
    })?;
    let fields = document.as_table().iter().map(|(key, item)| {
        let start = match item {
            Item::ArrayOfTables(tables) => tables.iter().next().and_then(toml_edit::Table::span),
            item => item.span(),
        };
        let line = line_of(text.as_bytes(), start.map_or(0, |span| span.start));
        (Arc::from(key), of_toml(item), line)
    });
    Ok(fields.collect())
}

fn of_toml(item: &Item) -> Value {
    match item {
        Item::None => Value::plain(""),
        Item::Value(value) => of_toml_value(value),
        Item::Table(table) => of_table(table),
        Item::ArrayOfTables(tables) => {
            Value::List(tables.iter().map(|table| of_table(table)).collect())
        }
    }
}

fn of_toml_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::text(text.value().as_str()),
        toml_edit::Value::Array(items) => Value::List(items.iter().map(of_toml_value).collect()),
        toml_edit::Value::InlineTable(table) => of_table(table),
        other => Value::plain(other.to_string().trim()),
    }
}

fn of_table(table: &dyn TableLike) -> Value {
    let rows = table
        .iter()
        .map(|(key, item)| (Arc::from(key), of_toml(item)));
    Value::Map(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(format: WorkflowFormat, text: &str) -> Result<(Option<String>, usize), Vec<String>> {
        let id = Id::of_path("jobs/a.workflow").expect("a path");
        let context = repertoire::render::Context::default();
        match parse(format, &id, text.as_bytes()) {
            Ok(plan) => {
                let steps = plan.workflow.planned(&context).expect("no variables").len();
                Ok((plan.description.map(|text| text.to_string()), steps))
            }
            Err(faults) => Err(faults
                .iter()
                .map(|fault| format!("{}: {}", fault.line.unwrap_or_default(), fault.message))
                .collect()),
        }
    }

    #[test]
    fn every_format_has_the_same_plan() {
        let expected = Ok((Some("Builds it.".to_owned()), 2));
        for (format, text) in [
            (
                WorkflowFormat::Yaml,
                "description: Builds it.\nsteps:\n  - step: Build.\n    tool: mcp__ci__build\n    params: { jobs: 2 }\n  - Look at the log.\n",
            ),
            (
                WorkflowFormat::Yaml,
                "---\ndescription: Builds it.\nsteps:\n  - Build.\n  - Look at the log.\n",
            ),
            (
                WorkflowFormat::Json,
                "{\n  \"description\": \"Builds it.\",\n  \"steps\": [\n    {\"step\": \"Build.\", \"tool\": \"mcp__ci__build\"},\n    \"Look at the log.\"\n  ]\n}\n",
            ),
            (
                WorkflowFormat::Toml,
                "description = \"Builds it.\"\n[[steps]]\nstep = \"Build.\"\ntool = \"mcp__ci__build\"\nparams = { jobs = 2 }\n[[steps]]\nstep = \"Look at the log.\"\n",
            ),
        ] {
            assert_eq!(plan(format, text), expected, "{text}");
        }
    }

    #[test]
    fn a_fault_has_its_line() {
        for (format, text, expected) in [
            (
                WorkflowFormat::Yaml,
                "description: x\nsteps:\n  - id: a\n",
                "2: item 1 is not a step: expected a text, or a map with `step`",
            ),
            (
                WorkflowFormat::Yaml,
                "steps: [Build.]\nverification:\n  - It runs.\n  - path: x\n",
                "2: item 2 of `verification` is not a check: expected a text, or a map with `kind`",
            ),
            (
                WorkflowFormat::Yaml,
                "tools: [other]\nsteps:\n  - step: Build.\n    tool: build\n",
                "2: step 1 calls `build`, which is not among the `required_tools`",
            ),
            (
                WorkflowFormat::Json,
                "{\"a\": 1}",
                "1: expected a list `steps`",
            ),
            (
                WorkflowFormat::Toml,
                "a = 1\nsteps = [\n",
                "2: unclosed array, expected `]`",
            ),
            (
                WorkflowFormat::Yaml,
                "- a\n- b\n",
                "1: the file cannot be read as a map of YAML or JSON",
            ),
        ] {
            let faults = plan(format, text).expect_err(text);
            assert_eq!(faults, [expected], "{text}");
        }
    }
}
