//! The fields of a front matter as pieces of text.

use std::borrow::Cow;

use super::Left;
use crate::skill_md::table::{FieldTable, Mark};
use crate::skill_md::write::is_plain;
use crate::skill_md::{Limits, fence, recovery};
use crate::{Scalar, Value};

/// The parts of a front matter. Concatenated in this order they are the original text, without leading blank lines.
pub(super) struct Pieces<'a> {
    /// Comments that a blank line sets apart from the first field.
    pub(super) header: &'a str,
    pub(super) fields: Vec<FieldText<'a>>,
    /// Comments below the last field.
    pub(super) tail: &'a str,
}

/// A field with its comments, which move with it.
pub(super) struct FieldText<'a> {
    pub(super) key: &'a str,
    pub(super) lead: &'a str,
    /// The whole lines of the field.
    text: &'a str,
    /// The indentation of the key.
    indent: usize,
    value: &'a Value,
    mark: &'a Mark,
}

impl<'a> Pieces<'a> {
    /// Splits `source` into the fields of `table`.
    pub(super) fn cut(source: &'a str, table: &'a FieldTable) -> Result<Pieces<'a>, Left> {
        let mut order: Vec<usize> = (0..table.marks.len()).collect();
        order.sort_by_key(|index| table.marks[*index].key);
        let starts: Vec<usize> = order
            .iter()
            .map(|index| line_start(source, table.marks[*index].key))
            .collect();
        let (header, mut lead) = head(&source[..starts.first().copied().unwrap_or(source.len())])?;
        let mut fields = Vec::new();
        for (at, index) in order.into_iter().enumerate() {
            let (start, end) = (
                starts[at],
                starts.get(at + 1).copied().unwrap_or(source.len()),
            );
            let (mark, (key, value)) = (&table.marks[index], &table.fields[index]);
            let before = &source[start..mark.key];
            if start == end || !before.bytes().all(|byte| byte == b' ') {
                return Err(Left::at(
                    mark.key,
                    "each field must begin a line of its own",
                ));
            }
            let (text, comments) = split_comments(&source[start..end], before.len());
            fields.push(FieldText {
                key,
                lead,
                text,
                indent: before.len(),
                value,
                mark,
            });
            lead = comments;
        }
        Ok(Pieces {
            header,
            fields,
            tail: lead,
        })
    }
}

fn head(text: &str) -> Result<(&str, &str), Left> {
    let mut apart = 0;
    for (at, line) in lines(text) {
        match line.trim_start() {
            blank if blank.trim().is_empty() => apart = at + line.len(),
            comment if comment.starts_with('#') => {}
            _ => {
                return Err(Left::at(
                    at,
                    "a line ahead of the first field belongs to none",
                ));
            }
        }
    }
    let (header, lead) = text.split_at(apart);
    Ok((if header.trim().is_empty() { "" } else { header }, lead))
}

fn split_comments(text: &str, indent: usize) -> (&str, &str) {
    let mut cut = None;
    for (at, line) in lines(text).skip(1) {
        let content = line.trim_start_matches(' ');
        if content.starts_with('#') && line.len() - content.len() <= indent {
            cut.get_or_insert(at);
        } else if !line.trim().is_empty() {
            cut = None;
        }
    }
    text.split_at(cut.unwrap_or(text.len()))
}

impl<'a> FieldText<'a> {
    pub(super) fn canonical(&self, source: &'a str) -> Cow<'a, str> {
        match self.one_line(source) {
            Some(text) => text.into(),
            None => dedented(self.text, self.indent),
        }
    }

    fn one_line(&self, source: &str) -> Option<String> {
        let Value::Scalar(Scalar { text, .. }) = self.value else {
            return None;
        };
        let start = line_start(source, self.mark.key);
        let line_end = fence::line(source.as_bytes(), start).0;
        let written = source.get(self.mark.value.clone())?.trim_end();
        let value_end = self.mark.value.start + written.len();
        if written.is_empty() || value_end > line_end || written.starts_with(['|', '>']) {
            return None;
        }
        // A tag or an anchor would stand between the colon and the value.
        let key = source
            .get(self.mark.key..self.mark.value.start)?
            .trim_end()
            .strip_suffix(':')?
            .trim_end();
        let key = if is_plain(self.key) && !self.key.contains(' ') {
            self.key
        } else {
            key
        };
        let comment = source[value_end..line_end].trim_end();
        // A comment after an unquoted text looks as if it ended the text.
        let bare = written.starts_with(['"', '\'']) && comment.is_empty() && is_plain(text);
        let value = if bare { text } else { written };
        let rest = dedented(&self.text[line_end - start..], self.indent);
        Some(format!("{key}: {value}{comment}{rest}"))
    }

    pub(super) fn without_tabs(&self) -> Cow<'a, str> {
        match recovery::untabbed(self.text) {
            Some(text) => dedented(&text, self.indent).into_owned().into(),
            None => dedented(self.text, self.indent),
        }
    }

    pub(super) fn repaired(&self, text: &str) -> Option<String> {
        let mut all = lines(self.text);
        let (_, first) = all.next()?;
        let mark = first.split_once(':').map_or("", |(_, value)| value.trim());
        if recovery::block_mark(mark).is_some() && mark.contains('#') {
            return None;
        }
        let (comments, below): (Vec<_>, Vec<_>) = all
            .map(|(_, line)| line)
            .partition(|line| line.starts_with('#'));
        // Other lines below a field that holds a name are not part of its value, and would be lost.
        if recovery::is_name(self.key) && below.iter().any(|line| !line.trim().is_empty()) {
            return None;
        }
        let line_end = &first[fence::line(first.as_bytes(), 0).0..];
        let in_quotes = format!("{}: {}{line_end}", self.key, serde_json::Value::from(text));
        let mut literal = format!("{}: |-{line_end}", self.key);
        for line in text.split('\n') {
            literal += &if line.is_empty() {
                line_end.to_owned()
            } else {
                format!("  {line}{line_end}")
            };
        }
        let spellings = if is_plain(text) {
            [format!("{}: {text}{line_end}", self.key), in_quotes]
        } else if text.contains('\n') {
            [literal, in_quotes]
        } else {
            [in_quotes, literal]
        };
        let found = spellings
            .into_iter()
            .find(|spelling| self.is_read_as(text, spelling))?;
        Some(comments.concat() + &found)
    }

    fn is_read_as(&self, text: &str, spelling: &str) -> bool {
        let limits = Limits::default();
        let read = recovery::read_alone(spelling, self.key, &limits, &mut { limits.nodes });
        read.is_ok_and(|(value, _)| value.json() == text)
    }
}

fn dedented(text: &str, indent: usize) -> Cow<'_, str> {
    if indent == 0 {
        return text.into();
    }
    lines(text)
        .map(|(_, line): (usize, &str)| {
            let blanks = line
                .bytes()
                .take(indent)
                .take_while(|byte| *byte == b' ')
                .count();
            line[blanks..].to_owned()
        })
        .collect::<String>()
        .into()
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    fence::lines(text.as_bytes(), 0).map(|(start, _, next)| (start, &text[start..next]))
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1)
}
