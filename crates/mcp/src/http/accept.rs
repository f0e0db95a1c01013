//! The `Accept` header.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Accepted {
    pub(super) json: bool,
    pub(super) events: bool,
}

impl Accepted {
    pub(super) fn of(headers: &HeaderMap) -> Accepted {
        let named = headers
            .get_all(ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let ranges: Vec<Range<'_>> = named
            .flat_map(|value| value.split(','))
            .filter_map(Range::parse)
            .collect();
        Accepted {
            json: is_accepted(&ranges, "application", "json"),
            events: is_accepted(&ranges, "text", "event-stream"),
        }
    }
}

fn is_accepted(ranges: &[Range<'_>], kind: &str, name: &str) -> bool {
    let precisions = ranges
        .iter()
        .filter_map(|range| Some((range.precision(kind, name)?, range)));
    let closest = precisions.max_by_key(|(precision, _)| *precision);
    ranges.is_empty() || closest.is_some_and(|(_, range)| range.is_wanted)
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
        let is_nothing = weight
            .and_then(|weight| weight.parse::<f32>().ok())
            .is_some_and(|weight| weight <= 0.0);
        Some(Range {
            kind,
            name,
            is_wanted: !is_nothing,
        })
    }

    fn precision(&self, kind: &str, name: &str) -> Option<u8> {
        let is_kind = self.kind.eq_ignore_ascii_case(kind);
        match self.name {
            own if is_kind && own.eq_ignore_ascii_case(name) => Some(2),
            "*" if is_kind => Some(1),
            "*" if self.kind == "*" => Some(0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
