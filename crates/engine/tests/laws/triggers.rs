//! Laws of triggers, for any triggers and any message. The fuzz target holds them too.

use repertoire_core::{Listing, ListingEntry, Revision, Skill, SkillTrigger, Stamp, Value};
use repertoire_engine::session::{ToolResult, Turn};
use repertoire_engine::trigger::{MatchedBy, Triggers};
use repertoire_permission::VisibilityPolicy;
use repertoire_registry::{Layer, Origin, Snapshot, Tier, merge};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Holds every law over triggers of these texts and a message.
pub(crate) fn hold(texts: &[&str], message: &str) {
    let snapshot = snapshot(texts);
    let triggers = Triggers::new(&snapshot);
    let names = [message, texts.first().copied().unwrap_or_default()];
    let results = names.map(|name| ToolResult::new(name, ""));
    let turn = Turn::new(message)
        .results(results)
        .paths(names)
        .task(message)
        .command(message);
    let policy = VisibilityPolicy::default();
    let fired = triggers.fired(&turn, &policy);
    for span in fired.iter().flat_map(|fired| fired.spans.iter()) {
        assert!(
            message
                .get(span.clone())
                .is_some_and(|part| !part.is_empty()),
            "{span:?} is no part of {message:?}"
        );
    }
    for fired in &fired {
        assert!(
            fired.spans.is_sorted_by_key(|span| (span.start, span.end)),
            "{:?}",
            fired.spans
        );
    }
    // A mention is a sigil and a name of the candidate in the snapshot. An unresolved mention matches nothing.
    for fired in fired.iter().filter(|fired| fired.by == MatchedBy::Mention) {
        for span in fired.spans.iter() {
            let name: String = message[span.start + 1..span.end].nfkc().collect();
            let found = snapshot.resolve(&name).expect("a name");
            assert!(
                message[span.clone()].starts_with(['$', '/'])
                    && found.candidate.is_same(&fired.candidate),
                "{name:?}"
            );
        }
    }
    assert_eq!(
        triggers.missed(&turn, &policy),
        [],
        "every skill is for users, and none is called like another"
    );
    // All at once find what each finds by itself.
    let is_refused = |text: &str| {
        triggers
            .refused()
            .iter()
            .any(|refused| refused.trigger == keyword(text))
    };
    let has_fired = |text: &str| {
        fired
            .iter()
            .any(|fired| fired.by == MatchedBy::Declared(keyword(text)))
    };
    for text in texts
        .iter()
        .map(|text| text.trim())
        .filter(|text| !text.is_empty())
    {
        assert_eq!(
            has_fired(text),
            !is_refused(text) && contains_keyword(text, message),
            "{text:?} in {message:?}"
        );
    }
    assert_eq!(
        format!("{fired:?}"),
        format!("{:?}", Triggers::new(&snapshot).fired(&turn, &policy)),
        "fired twice alike"
    );
}

fn keyword(text: &str) -> SkillTrigger {
    SkillTrigger::Keyword(text.into())
}

/// A skill for each text, which is its keyword, and what else a text can be.
fn snapshot(texts: &[&str]) -> Snapshot<Skill> {
    let row = |(number, text): (usize, &&str)| {
        let mut skill = Skill::new(
            format!("skill-{number}").parse().expect("a name"),
            "Does it.",
        );
        let kinds = ["keyword", "task", "tool", "path", "command", "regex"];
        let trigger = |kind: &str| Value::Map(vec![(kind.into(), Value::text(*text))]);
        skill
            .fields
            .push(("triggers".into(), Value::List(kinds.map(trigger).into())));
        ListingEntry::new(skill, Stamp::of(text))
    };
    let listing = Listing::new(Revision(0), texts.iter().enumerate().map(row), []);
    merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, listing)])
}

/// Returns whether `message` contains `keyword` as whole words, by checking every position.
fn contains_keyword(keyword: &str, message: &str) -> bool {
    let (keyword, message) = (plain(keyword), plain(message));
    let is_edge = |inner: char, outer: char| {
        !(outer.is_alphanumeric() || is_combining_mark(outer))
            || is_unspaced(inner)
            || is_unspaced(outer)
    };
    let stands_at = |start: usize| {
        let end = start + keyword.len();
        message.get(start..end) == Some(&keyword[..])
            && (start == 0 || is_edge(keyword[0], message[start - 1]))
            && message.get(end).is_none_or(|after| {
                is_edge(keyword[keyword.len() - 1], *after) && !is_combining_mark(*after)
            })
    };
    !keyword.is_empty() && (0..message.len()).any(stands_at)
}

/// The characters that are compared.
fn plain(text: &str) -> Vec<char> {
    let words = text.split(char::is_whitespace).map(|word| {
        let seen = word.nfkc().filter(|c| !is_ignorable(*c));
        let folded = |c: char| {
            c.to_uppercase()
                .flat_map(char::to_lowercase)
                .collect::<Vec<_>>()
        };
        seen.flat_map(|c| {
            if c.is_ascii() {
                vec![c.to_ascii_lowercase()]
            } else {
                folded(c)
            }
        })
        .collect::<String>()
    });
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ").trim().chars().collect()
}

fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1100}'..='\u{11FF}' | '\u{1780}'..='\u{17FF}'
        | '\u{3040}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}
