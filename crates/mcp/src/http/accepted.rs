//! The types of answers that a client accepts.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

/// Which of the two types of answers a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Accepted {
    pub(super) json: bool,
    pub(super) events: bool,
}

impl Accepted {
    /// Returns what `headers` accept. A client that names no type accepts any.
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

/// One range of types, as in `text/*;q=0.5`.
struct Range<'h> {
    kind: &'h str,
    name: &'h str,
    /// Whether its weight is more than nothing.
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

    /// How closely it names the type `kind/name`; `None` where that is not in it.
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
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn ranges_and_weights_decide_what_is_accepted() {
        for (values, json, events) in [
            (&[][..], true, true),
            (&[""], true, true),
            (&["*/*"], true, true),
            (&["application/*, text/*"], true, true),
            (&["application/json, */*"], true, true),
            (&["application/json", "text/event-stream"], true, true),
            (&["Application/JSON; charset=utf-8"], true, false),
            (&["text/event-stream;q=0.5"], false, true),
            (&["*/*, application/json;q=0"], false, true),
            (&["text/event-stream;q=0.000, text/*"], false, false),
            (&["*/*;q=0"], false, false),
            (&["text/html"], false, false),
            (&["*"], false, false),
            (&["application/jsonp"], false, false),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(ACCEPT, HeaderValue::from_static(value));
            }
            assert_eq!(Accepted::of(&headers), Accepted { json, events }, "{values:?}");
        }
    }
}
