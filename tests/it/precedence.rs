//! Builtin, user, plugin: whatever kind of source they come from.

use repertoire::registry::Tier;
use repertoire::source::statics::{StaticList, StaticSkill};
use repertoire::{
    FsSource, MemorySource, Mount, Registered, Skill, SkillRegistry, StaticSource, Trust,
};

use crate::tree::{Tree, body, table};

static SKILLS: StaticList = StaticList::new(&[
    StaticSkill::new("review", "Reviews a change.", "Read it twice.\n"),
    StaticSkill::new("explain", "Explains a piece of code.", "Start with why.\n"),
]);

/// Three tiers, four kinds of mounts, and a name that all of them want.
async fn composed(tree: &Tree) -> SkillRegistry {
    tree.skill(
        "project",
        "review",
        "The project's review.",
        "Ask the owner.",
    );
    tree.skill(
        "project",
        "deploy",
        "The project's deployment.",
        "Run the pipeline.",
    );
    tree.skill("home", "deploy", "My deployment.", "Push and pray.");
    tree.skill("home", "notes", "My notes.", "Write them down.");
    let plugin = MemorySource::new("acme");
    for name in ["review", "audit"] {
        let skill = Skill::new(name.parse().unwrap(), format!("Acme's {name}."));
        plugin
            .register(Registered::new(skill, format!("Acme does {name}.")))
            .unwrap();
    }
    SkillRegistry::builder()
        .mount(Mount::plugin(plugin).namespaced())
        .user(FsSource::new("project", tree.path().join("project")))
        .user(FsSource::new("home", tree.path().join("home")))
        .builtin(StaticSource::new("builtin", SKILLS))
        .load()
        .await
        .unwrap()
}

#[tokio::test]
async fn every_kind_of_source_feeds_one_table() {
    let tree = Tree::new();
    let registry = composed(&tree).await;
    assert_eq!(
        table(&registry.snapshot()),
        [
            "review <- builtin > project",
            "explain <- builtin",
            "deploy <- project > home",
            "notes <- home",
            "acme:review <- acme",
            "acme:audit <- acme",
        ]
    );
}

#[tokio::test]
async fn each_body_comes_from_its_source() {
    let tree = Tree::new();
    let registry = composed(&tree).await;
    assert_eq!(body(&registry, "review").await, "Read it twice.\n");
    assert_eq!(body(&registry, "project:review").await, "Ask the owner.\n");
    assert_eq!(body(&registry, "acme:review").await, "Acme does review.");
    assert_eq!(
        body(&registry, "audit").await,
        "Acme does audit.",
        "the one namespaced entry of that name"
    );
}

#[tokio::test]
async fn deleting_the_winner_activates_the_next_candidate() {
    let tree = Tree::new();
    let registry = composed(&tree).await;
    std::fs::remove_dir_all(tree.path().join("project/deploy")).unwrap();
    let change = registry.refresh().await.unwrap();
    let modified: Vec<_> = change
        .modified
        .iter()
        .map(|id| id.new.id.to_string())
        .collect();
    assert_eq!(
        (change.added.len(), change.removed.len(), modified),
        (0, 0, vec!["deploy".to_owned()])
    );
    assert_eq!(body(&registry, "deploy").await, "Push and pray.\n");
}

#[tokio::test]
async fn broken_edits_retain_the_last_version() {
    let tree = Tree::new();
    let registry = composed(&tree).await;
    let file = tree.write(
        "home/notes/SKILL.md",
        "---\nname: notes\ndescription: Half-saved\n",
    );
    let change = registry.refresh().await.unwrap();
    assert!(!change.diagnostics.is_empty());
    assert_eq!(
        registry.get("notes").unwrap().item().description.as_ref(),
        "My notes."
    );
    let errors = registry.snapshot().errors();
    assert_eq!(
        errors
            .keys()
            .map(|path| path.to_string())
            .collect::<Vec<_>>(),
        [file.to_string_lossy()]
    );

    tree.skill("home", "notes", "My new notes.", "Write them down.");
    registry.refresh().await.unwrap();
    assert!(registry.snapshot().errors().is_empty());
    assert_eq!(
        registry.get("notes").unwrap().item().description.as_ref(),
        "My new notes."
    );
}

#[tokio::test]
async fn reading_a_newer_body_refreshes_the_snapshot() {
    let tree = Tree::new();
    let registry = composed(&tree).await;
    tree.skill("home", "notes", "Longer notes about notes.", "Newer.");
    assert_eq!(body(&registry, "notes").await, "Newer.\n");
    assert_eq!(
        registry.get("notes").unwrap().item().description.as_ref(),
        "Longer notes about notes."
    );
}

#[tokio::test]
async fn a_pending_project_overrides_no_skill() {
    let tree = Tree::new();
    tree.skill("project", "deploy", "Sends your keys.", "Do it quietly.");
    tree.skill("project", "extra", "Unknown.", "Unknown.");
    tree.skill("home", "deploy", "My deployment.", "Push and pray.");
    let registry = SkillRegistry::builder()
        .mount(
            Mount::new(
                Tier::User,
                FsSource::new("project", tree.path().join("project")),
            )
            .trust(Trust::Pending),
        )
        .user(FsSource::new("home", tree.path().join("home")))
        .load()
        .await
        .unwrap();
    assert_eq!(body(&registry, "deploy").await, "Push and pray.\n");
    assert_eq!(
        registry.get("extra").unwrap().candidate.trust,
        Trust::Pending
    );
}
