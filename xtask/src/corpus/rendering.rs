//! Real bodies, rendered without arguments.

use std::fmt;
use std::ops::Range;

use repertoire_core::Digest;
use repertoire_core::skill_md;
use repertoire_render::{Context, Plan, Syntax};

/// The results for the bodies.
#[derive(Debug, Default)]
pub(super) struct Rendering {
    unchanged: usize,
    with_directives: usize,
    pub(super) damaged: usize,
}

impl Rendering {
    /// Renders the body of a file, whose digest is expected to be `expected`, and returns the damage.
    pub(super) fn take(&mut self, bytes: &[u8], expected: &str) -> Option<&'static str> {
        let damage = self.damage(bytes, expected);
        self.damaged += usize::from(damage.is_some());
        damage
    }

    fn damage(&mut self, bytes: &[u8], expected: &str) -> Option<&'static str> {
        let raw = match skill_md::find_front_matter_end(bytes) {
            Some(at) => &bytes[at..],
            None => &[],
        };
        if Digest::of(raw).to_string() != format!("sha256:{expected}") {
            return Some("the body is another one");
        }
        let Ok(body) = std::str::from_utf8(raw) else {
            return Some("the body is no text");
        };
        let plan = Plan::new(body, &Syntax::default());
        let rendered = match plan.render(&Context::new(), []) {
            Ok(rendered) => rendered.text,
            Err(_) => return Some("it is not rendered"),
        };
        if rendered == body {
            self.unchanged += 1;
        } else if is_kept(body, &plan.placeholders().collect::<Vec<_>>(), &rendered) {
            self.with_directives += 1;
        } else {
            return Some("bytes outside of directives are changed");
        }
        None
    }
}

/// Returns whether the text contains, in order, every part of the body that is outside of its placeholders.
fn is_kept(body: &str, placeholders: &[Range<usize>], rendered: &str) -> bool {
    let starts = std::iter::once(0).chain(placeholders.iter().map(|placeholder| placeholder.end));
    let ends = placeholders
        .iter()
        .map(|placeholder| placeholder.start)
        .chain([body.len()]);
    let mut rest = rendered;
    for (start, end) in starts.zip(ends) {
        let literal = &body[start..end];
        let at = match (start, end == body.len()) {
            (0, _) => rest.starts_with(literal).then_some(0),
            (_, true) => rest.ends_with(literal).then(|| rest.len() - literal.len()),
            _ => rest.find(literal),
        };
        match at {
            Some(at) => rest = &rest[at + literal.len()..],
            None => return false,
        }
    }
    rest.is_empty()
        || placeholders
            .last()
            .is_some_and(|last| last.end == body.len())
}

impl fmt::Display for Rendering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rendering {
            unchanged,
            with_directives,
            damaged,
        } = self;
        write!(
            f,
            "{unchanged} unchanged, {with_directives} with directives, {damaged} damaged"
        )
    }
}
