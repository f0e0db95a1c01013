//! The verbs on the registry: entries registered in code among those of other sources.

use std::sync::Arc;

use repertoire_core::{Code, Skill};
use repertoire_registry::{
    Authority, MemorySource, Registered, Registry, RegistryError, RuleSet, RuleStack,
    SkillRegistry, Status, Target,
};

use crate::workflow::{Script, Workflow, id, row, table};

fn workflow(name: &str, steps: u8) -> Registered<Workflow> {
    Registered::new(
        Workflow {
            id: id(name),
            steps,
        },
        "Do it.",
    )
}

#[tokio::test]
async fn registered_entries_are_visible_at_once() {
    let home = Script::new("home", [row("a", 2), row("b", 2)]);
    let registry = Registry::builder().user(home).load().await.unwrap();
    registry
        .register(workflow("a", 1))
        .unwrap()
        .register(workflow("c", 1))
        .unwrap();
    assert_eq!(
        table(&registry.snapshot()),
        ["a <- registered > home", "c <- registered", "b <- home"]
    );
    assert_eq!(registry.get("a").unwrap().item().steps, 1);

    registry.unregister("a").unregister("nope");
    assert_eq!(
        table(&registry.snapshot()),
        ["c <- registered", "a <- home", "b <- home"]
    );
    assert_eq!(
        (
            registry.list().len(),
            registry.get("a").is_some(),
            registry.get("x").is_some()
        ),
        (3, true, false)
    );

    registry.clear();
    assert_eq!(table(&registry.snapshot()), ["a <- home", "b <- home"]);
}

#[tokio::test]
async fn refused_verbs_change_nothing() {
    let registry = Registry::<Workflow>::builder().load().await.unwrap();
    registry.register(workflow("a", 1)).unwrap();
    let generation = registry.snapshot().generation();
    assert!(registry.register(workflow("a", 2)).is_err());
    assert!(registry.replace(&id("x"), workflow("x", 2)).is_err());
    assert!(registry.replace(&id("a"), workflow("b", 2)).is_err());
    assert_eq!(registry.snapshot().generation(), generation);
    registry.replace(&id("a"), workflow("a", 3)).unwrap();
    assert_eq!(registry.get("a").unwrap().item().steps, 3);
    assert_eq!(registry.list().len(), 1);
}

#[tokio::test]
async fn register_all_is_atomic() {
    let registry = Registry::<Workflow>::builder().load().await.unwrap();
    let many = |names: std::ops::Range<u32>| names.map(|n| workflow(&format!("w{n}"), 1));
    registry.register_all(many(0..2000)).unwrap();
    assert_eq!(
        (registry.list().len(), registry.snapshot().generation()),
        (2000, 1)
    );
    let refused =
        |items: Vec<Registered<Workflow>>| registry.register_all(items).unwrap_err().to_string();
    assert_eq!(
        refused(many(2000..2003).chain(many(7..8)).collect()),
        "workflow `w7` is already registered; use `replace` to change it"
    );
    assert_eq!(
        refused(many(2000..2003).chain(many(2001..2002)).collect()),
        "workflow `w2001` is already registered; use `replace` to change it"
    );
    registry.register_all(many(0..0)).unwrap();
    assert_eq!(
        (registry.list().len(), registry.snapshot().generation()),
        (2000, 1)
    );
}

#[tokio::test]
async fn source_names_are_unique_and_valid() {
    let compose = |names: [&'static str; 2]| async move {
        let [a, b] = names.map(|name| Script::new(name, []));
        Registry::builder()
            .user(a)
            .user(b)
            .load()
            .await
            .map(|_| ())
            .unwrap_err()
    };
    let duplicate = compose(["home", "home"]).await;
    assert_eq!(
        duplicate.to_string(),
        "two sources are called `home`; give each its own name"
    );
    for (name, message) in [
        ("a:b", "source name `a:b` cannot be used: it holds a colon"),
        (" ", "source name ` ` cannot be used: it is blank"),
        (
            "a/b",
            "source name `a/b` cannot be used: a name is not a path",
        ),
        (
            "..",
            "source name `..` cannot be used: a name is not a path",
        ),
        (
            "a\nb",
            "source name `a\\nb` cannot be used: it holds an invisible character",
        ),
        (
            "HOME",
            "source name `HOME` cannot be used: it looks like the name of another source",
        ),
        (
            "h\u{43e}me",
            "source name `h\u{43e}me` cannot be used: it looks like the name of another source",
        ),
        (
            " a",
            "source name ` a` cannot be used: it has blanks at an end, or is not in Unicode's NFKC form",
        ),
    ] {
        assert_eq!(compose(["home", name]).await.to_string(), message);
    }
    assert!(matches!(
        compose(["home", "registered"]).await,
        RegistryError::DuplicateSource { .. }
    ));
}

#[tokio::test]
async fn a_preference_for_an_unknown_source_is_refused() {
    let home = Script::new("home", []);
    let error = Registry::builder()
        .user(home)
        .prefer(id("a"), "hom")
        .load()
        .await
        .map(|_| ())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown source `hom` in the preference for `a`; known sources: home, registered"
    );
}

#[tokio::test]
async fn a_preference_lets_the_user_override_a_builtin() {
    let agent = Script::new("agent", [row("a", 1)]);
    let home = Script::new("home", [row("a", 2)]);
    let registry = Registry::builder()
        .builtin(agent)
        .user(home)
        .prefer(id("a"), "home")
        .load()
        .await
        .unwrap();
    assert_eq!(table(&registry.snapshot()), ["a <- home > agent"]);
    let view = registry.snapshot();
    assert!(
        view.diagnostics()
            .iter()
            .any(|diagnostic| diagnostic.diagnostic.code == Code::PREFERRED)
    );
}

#[tokio::test]
async fn bodies_come_from_their_own_source() {
    let theirs = MemorySource::new("theirs");
    theirs
        .register(Registered::new(
            Skill::new(id("tidy"), "Theirs."),
            "Their body.",
        ))
        .unwrap();
    let registry = SkillRegistry::builder().user(theirs).load().await.unwrap();
    registry
        .register(Registered::new(Skill::new(id("tidy"), "Mine."), "My body."))
        .unwrap();
    let view = registry.snapshot();
    let body = async |name: &str| {
        registry
            .body(view.resolve(name).unwrap().candidate)
            .await
            .unwrap()
            .text
    };
    assert_eq!(body("tidy").await.as_ref(), "My body.");
    assert_eq!(body("theirs:tidy").await.as_ref(), "Their body.");
}

#[test]
fn the_verbs_need_no_runtime() {
    let registry = futures_util::FutureExt::now_or_never(Registry::<Workflow>::builder().load())
        .unwrap()
        .unwrap();
    registry.register(workflow("a", 1)).unwrap();
    assert!(registry.get("a").is_some());
}

#[test]
fn everything_public_crosses_threads() {
    fn check<T: Send + Sync + std::fmt::Debug + 'static>() {}
    check::<Registry<Workflow>>();
    check::<repertoire_registry::Snapshot<Workflow>>();
    check::<repertoire_registry::Subscription<Workflow>>();
    check::<Arc<repertoire_registry::Entry<Workflow>>>();
}

#[tokio::test]
async fn a_closed_registry_changes_no_more() {
    let registry = Registry::<Workflow>::builder().load().await.unwrap();
    registry
        .register(Workflow {
            id: id("a"),
            steps: 1,
        })
        .unwrap();
    registry.close().await;
    let workflow = |name: &str| Workflow {
        id: id(name),
        steps: 2,
    };
    let refused = [
        registry.register(workflow("b")).map(drop),
        registry.register_all([workflow("b")]).map(drop),
        registry.replace(&id("a"), workflow("a")).map(drop),
        registry.refresh().await.map(drop),
    ];
    assert_eq!(refused, [const { Err(RegistryError::Closed) }; 4]);
    registry
        .unregister("a")
        .clear()
        .set_rules(&RuleStack::new([
            RuleSet::new("user", Authority::Full).disable(Target::All)
        ]));
    let entry = registry.get("a").unwrap();
    assert_eq!(
        (entry.item().steps, entry.candidate.status),
        (1, Status::Active)
    );
}
