//! Diagnostics of the strict verdict alone: what the reference validator refuses and clients accept.

use granit_parser::{Event, Parser, StructureStyle};

use super::report::DiagnosticSink;
use super::table::FieldTable;
use super::{Limits, fence, yaml};
use crate::text::quoted;
use crate::{Code, Diagnostic};

/// The fields of the standard (S-10 to S-18), sorted as the reference validator lists them.
const STANDARD: [&str; 6] = [
    "allowed-tools",
    "compatibility",
    "description",
    "license",
    "metadata",
    "name",
];

pub(super) fn check_start(bytes: &[u8], sink: &mut DiagnosticSink<'_>) {
    if fence::has_bom(bytes) {
        let message =
            "the file must start with YAML frontmatter, but a byte-order mark comes first";
        sink.add(
            0,
            Diagnostic::new(Code::BYTE_ORDER_MARK, message).help("save it as UTF-8 without a mark"),
        );
    }
}

pub(super) fn check_subset(
    text: &str,
    offset: usize,
    limits: &Limits,
    sink: &mut DiagnosticSink<'_>,
) {
    let (mut flow, mut anchor, mut tag) = (None, None, None);
    for (event, span) in
        Parser::new_from_str_with_options(text, yaml::options(limits)).map_while(Result::ok)
    {
        let at = yaml::start(&span);
        let (id, tagged) = match event {
            Event::Scalar(_, _, id, tag) => (id, tag.is_some()),
            Event::SequenceStart(style, id, tag) | Event::MappingStart(style, id, tag) => {
                if style == StructureStyle::Flow {
                    flow.get_or_insert(at);
                }
                (id, tag.is_some())
            }
            _ => continue,
        };
        if id != 0 {
            anchor.get_or_insert(at);
        }
        if tagged {
            tag.get_or_insert(at);
        }
    }
    let excluded = [
        (flow, "a list or map in brackets"),
        (anchor, "an anchor"),
        (tag, "a tag"),
    ];
    for (at, what) in excluded {
        if let Some(at) = at {
            report_excluded(offset + at, what, sink);
        }
    }
    if let Some(at) = tab_after_colon(text) {
        report_excluded(offset + at, "a tab after a colon", sink);
    }
}

fn report_excluded(at: usize, what: &str, sink: &mut DiagnosticSink<'_>) {
    sink.emit(
        at,
        Code::YAML_SUBSET,
        format!("invalid YAML in frontmatter: the standard's subset excludes {what}"),
    );
}

fn tab_after_colon(text: &str) -> Option<usize> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let key = line.split(':').next().unwrap_or_default();
        if line[key.len()..].starts_with(":\t") && !key.contains([' ', '\t', '"', '\'', '#']) {
            return Some(start + key.len() + 1);
        }
        start += line.len();
    }
    None
}

/// The most names that one message lists.
const LISTED: usize = 16;

pub(super) fn check_fields(table: &FieldTable, sink: &mut DiagnosticSink<'_>) {
    let keys = table.fields.iter().map(|(key, _)| key.as_ref());
    let Some(first) = keys.clone().position(|key| !STANDARD.contains(&key)) else {
        return;
    };
    let mut extra: Vec<&str> = keys.filter(|key| !STANDARD.contains(key)).collect();
    extra.sort_unstable();
    let more = extra.split_off(extra.len().min(LISTED)).len();
    let more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    let message = format!(
        "unexpected fields in frontmatter: {}{more}; only {} are allowed",
        list(&extra),
        list(&STANDARD)
    );
    sink.emit(table.marks[first].key, Code::UNEXPECTED_FIELDS, message);
}

fn list(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{}`", quoted(name)))
        .collect::<Vec<_>>()
        .join(", ")
}
