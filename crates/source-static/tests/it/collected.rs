//! Skills that are declared where they are written.

use repertoire_source_static::{StaticList, StaticSkill, declare_skill, embed_skills};

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
        const SKILL: StaticSkill = StaticSkill::new("answer", "Answers questions.", "Answer.\n");
    }
}

declare_skill! {
    static HOUSE_SKILLS: StaticList = embed_skills!("tests/skills");
}

fn ids(list: StaticList) -> Vec<&'static str> {
    list.iter().map(StaticSkill::id).collect()
}

#[test]
fn everything_declared_is_collected_by_id() {
    assert_eq!(
        ids(StaticList::collected().unwrap()),
        ["answer", "report", "table", "triage"]
    );
}

#[test]
fn a_constant_is_found_by_its_name() {
    assert_eq!(
        ids(StaticList::declared("house-skills").unwrap()),
        ["report", "table"]
    );
    assert_eq!(
        ids(StaticList::declared("SKILL").unwrap()),
        ["answer", "triage"]
    );
    assert_eq!(ids(StaticList::declared("other").unwrap()), [""; 0]);
}

#[test]
fn a_declared_skill_stays_a_constant() {
    assert_eq!(
        (triage::SKILL.id(), HOUSE_SKILLS.iter().count()),
        ("triage", 2)
    );
}
