//! The feature `inventory`: skills that are collected from wherever they are declared.

use repertoire::source::statics::{StaticList, StaticSkill, assert_complete, declare_skill};
use repertoire::{SkillRegistry, StaticSource};

mod triage {
    use super::*;

    declare_skill! {
        pub(super) const SKILL: StaticSkill = StaticSkill::new("triage", "Sorts new issues.", "Label them.\n");
    }
}

mod answer {
    use super::*;

    declare_skill! {
        pub(super) const SKILL: StaticSkill = StaticSkill::new("answer", "Answers questions.", "Answer.\n");
    }
}

#[tokio::test]
async fn what_is_declared_is_in_a_registry_without_being_listed() {
    let collected = StaticList::collected().expect("no id is declared twice");
    let registry =
        SkillRegistry::builder().builtin(StaticSource::new(collected)).load().await.expect("one source composes");
    let snapshot = registry.snapshot();
    let ids: Vec<_> = snapshot.entries().iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids, ["answer", "triage"]);
    let body = registry.body(&snapshot.entries()[1].candidate).await.expect("it is in the program");
    assert_eq!(&*body.text, "Label them.\n");
}

#[test]
#[should_panic(expected = "declared and not in the list: `triage` of `it::inventory::triage`")]
fn a_list_that_lacks_what_is_declared_is_told() {
    static LIST: StaticList = StaticList::new(&[answer::SKILL]);
    assert_complete!(LIST);
}
