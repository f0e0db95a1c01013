//! Folders that change while a subscriber follows the registry.

use std::fs;
use std::time::Duration;

use repertoire::registry::{Change, Subscription};
use repertoire::skill::Source;
use repertoire::{FsSource, MemorySource, Mount, Registered, Skill, SkillRegistry};
use tokio::runtime::Handle;

use crate::tree::{Tree, body, table};

/// The timeout for a change. A guard, not a measure.
const LOST: Duration = Duration::from_secs(30);

fn watched(tree: &Tree, name: &str) -> impl Source<Skill> {
    FsSource::new(name, tree.path().join(name))
}

/// Creates skills in all folders except the project's.
fn tree_with_skills() -> Tree {
    let tree = Tree::new();
    tree.skill(
        "agent",
        "explain",
        "Explains a piece of code.",
        "Start with why.",
    );
    tree.skill("home", "deploy", "My deployment.", "Push and pray.");
    tree.skill("home", "notes", "My notes.", "Write them down.");
    tree.skill("kit", "audit", "The kit's audit.", "Count twice.");
    tree
}

/// Starts a registry of three tiers: four watched folders, one of which does not exist yet, and a source in memory.
async fn started(tree: &Tree) -> SkillRegistry {
    let memory = MemorySource::new("memory");
    memory
        .register(Registered::new(
            Skill::new("recall".parse().unwrap(), "Recalls."),
            "Recall.",
        ))
        .unwrap();
    SkillRegistry::builder()
        .builtin(watched(tree, "agent"))
        .user(watched(tree, "project"))
        .user(watched(tree, "home"))
        .mount(Mount::plugin(watched(tree, "kit")).namespaced())
        .plugin(memory)
        .start(&Handle::current())
        .await
        .unwrap()
}

/// Writes a file by rename, so that no reader sees a part of it.
fn save(tree: &Tree, path: &str, text: &str) {
    let saved = tree.write("aside/file", text);
    fs::rename(saved, tree.path().join(path)).unwrap();
}

/// Creates a skill by rename.
fn arrive(tree: &Tree, folder: &str, name: &str, description: &str) {
    tree.skill("aside", name, description, "Do it.");
    fs::create_dir_all(tree.path().join(folder)).unwrap();
    fs::rename(
        tree.path().join("aside").join(name),
        tree.path().join(folder).join(name),
    )
    .unwrap();
}

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nDo it.\n")
}

/// Returns `+ added`, `- removed`, `~ modified`, and `!` for changed diagnostics.
fn summary(change: &Change<Skill>) -> Vec<String> {
    let added = change.added.iter().map(|entry| format!("+ {}", entry.id));
    let removed = change.removed.iter().map(|entry| format!("- {}", entry.id));
    let modified = change.modified.iter().map(|id| format!("~ {}", id.new.id));
    let diagnostics = (!change.diagnostics.is_empty()).then(|| "!".to_owned());
    added
        .chain(removed)
        .chain(modified)
        .chain(diagnostics)
        .collect()
}

/// Returns the lines of the next update.
async fn next(updates: &mut Subscription<Skill>) -> Vec<String> {
    let update = tokio::time::timeout(LOST, updates.next())
        .await
        .expect("a change should be seen");
    summary(&update.expect("the registry is open").change)
}

fn description(registry: &SkillRegistry, id: &str) -> String {
    registry.get(id).unwrap().item().description.to_string()
}

#[tokio::test]
async fn each_edit_is_reported_exactly() {
    let tree = tree_with_skills();
    let registry = started(&tree).await;
    let (mut updates, mut late) = (registry.subscribe(), registry.subscribe());

    arrive(&tree, "project", "deploy", "The project's deployment.");
    assert_eq!(
        next(&mut updates).await,
        ["~ deploy", "!"],
        "a nearer one takes the name"
    );
    arrive(&tree, "home", "fresh", "Came while running.");
    assert_eq!(next(&mut updates).await, ["+ fresh"]);
    save(
        &tree,
        "home/notes/SKILL.md",
        &skill("notes", "My other notes."),
    );
    assert_eq!(next(&mut updates).await, ["~ notes"]);
    save(&tree, "home/notes/paper.md", "Lined.");
    assert_eq!(
        next(&mut updates).await,
        ["~ notes"],
        "a file beside it is a part of it"
    );
    save(
        &tree,
        "kit/audit/SKILL.md",
        &skill("audit", "The kit's other audit."),
    );
    assert_eq!(next(&mut updates).await, ["~ kit:audit"]);
    arrive(&tree, "agent", "deploy", "The agent's deployment.");
    assert_eq!(
        next(&mut updates).await,
        ["~ deploy", "!"],
        "and the agent takes it from both"
    );
    fs::remove_file(tree.path().join("home/notes/SKILL.md")).unwrap();
    assert_eq!(next(&mut updates).await, ["- notes"]);

    assert_eq!(
        table(&registry.snapshot()),
        [
            "deploy <- agent > project > home",
            "explain <- agent",
            "fresh <- home",
            "kit:audit <- kit",
            "recall <- memory",
        ]
    );
    assert_eq!(description(&registry, "deploy"), "The agent's deployment.");
    assert_eq!(body(&registry, "project:deploy").await, "Do it.\n");
    assert_eq!(
        next(&mut late).await,
        ["+ fresh", "- notes", "~ deploy", "~ kit:audit", "!"],
        "all of it in one"
    );
}

#[tokio::test]
async fn broken_skills_retain_their_last_version() {
    let tree = tree_with_skills();
    let registry = started(&tree).await;
    let mut updates = registry.subscribe();
    let broken = tree
        .path()
        .join("home/notes/SKILL.md")
        .to_string_lossy()
        .into_owned();
    let errors = || {
        registry
            .snapshot()
            .errors()
            .keys()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };

    save(
        &tree,
        "home/notes/SKILL.md",
        "---\nname: notes\ndescription: Half-saved\n",
    );
    assert_eq!(next(&mut updates).await, ["!"]);
    assert_eq!(
        (description(&registry, "notes"), errors()),
        ("My notes.".to_owned(), vec![broken])
    );
    arrive(&tree, "home", "after", "One bad file stops nothing.");
    assert_eq!(next(&mut updates).await, ["+ after"]);

    save(
        &tree,
        "home/notes/SKILL.md",
        &skill("notes", "My repaired notes."),
    );
    assert_eq!(next(&mut updates).await, ["~ notes", "!"]);
    assert_eq!(
        (description(&registry, "notes"), errors()),
        ("My repaired notes.".to_owned(), Vec::new())
    );

    save(&tree, "home/notes/SKILL.md", "no front matter at all\n");
    assert_eq!(next(&mut updates).await, ["!"]);
    fs::remove_file(tree.path().join("home/notes/SKILL.md")).unwrap();
    assert_eq!(
        next(&mut updates).await,
        ["- notes", "!"],
        "only a deleted file is gone"
    );
    assert_eq!(errors(), Vec::<String>::new());
}

#[tokio::test]
async fn a_closed_registry_ends_its_subscriptions() {
    let tree = tree_with_skills();
    let (closed, open) = (started(&tree).await, started(&tree).await);
    let (mut silent, mut updates) = (closed.subscribe(), open.subscribe());
    arrive(&tree, "home", "before", "Came in time.");
    assert_eq!(next(&mut silent).await, ["+ before"]);
    assert_eq!(next(&mut updates).await, ["+ before"]);

    closed.close().await;
    closed.close().await;
    let last = closed.snapshot();
    arrive(&tree, "home", "beyond", "Came too late.");
    assert_eq!(
        next(&mut updates).await,
        ["+ beyond"],
        "who is open sees it"
    );
    let end = tokio::time::timeout(LOST, silent.next())
        .await
        .expect("the subscription should end");
    assert!(end.is_none());
    assert_eq!(closed.snapshot().generation(), last.generation());
    assert!(
        closed.get("beyond").is_none() && closed.get("before").is_some(),
        "the last view stays readable"
    );
    assert!(closed.refresh().await.is_err());
}
