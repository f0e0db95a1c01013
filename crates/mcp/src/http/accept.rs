//! The types of answers that a client accepts.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Accepted {
    pub(super) json: bool,
    pub(super) events: bool,
}

impl Accepted {
    pub(super) fn of(headers: &HeaderMap) -> Accepted {
        let named = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let ranges: Vec<Range<'_>> = named.flat_map(|value| value.split(',')).filter_map(Range::parse).collect();
        let accepts = |kind, name| {
            let of_range = |range: &&Range<'_>| range.precision(kind, name).is_some();
            let closest = ranges.iter().filter(of_range).max_by_key(|range| range.precision(kind, name));
            ranges.is_empty() || closest.is_some_and(|range| range.is_wanted)
        };
        Accepted { json: accepts("application", "json"), events: accepts("text", "event-stream") }
    }
}

struct Range<'h> {
    kind: &'h str,
    name: &'h str,
    is_wanted: bool,
}

impl<'h> Range<'h> {
    fn parse(text: &'h str) -> Option<Range<'h>> {
        let mut parts = text.split(';').map(str::trim);
        let essence = parts.next().filter(|essence| !essence.is_empty())?;
        let (kind, name) = essence.split_once('/').unwrap_or((essence, ""));
        let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        let is_nothing = weight.and_then(|weight| weight.parse::<f32>().ok()).is_some_and(|weight| weight <= 0.0);
        Some(Range { kind, name, is_wanted: !is_nothing })
    }

    fn precision(&self, kind: &str, name: &str) -> Option<u8> {
        let is = |mine: &str, other: &str| mine.eq_ignore_ascii_case(other);
        match (self.kind, self.name) {
            (mine, part) if is(mine, kind) && is(part, name) => Some(2),
            (mine, "*") if is(mine, kind) => Some(1),
            ("*", "*") => Some(0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
