//! Skills that are declared where they are written.

use repertoire_source_static::{StaticList, StaticSkill, assert_complete, declare_skill, embed_skills};

mod triage {
    use super::*;

    declare_skill! {
        /// Sorts new issues.
        pub(super) const SKILL: StaticSkill = StaticSkill::new("triage", "Sorts new issues.", "Label them.\n");
    }
}

mod answer {
    use super::*;

    declare_skill! {
        pub(super) const SKILL: StaticSkill = StaticSkill::new("answer", "Answers questions.", "Answer.\n");
    }
}

declare_skill! {
    static HOUSE: StaticList = embed_skills!("tests/skills");
}

#[test]
fn everything_declared_is_collected_by_id() {
    let ids: Vec<_> = StaticList::collected().unwrap().iter().map(StaticSkill::id).collect();
    assert_eq!(ids, ["answer", "report", "table", "triage"]);
}

#[test]
fn a_list_with_every_declared_skill_is_complete() {
    assert_complete!(StaticList::collected().unwrap());
}

#[test]
#[should_panic(expected = "declared and not in the list: `report` of `it::collected`, `table` of `it::collected`, \
                           `triage` of `it::collected::triage`")]
fn a_missing_declared_skill_is_named() {
    static LIST: StaticList = StaticList::new(&[answer::SKILL]);
    assert_complete!(LIST);
}

#[test]
#[should_panic(expected = "the crate `elsewhere` declares no skill with `declare_skill!`: nothing was checked")]
fn a_crate_without_declarations_was_not_checked() {
    assert_complete!(HOUSE, "elsewhere");
}

#[test]
fn a_declared_skill_stays_a_constant() {
    assert_eq!(triage::SKILL.id(), "triage");
}
