//! Skills that a message names.

use std::collections::HashMap;
use std::ops::Range;

use repertoire_core::{Id, Skill};
use repertoire_registry::{RegistryError, Snapshot};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::folded::fold_next;
use super::trigger_match::{MatchedBy, TriggerMatch};
use crate::resolve::ResolvedName;
use crate::session::{Notice, NoticeReason};
use repertoire_permission::{Audience, VisibilityPolicy};
use repertoire_search::is_unspaced;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sigil {
    Dollar,
    Slash,
}

/// Calls `each` with every possible mention, the longest name first at each place, until it returns `true`. `ends` returns
/// the ends of names that a text begins with.
///
/// A mention begins at the start, or behind a blank, an opening bracket or quote, a comma, or a script without blanks. It
/// ends where a word does, unless a sign leads on: `/usr/bin`, `$name.field` and `/re-read` are not mentions.
pub(super) fn each(
    message: &str,
    ends: impl Fn(&str) -> Vec<usize>,
    mut each: impl FnMut(Range<usize>, Sigil, &str) -> bool,
) {
    let mut from = 0;
    for at in memchr::memchr2_iter(b'$', b'/', message.as_bytes()) {
        if at < from || !may_begin(&message[..at]) {
            continue;
        }
        let sigil = if message.as_bytes()[at] == b'/' {
            Sigil::Slash
        } else {
            Sigil::Dollar
        };
        let behind = &message[at + 1..];
        let ends = ends(behind).into_iter().filter(|end| may_end(behind, *end));
        let found = ends
            .map(|end| (at..at + 1 + end, &behind[..end]))
            .find(|(range, name)| {
                let name: String = name.nfkc().collect();
                each(range.clone(), sigil, &name)
            });
        from = found.map_or(from, |(range, _)| range.end);
    }
}

fn may_begin(before: &str) -> bool {
    before.chars().next_back().is_none_or(|c| {
        let opens = "([{<\"'“‘«„,;，；：".contains(c) || matches!(c, '\u{3000}'..='\u{303F}');
        c.is_whitespace() || opens || is_unspaced(c)
    })
}

fn may_end(text: &str, end: usize) -> bool {
    let Some((name, behind)) = text.split_at_checked(end) else {
        return false;
    };
    let mut behind = behind.chars();
    let (last, next, second) = (name.chars().next_back(), behind.next(), behind.next());
    match next {
        None => true,
        Some('-' | '_' | '.' | ':' | '@' | '=' | '+' | '~' | '&' | '%' | '#' | '$') => {
            !second.is_some_and(goes_on)
        }
        Some(next) if last.is_some_and(is_unspaced) => {
            !is_combining_mark(next) && next != '/' && next != '\\'
        }
        Some(next) => !goes_on(next),
    }
}

fn goes_on(c: char) -> bool {
    c.is_alphanumeric() && !is_unspaced(c) || is_combining_mark(c) || matches!(c, '/' | '\\')
}

pub(super) struct Mentions<'a> {
    snapshot: &'a Snapshot<Skill>,
    modes: &'a VisibilityPolicy,
    fired: Vec<(TriggerMatch, Vec<Range<usize>>)>,
    at: HashMap<Id, usize>,
    missed: Vec<Notice>,
}

impl<'a> Mentions<'a> {
    pub(super) fn new(snapshot: &'a Snapshot<Skill>, modes: &'a VisibilityPolicy) -> Mentions<'a> {
        Mentions {
            snapshot,
            modes,
            fired: Vec::new(),
            at: HashMap::new(),
            missed: Vec::new(),
        }
    }

    pub(super) fn take(&mut self, name: &str, span: &Range<usize>) -> bool {
        match ResolvedName::resolve(name, self.snapshot, self.modes, Audience::User) {
            Ok(found) => match self.modes.hidden_reason(Audience::User, found.candidate) {
                None => self.add_match(found, span),
                Some(hidden) => self.add_unresolved(found.id(), NoticeReason::Hidden(hidden)),
            },
            Err(RegistryError::Ambiguous { candidates, .. }) => match name.parse() {
                Ok(id) => self.add_unresolved(id, NoticeReason::Ambiguous(candidates)),
                Err(_) => false,
            },
            Err(_) => false,
        }
    }

    fn add_match(&mut self, found: ResolvedName<'_>, span: &Range<usize>) -> bool {
        let ResolvedName { entry, candidate } = found;
        let at = *self.at.entry(candidate.qualified_id()).or_insert_with(|| {
            let (entry, candidate, spans) = (entry.clone(), candidate.clone(), [].into());
            self.fired.push((
                TriggerMatch {
                    entry,
                    candidate,
                    by: MatchedBy::Mention,
                    spans,
                },
                Vec::new(),
            ));
            self.fired.len() - 1
        });
        self.fired[at].1.push(span.clone());
        true
    }

    fn add_unresolved(&mut self, id: Id, why: NoticeReason) -> bool {
        // A hidden name is not a name for the user, so a shorter one can match.
        let is_name = matches!(why, NoticeReason::Ambiguous(_));
        if self.missed.iter().all(|notice| notice.id != id) {
            self.missed.push(Notice::of_skill(id, why));
        }
        is_name
    }

    pub(super) fn into_matches(self) -> (Vec<TriggerMatch>, Vec<Notice>) {
        let fired = self.fired.into_iter().map(|(fired, spans)| TriggerMatch {
            spans: spans.into(),
            ..fired
        });
        (fired.collect(), self.missed)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct SortedNames(Vec<String>);

impl SortedNames {
    pub(super) fn new(mut names: Vec<String>) -> SortedNames {
        names.retain(|name| !name.is_empty());
        names.sort_unstable();
        names.dedup();
        SortedNames(names)
    }

    /// Returns the ends of the names that `text` begins with, in bytes, the longest first. A name has no slash.
    pub(super) fn ends(&self, text: &str) -> Vec<usize> {
        let (mut names, mut ends, mut folded, mut at) = (&self.0[..], Vec::new(), String::new(), 0);
        while at < text.len() && !text[at..].starts_with(['/', '\\']) {
            at += fold_next(&text[at..], &mut folded);
            names = &names[names.partition_point(|name| *name < folded)..];
            names = &names[..names.partition_point(|name| name.starts_with(&folded))];
            match names.first() {
                None => break,
                Some(first) if *first == folded => ends.push(at),
                Some(_) => {}
            }
        }
        ends.reverse();
        ends
    }
}
