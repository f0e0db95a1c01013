//! From fields to a skill: the checks of the standard, in the reference validator's order.

use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use super::fence::Block;
use super::report::DiagnosticSink;
use super::spelling::{self, LookAlike};
use super::table::{FieldTable, Mark};
use super::{FileContext, Limits, extensions, report, strict};
use crate::declared::{
    ALLOWED_TOOLS, CATEGORY, DISABLE_MODEL_INVOCATION, DeclaredFields, LIMITING, USER_INVOCABLE,
};
use crate::text::{self, quoted};
use crate::{Code, Diagnostic, Id, Scalar, Skill, ToolPattern, Value};

pub(super) struct Assembly<'a, 'b> {
    pub(super) text: &'a str,
    pub(super) block: &'b Block,
    pub(super) site: FileContext<'a>,
    pub(super) limits: &'a Limits,
    pub(super) sink: &'b mut DiagnosticSink<'a>,
    /// Whether a value may have a hidden character: as it is, or behind an escape.
    pub(super) may_hide: bool,
}

impl Assembly<'_, '_> {
    pub(super) fn skill(mut self, table: FieldTable) -> Option<Skill> {
        if self.sink.is_strict() {
            strict::check_fields(&table, self.sink);
        }
        self.properties(&table);
        self.misspelt(&table);
        let id = self.id(&table);
        let description = self.description(&table);
        self.compatibility(&table);
        self.other_texts(&table);
        let mut skill = Skill::new(id?, description?);
        let declared = DeclaredFields::read(&table.fields, |key, code, message| {
            let at = table
                .get(key)
                .map_or(self.block.opening, |(_, mark)| mark.key);
            self.sink.emit(at, code, message);
        });
        let by_model = table
            .get(DISABLE_MODEL_INVOCATION)
            .and_then(|(value, _)| value.as_bool());
        let by_user = table
            .get(USER_INVOCABLE)
            .and_then(|(value, _)| value.as_bool());
        if (by_model, by_user) == (Some(true), Some(false)) {
            let at = table
                .get(DISABLE_MODEL_INVOCATION)
                .map_or(self.block.opening, |(_, mark)| mark.key);
            let message = format!(
                "neither a model nor a user reaches the skill: `{DISABLE_MODEL_INVOCATION}` excludes the one, \
                 `{USER_INVOCABLE}` the other"
            );
            self.sink.add(
                at,
                Diagnostic::new(Code::UNREACHABLE, message).help("remove one of the two fields"),
            );
        }
        skill.declare(declared);
        extensions::check(&table, self.text, self.sink);
        self.rules(&skill, &table);
        if let Some((value, mark)) = table.get("argument-hint") {
            skill.spell_argument_hint(
                value,
                self.text
                    .get(mark.value.clone())
                    .unwrap_or_default()
                    .trim_end(),
            );
        }
        skill.fields = table.fields;
        skill.fields.shrink_to_fit();
        Some(skill)
    }

    fn missing(&mut self, key: &str, table: &FieldTable) -> (usize, String, Option<String>) {
        let missing = format!("missing required field in frontmatter: `{key}`");
        match LookAlike::find(key, table, self.text, self.block.yaml.clone()) {
            None => (self.block.opening, missing, None),
            Some(LookAlike { at, fault, text }) => {
                let (line, _) = self.sink.place(at);
                let help = match report::in_yaml(key, &text) {
                    Some(line) => format!("write `{line}` at the start of a line"),
                    None => format!("write `{key}`, a colon and a blank at the start of a line"),
                };
                (at, format!("{missing}; on line {line} {fault}"), Some(help))
            }
        }
    }

    fn properties(&mut self, table: &FieldTable) {
        for ((key, value), mark) in table.fields.iter().zip(&table.marks) {
            let Some(property) = mark
                .property
                .as_ref()
                .filter(|_| PROSE.contains(&key.as_ref()))
            else {
                continue;
            };
            let (key, word) = (quoted(key), quoted(&self.text[property.clone()]));
            let whole = value
                .as_text()
                .filter(|_| mark.plain)
                .and(self.text.get(property.start..mark.value.end));
            let help = match whole.and_then(|text| report::in_yaml(&key, text.trim())) {
                Some(line) => format!("quote this value if it is text: `{line}`"),
                None => "put the text in quotes if it begins with this word".to_owned(),
            };
            let message = format!(
                "`{word}` is a tag or an anchor of YAML, which cuts it from the text of `{key}`"
            );
            self.sink.add(
                property.start,
                Diagnostic::new(Code::CUT_BY_TAG, message).help(help),
            );
        }
    }

    fn misspelt(&mut self, table: &FieldTable) {
        for ((key, value), mark) in table.fields.iter().zip(&table.marks) {
            self.nested_limits(key, value, mark);
            let Some(known) = spelling::meant_by(key) else {
                continue;
            };
            // Named where the field is reported as missing.
            if ["name", "description"].contains(&known) && table.get(known).is_none() {
                continue;
            }
            let is_limit = LIMITING.contains(&known);
            let (code, effect) = match is_limit {
                true => (Code::MISSPELT_LIMIT, "it limits nothing"),
                false => (Code::MISSPELT_FIELD, "it has no effect"),
            };
            let message = format!("`{}` is not a known field: {effect}", quoted(key));
            let help = format!("write `{known}` if that is meant");
            self.sink
                .add(mark.key, Diagnostic::new(code, message).help(help));
        }
    }

    /// Reports limits below `metadata` or a merge key, which YAML 1.2 does not merge: they limit nothing there.
    fn nested_limits(&mut self, key: &str, value: &Value, mark: &Mark) {
        if !matches!(key, "<<" | "metadata") {
            return;
        }
        for limit in LIMITING {
            // Authors sort their skills by a category of their own in `metadata`.
            if value.get(limit).is_some() && (key, limit) != ("metadata", CATEGORY) {
                let message =
                    format!("`{limit}` below `{key}` is not a known field: it limits nothing");
                let help = format!("write `{limit}` at the start of a line if that is meant");
                self.sink.add(
                    mark.key,
                    Diagnostic::new(Code::MISSPELT_LIMIT, message).help(help),
                );
            }
        }
    }

    /// The written name if it can be an id, else the directory's.
    fn id(&mut self, table: &FieldTable) -> Option<Id> {
        let name = table.get("name").filter(|(value, _)| is_written(value));
        let alias = table.get("id");
        if let (Some((name, _)), Some((alias, mark))) = (name, alias)
            && name.as_text().map(str::trim) != alias.as_text().map(str::trim)
        {
            self.sink.emit(
                mark.key,
                Code::NAME_AND_ID,
                "`name` and `id` differ; `name` is taken",
            );
        }
        let Some((value, mark)) = name.or(alias).or(table.get("name")) else {
            let (at, missing, _) = self.missing("name", table);
            return self.directory_id(at, Code::MISSING_NAME, &missing);
        };
        let written = match value {
            Value::Scalar(Scalar { text, .. }) if is_written(value) => text,
            _ => {
                return self.directory_id(
                    mark.key,
                    Code::UNUSABLE_NAME,
                    "field `name` must be a non-empty string",
                );
            }
        };
        self.warn_of_cut("name", mark);
        self.warn_of_invisible("name", written, mark);
        match Id::shared(written) {
            Ok(id) => {
                self.check_name(&id, mark);
                Some(id)
            }
            Err(error) => {
                let (name, reason) = (quoted(written.trim()), error.reason());
                let message = format!("name `{name}` contains invalid characters: {reason}");
                self.directory_id(mark.value.start, Code::UNUSABLE_NAME, &message)
            }
        }
    }

    fn directory_id(&mut self, at: usize, code: Code, fault: &str) -> Option<Id> {
        let id = self.site.directory.and_then(|name| Id::new(name).ok());
        match &id {
            Some(id) => {
                let name = quoted(id.as_str());
                let message = format!("{fault}; the directory's name `{name}` is taken");
                let help = match report::in_yaml("name", id.as_str()) {
                    Some(line) => format!("write `{line}`"),
                    None => "write the name of the directory as `name`".to_owned(),
                };
                self.sink.add(at, Diagnostic::new(code, message).help(help));
            }
            None => self.sink.emit(
                at,
                Code::NO_NAME,
                format!("{fault}; no directory's name can stand in"),
            ),
        }
        id
    }

    fn check_name(&mut self, id: &Id, mark: &Mark) {
        for fault in id.faults() {
            let message = format!("name `{}` {fault}", quoted(id.as_str()));
            let help = "some agents will reject it";
            self.sink.add(
                mark.value.start,
                Diagnostic::new(Code::NAME_FAULT, message).help(help),
            );
        }
        if let Some(directory) = self.site.directory
            && directory != id.as_str()
            && !directory.nfkc().eq(id.as_str().chars())
        {
            let (directory, name) = (quoted(directory), quoted(id.as_str()));
            let message = format!("directory name `{directory}` must match skill name `{name}`");
            let help = "the name in the file is used here; other agents may reject the skill or use the folder name";
            self.sink.add(
                mark.value.start,
                Diagnostic::new(Code::DIRECTORY_MISMATCH, message).help(help),
            );
        }
    }

    fn description(&mut self, table: &FieldTable) -> Option<Arc<str>> {
        let Some((value, mark)) = table.get("description") else {
            let (at, mut message, help) = self.missing("description", table);
            if help.is_none() {
                message.push_str("; agents choose a skill by its description");
            }
            let mut diagnostic = Diagnostic::new(Code::MISSING_DESCRIPTION, message);
            diagnostic.help = help;
            self.sink.add(at, diagnostic);
            return None;
        };
        let Value::Scalar(scalar) = value else {
            let message = "field `description` must be a non-empty string, found a list or a map";
            self.sink.emit(mark.key, Code::MISSING_DESCRIPTION, message);
            return None;
        };
        let written = &scalar.text;
        let trimmed = written.trim();
        if trimmed.is_empty() || value.is_null() {
            let message = "field `description` must be a non-empty string";
            self.sink.emit(mark.key, Code::MISSING_DESCRIPTION, message);
            return None;
        }
        if text::shows_nothing(trimmed) {
            let what = text::hidden(trimmed).map_or_else(
                || "characters without a shape".to_owned(),
                |what| what.to_string(),
            );
            let message =
                format!("field `description` must be a non-empty string, found {what} alone");
            self.sink.emit(mark.key, Code::MISSING_DESCRIPTION, message);
            return None;
        }
        self.warn_of_cut("description", mark);
        self.warn_of_invisible("description", written, mark);
        // The reference validator measures the text with the blanks around it.
        let measured = if self.sink.is_strict() {
            written
        } else {
            trimmed
        };
        let limit = self.limits.description_chars;
        if let Some(length) = over(measured, limit) {
            let message = format!(
                "description exceeds the limit of {limit} characters ({length}); it is kept whole"
            );
            let help = "catalogs will truncate it; put the key words first";
            self.sink.add(
                mark.value.start,
                Diagnostic::new(Code::LONG_DESCRIPTION, message).help(help),
            );
        }
        Some(if trimmed.len() == written.len() {
            written.clone()
        } else {
            trimmed.into()
        })
    }

    fn other_texts(&mut self, table: &FieldTable) {
        if !self.may_hide || text::is_clean(self.text) && !self.text.contains('\\') {
            return;
        }
        for (key, value) in table
            .fields
            .iter()
            .filter(|(key, _)| !matches!(&**key, "name" | "description"))
        {
            let Some((_, mark)) = table.get(key) else {
                continue;
            };
            let text = self.text;
            let written = text.get(mark.value.clone()).unwrap_or_default();
            self.warn_of_invisible(key, value.as_text().unwrap_or(written), mark);
        }
    }

    fn compatibility(&mut self, table: &FieldTable) {
        let Some((value, mark)) = table.get("compatibility") else {
            return;
        };
        let limit = self.limits.compatibility_chars;
        let message = match value {
            Value::Scalar(scalar) => match over(&scalar.text, limit) {
                Some(length) => {
                    format!("compatibility exceeds the limit of {limit} characters ({length})")
                }
                None => return,
            },
            _ => "field `compatibility` must be a string, found a list or a map".to_owned(),
        };
        self.sink.emit(mark.key, Code::BAD_COMPATIBILITY, message);
    }

    fn rules(&mut self, skill: &Skill, table: &FieldTable) {
        // Where the folder is not known yet, any stands for it.
        let location = if self.site.path.contains(['/', '\\']) {
            self.site.path
        } else {
            "/skill/SKILL.md"
        };
        let rules = skill.allowed_tools.iter().flatten();
        let unread = rules.filter(|rule| ToolPattern::in_skill(rule, Some(location)).is_err());
        let unread: Vec<_> = unread.map(|rule| format!("`{}`", quoted(rule))).collect();
        let (Some((_, mark)), false) = (table.get(ALLOWED_TOOLS), unread.is_empty()) else {
            return;
        };
        let what = if unread.len() == 1 {
            "a rule that grants"
        } else {
            "rules that grant"
        };
        let message = format!(
            "`{ALLOWED_TOOLS}` holds {what} nothing: {}",
            unread.join(", ")
        );
        let help = "write `Tool`, `Tool(words)`, `Tool(words:*)` or `mcp__server__*`";
        self.sink.add(
            mark.key,
            Diagnostic::new(Code::UNREADABLE_RULE, message).help(help),
        );
    }

    fn warn_of_cut(&mut self, key: &str, mark: &Mark) {
        if !mark.plain {
            return;
        }
        let rest = &self.text[mark.value.end..];
        let rest = rest.split(['\n', '\r']).next().unwrap_or_default();
        let comment = rest.trim();
        if comment.starts_with('#') {
            let at = mark.value.end + (rest.len() - rest.trim_start().len());
            let message = format!("the comment `{}` cuts `{key}`", quoted(comment));
            let help = "put the value in quotes if this is text, else move the comment to a line of its own";
            self.sink.add(
                at,
                Diagnostic::new(Code::CUT_BY_COMMENT, message).help(help),
            );
        }
    }

    fn warn_of_invisible(&mut self, key: &str, text: &str, mark: &Mark) {
        if !self.may_hide {
            return;
        }
        if let Some(what) = text::hidden(text) {
            let source = self.text.get(mark.value.clone()).unwrap_or_default();
            // Where the text is written in escapes, its start has to do.
            let within = text::hidden(source).map_or(0, |written| written.at);
            let message = format!("`{}` holds {what}", quoted(key));
            self.sink
                .emit(mark.value.start + within, Code::INVISIBLE_TEXT, message);
        }
    }
}

/// Fields that people and models read as prose; in others, a tag or an anchor is meant as one.
const PROSE: [&str; 6] = [
    "name",
    "description",
    "when_to_use",
    "when-to-use",
    "compatibility",
    "argument-hint",
];

fn over(text: &str, limit: usize) -> Option<usize> {
    // Bytes are a cheap upper bound.
    let length = if text.len() > limit {
        text.chars().count()
    } else {
        0
    };
    (length > limit).then_some(length)
}

fn is_written(value: &Value) -> bool {
    value.as_text().is_some_and(|text| !text.trim().is_empty())
}
