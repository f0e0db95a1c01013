//! YAML text to values: granit's events, our tree, bounded.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, Span};

use super::table::{FieldTable, Mark};
use super::{Limits, subset};
use crate::declared::unique;
use crate::shared_text::{shared_key, shared_value};
use crate::{Scalar, Value};

#[derive(Debug)]
pub(super) enum YamlDocument {
    /// A mapping.
    Map(FieldTable),
    /// A list or a text.
    Other,
    /// Nothing.
    Empty,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct YamlError {
    pub(super) at: usize,
    pub(super) reason: YamlFault,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum YamlFault {
    Syntax(ErrorKind),
    Alias,
    ComplexKey,
    Misplaced,
    NotAField,
    WideColon,
    SecondDocument,
    Depth(usize),
    Nodes(usize),
    Keys(usize),
}

/// Reads a YAML text. `nodes` is how many more scalars, lists and maps may come.
pub(super) fn read(
    text: &str,
    limits: &Limits,
    nodes: &mut usize,
) -> Result<YamlDocument, YamlError> {
    match subset::read(text, limits, nodes) {
        Some(table) => Ok(YamlDocument::Map(table)),
        None => parse(text, limits, nodes),
    }
}

/// Reads a YAML text by its events.
#[inline(never)] // The parser takes kilobytes of stack, which most texts do not need.
pub(super) fn parse(
    text: &str,
    limits: &Limits,
    nodes: &mut usize,
) -> Result<YamlDocument, YamlError> {
    let mut tree = Tree {
        text,
        limits,
        nodes,
        stack: Vec::new(),
        root: YamlDocument::Empty,
        documents: 0,
        property: None,
    };
    for next in Parser::new_from_str_with_options(text, options(limits)) {
        let (event, span) = next.map_err(|error| YamlError {
            at: error
                .marker()
                .byte_offset()
                .unwrap_or(text.len())
                .min(text.len()),
            reason: match error.kind() {
                ErrorKind::UnknownAnchor => YamlFault::Alias,
                ErrorKind::RecursionLimitExceeded => YamlFault::Depth(limits.depth),
                kind => YamlFault::Syntax(kind.clone()),
            },
        })?;
        tree.take(event, span).map_err(|reason| YamlError {
            at: start(&span),
            reason,
        })?;
    }
    Ok(tree.root)
}

pub(super) fn options(limits: &Limits) -> Options {
    let mut options = Options::default();
    options.disallow_directives = true;
    options.set_emit_comments(false);
    options.flow_nesting_limit = limits.depth;
    options.block_nesting_limit = limits.depth;
    options
}

pub(super) fn start(span: &Span) -> usize {
    span.start.byte_offset().unwrap_or(0)
}

pub(super) fn end(span: &Span) -> usize {
    span.end.byte_offset().unwrap_or(0)
}

/// The tree as far as the events have come.
struct Tree<'a> {
    text: &'a str,
    limits: &'a Limits,
    nodes: &'a mut usize,
    stack: Vec<OpenCollection>,
    root: YamlDocument,
    documents: usize,
    /// The first one in the field that is being read.
    property: Option<Range<usize>>,
}

/// A collection that is not complete.
struct OpenCollection {
    start: usize,
    kind: CollectionKind,
}

enum CollectionKind {
    YamlDocument {
        table: FieldTable,
        key: Option<(Arc<str>, usize)>,
    },
    Map {
        rows: Vec<(Arc<str>, Value)>,
        key: Option<Arc<str>>,
    },
    List(Vec<Value>),
}

impl Tree<'_> {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), YamlFault> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.count()?;
                let plain = style == ScalarStyle::Plain;
                if plain && (anchor != 0 || tag.is_some()) && self.property.is_none() {
                    self.property = property(self.text, start(&span));
                }
                let scalar = Scalar {
                    text: shared_value(&text),
                    plain: plain && tag.is_none(),
                };
                self.place(
                    Value::Scalar(scalar),
                    Mark::new(0, start(&span)..end(&span), plain),
                )
            }
            Event::SequenceStart(..) => self.open(&span, CollectionKind::List(Vec::new())),
            Event::MappingStart(..) if self.stack.is_empty() => self.open(
                &span,
                CollectionKind::YamlDocument {
                    table: FieldTable::default(),
                    key: None,
                },
            ),
            Event::MappingStart(..) => self.open(
                &span,
                CollectionKind::Map {
                    rows: Vec::new(),
                    key: None,
                },
            ),
            Event::SequenceEnd | Event::MappingEnd => self.close(&span),
            Event::Alias(_) | Event::UnresolvedAlias(_) => Err(YamlFault::Alias),
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    Err(YamlFault::SecondDocument)
                } else {
                    Ok(())
                }
            }
            _ => Ok(()),
        }
    }

    fn count(&mut self) -> Result<(), YamlFault> {
        *self.nodes = self
            .nodes
            .checked_sub(1)
            .ok_or(YamlFault::Nodes(self.limits.nodes))?;
        Ok(())
    }

    fn open(&mut self, span: &Span, kind: CollectionKind) -> Result<(), YamlFault> {
        self.count()?;
        if self.stack.len() >= self.limits.depth {
            return Err(YamlFault::Depth(self.limits.depth));
        }
        self.stack.push(OpenCollection {
            start: start(span),
            kind,
        });
        Ok(())
    }

    fn close(&mut self, span: &Span) -> Result<(), YamlFault> {
        let Some(frame) = self.stack.pop() else {
            return Ok(());
        };
        let value = match frame.kind {
            CollectionKind::YamlDocument { table, .. } => {
                self.root = YamlDocument::Map(table);
                return Ok(());
            }
            CollectionKind::Map { rows, .. } => Value::Map(unique(rows)),
            CollectionKind::List(mut items) => {
                items.shrink_to_fit();
                Value::List(items)
            }
        };
        self.place(
            value,
            Mark::new(0, frame.start..end(span).max(frame.start), false),
        )
    }

    /// Puts a complete value where it belongs: a key, the value of one, an item, or the whole text.
    fn place(&mut self, value: Value, mark: Mark) -> Result<(), YamlFault> {
        match self.stack.last_mut().map(|frame| &mut frame.kind) {
            None => {
                self.root = if value.is_null() {
                    YamlDocument::Empty
                } else {
                    YamlDocument::Other
                }
            }
            Some(CollectionKind::List(items)) => items.push(value),
            Some(CollectionKind::Map { rows, key }) => match key.take() {
                None => *key = Some(key_text(value)?),
                Some(key) => rows.push((key, value)),
            },
            Some(CollectionKind::YamlDocument { table, key }) => match key.take() {
                None => *key = Some((key_text(value)?, mark.value.start)),
                Some((key, at)) => {
                    if table.written() == self.limits.keys {
                        return Err(YamlFault::Keys(self.limits.keys));
                    }
                    table.insert(
                        key,
                        value,
                        Mark {
                            key: at,
                            property: self.property.take(),
                            ..mark
                        },
                    );
                }
            },
        }
        Ok(())
    }
}

/// Returns where the tags and anchors are that end before the value at `value`, unless a tag of YAML's own types it.
fn property(text: &str, value: usize) -> Option<Range<usize>> {
    let before = text.get(..value)?.trim_end();
    let mut start = before.len();
    loop {
        let ahead = before[..start].trim_end();
        let word = ahead
            .char_indices()
            .rfind(|(_, c)| c.is_whitespace() || matches!(c, '[' | '{' | ','))
            .map_or(0, |(at, c)| at + c.len_utf8());
        let token = &ahead[word..];
        if !token.starts_with(['!', '&'])
            || token.starts_with("!!")
            || token.starts_with("!<tag:yaml.org,2002:")
        {
            break;
        }
        start = word;
    }
    (start < before.len()).then_some(start..before.len())
}

fn key_text(value: Value) -> Result<Arc<str>, YamlFault> {
    match value {
        Value::Scalar(scalar) => Ok(shared_key(&scalar.text)),
        _ => Err(YamlFault::ComplexKey),
    }
}

impl fmt::Display for YamlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: Cow<'static, str> = match self {
            YamlFault::Alias => {
                "`*` and `&` at the start of a value refer to other values, which is not supported"
                    .into()
            }
            YamlFault::ComplexKey => "a key must be a text".into(),
            YamlFault::Misplaced => "it stands inside a field that could not be read".into(),
            YamlFault::WideColon => "the full-width `：` stands for the colon".into(),
            YamlFault::NotAField => "expected `key: value` on one line".into(),
            YamlFault::SecondDocument => "a second document starts here".into(),
            YamlFault::Depth(limit) => format!("values are nested more than {limit} deep").into(),
            YamlFault::Nodes(limit) => format!("there are more than {limit} values").into(),
            YamlFault::Keys(limit) => format!("there are more than {limit} fields").into(),
            YamlFault::Syntax(kind) => match kind {
                ErrorKind::MappingValueNotAllowed => {
                    "an unquoted value cannot contain a colon followed by a space".into()
                }
                ErrorKind::MissingAnchorOrAliasName => {
                    "unquoted text must not start with `*` or `&`".into()
                }
                ErrorKind::UnexpectedCharacter { character } => format!(
                    "unquoted text must not start with `{}`",
                    character.escape_default()
                )
                .into(),
                ErrorKind::InvalidTrailingDoubleQuotedScalar
                | ErrorKind::InvalidTrailingSingleQuotedScalar => {
                    "text follows the closing quote".into()
                }
                kind => kind.to_string().into(),
            },
        };
        f.write_str(&text)
    }
}
