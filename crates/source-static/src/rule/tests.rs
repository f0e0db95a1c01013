use proptest::prelude::*;
use repertoire_core::skill_md::{self, FileContext};
use repertoire_core::{Id, ResourcePath};

use super::*;

#[test]
fn the_limits_are_those_of_the_standard() {
    let long = format!(
        "---\nname: a\ndescription: {}\n---\n",
        "a".repeat(MAX_DESCRIPTION_CHARS)
    );
    let longer = long.replacen("aa", "aaa", 1);
    let diagnostics = [long, longer].map(|text| {
        skill_md::parse(text.as_bytes(), FileContext::new("a"))
            .diagnostics
            .len()
    });
    assert_eq!(diagnostics, [0, 1]);
    assert!(broken_by_id(&"a".repeat(Id::MAX_CHARS)).is_none());
    assert!(broken_by_id(&"a".repeat(Id::MAX_CHARS + 1)).is_some());
}

#[test]
fn a_description_is_measured_in_characters() {
    assert_eq!(
        broken_by_description(&"ü".repeat(MAX_DESCRIPTION_CHARS)),
        None
    );
    assert_eq!(
        broken_by_description(&"ü".repeat(MAX_DESCRIPTION_CHARS + 1)),
        Some("the description of a skill must not exceed 1024 characters")
    );
    assert_eq!(
        broken_by_description(" \n\t"),
        Some("the description of a skill must not be blank")
    );
}

/// Returns whether the vocabulary accepts `id` unchanged and reports no fault.
fn is_faultless(id: &str) -> bool {
    Id::new(id).is_ok_and(|parsed| parsed.as_str() == id && parsed.faults().is_empty())
}

proptest! {
    #[test]
    fn ascii_ids_are_validated_as_in_the_standard(id in "[a-cA0_. :/-]{0,6}|[a-z-]{60,68}|[ -~]{0,4}") {
        prop_assert_eq!(broken_by_id(&id).is_none(), is_faultless(&id), "{}", id);
    }

    #[test]
    fn every_valid_id_is_one_of_the_standard(id in "\\PC{0,8}") {
        prop_assert!(broken_by_id(&id).is_some() || is_faultless(&id), "{}", id);
    }

    #[test]
    fn resource_paths_are_validated_as_in_core(path in "[a/. \\\\:\0ü]{0,8}|\\PC{0,8}") {
        prop_assert_eq!(broken_by_resource_path(&path).is_none(), ResourcePath::new(&path).is_ok(), "{}", path);
    }

    #[test]
    fn texts_are_the_same_when_they_are_equal(a in "[ab]{0,3}", b in "[ab]{0,3}") {
        prop_assert_eq!(is_same(&a, &b), a == b);
    }
}

#[test]
fn parts_come_one_after_another() {
    assert_eq!(
        RuleMessage::of(&["the resource `", "notes.md", "` comes twice"]).as_str(),
        "the resource `notes.md` comes twice"
    );
    assert_eq!(RuleMessage::of(&[]).as_str(), "");
}

#[test]
fn a_long_text_is_cut_between_characters() {
    let text = format!("a{}", "ü".repeat(RuleMessage::MAX_BYTES));
    assert_eq!(
        RuleMessage::of(&[&text]).as_str(),
        &text[..RuleMessage::MAX_BYTES - 1]
    );
}
