//! The feature `inventory`: skills that are collected from wherever they are declared.

use repertoire::source::statics::{StaticList, StaticSkill, declare_skill};
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
async fn declared_skills_are_collected_without_a_list() {
    let collected = StaticList::collected().expect("no id is declared twice");
    let registry = SkillRegistry::builder()
        .builtin(StaticSource::new("builtin", collected))
        .load()
        .await
        .expect("one source composes");
    let snapshot = registry.snapshot();
    let ids: Vec<_> = snapshot
        .entries()
        .iter()
        .map(|entry| entry.id.as_str())
        .collect();
    assert_eq!(ids, ["answer", "triage"]);
    let body = registry
        .body(&snapshot.entries()[1].candidate)
        .await
        .expect("it is in the program");
    assert_eq!(&*body.text, "Label them.\n");
}

#[tokio::test]
async fn a_configuration_names_a_declared_list() {
    use repertoire::registry::{SourceConfig, SourceKind};

    let kind = SourceKind::find("static").expect("the kind is linked");
    let build = |list: &str| {
        let options = [("list".to_owned(), list.into())].into_iter().collect();
        kind.build(&SourceConfig::new("house", "/", options))
    };
    let source = &build("skill").expect("two constants have this name")[0];
    let listing = source.list().await.expect("it is in the program");
    let ids: Vec<_> = listing.iter().map(|row| row.item.id.as_str()).collect();
    assert_eq!((source.name(), ids), ("house", vec!["answer", "triage"]));
    let refused = build("other")
        .expect_err("no constant has this name")
        .to_string();
    assert_eq!(
        refused,
        "`list` is `other`, and no crate of this program declares skills of this name"
    );
}
