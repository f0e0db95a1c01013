//! A registry that is kept up with its folders tells of contents, and not of touches.

use std::fs;
use std::time::{Duration, SystemTime};

use repertoire::registry::{Change, Subscription, Update};
use repertoire::skill::ChangedParts;
use repertoire::source::fs::WatchOptions;
use repertoire::{FsSource, Skill, SkillRegistry};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::tree::Tree;

/// The timeout for a change. A guard, not a measure.
const LOST: Duration = Duration::from_secs(30);

struct Stage {
    tree: Tree,
    registry: SkillRegistry,
    updates: Subscription<Skill>,
}

impl Stage {
    /// Two skills, `edited` with a script, in a registry that knows all content by now.
    async fn new() -> Stage {
        let tree = Tree::new();
        tree.skill("skills", "edited", "As it was.", "Do it.");
        tree.write("skills/edited/scripts/run.sh", "echo one");
        tree.skill("skills", "marker", "Round 0.", "Mark it.");
        let source =
            FsSource::new("tree", tree.path().join("skills")).watching(WatchOptions::default());
        let registry = SkillRegistry::builder()
            .user(source)
            .start(&Handle::current())
            .await
            .unwrap();
        let mut updates = registry.subscribe();
        let is_known = || {
            registry
                .list()
                .iter()
                .all(|entry| entry.candidate.parts.is_some())
        };
        let known = async {
            while !is_known() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            biased;
            update = updates.next() => panic!("an unexpected update: {update:?}"),
            known = timeout(LOST, known) => known.expect("the content of every skill should be known some day"),
        }
        Stage {
            updates,
            tree,
            registry,
        }
    }

    async fn next(&mut self) -> Update<Skill> {
        timeout(LOST, self.updates.next())
            .await
            .expect("an update should arrive")
            .unwrap()
    }

    /// Edits the marker, and returns the updates up to that edit.
    async fn edited(&mut self, round: u32) -> Vec<Change<Skill>> {
        let description = format!("Round {round}.");
        self.tree
            .skill("skills", "marker", &description, "Mark it.");
        let mut changes = Vec::new();
        while *self.registry.get("marker").unwrap().item().description != description
            || changes.is_empty()
        {
            changes.push(self.next().await.change);
        }
        changes
    }
}

fn moved(change: &Change<Skill>) -> Vec<(&str, ChangedParts)> {
    change
        .modified
        .iter()
        .map(|modified| (modified.new.id.as_str(), modified.changed_parts()))
        .collect()
}

#[tokio::test]
async fn moves_are_reported_and_touches_are_ignored() {
    let mut stage = Stage::new().await;
    let nothing = ChangedParts::default();
    let (metadata, body, resources) = (
        ChangedParts {
            metadata: true,
            ..nothing
        },
        ChangedParts {
            body: true,
            ..nothing
        },
        ChangedParts {
            resources: true,
            ..nothing
        },
    );

    stage
        .tree
        .write("skills/edited/scripts/run.sh", "echo another");
    assert_eq!(moved(&stage.next().await.change), [("edited", resources)]);
    stage
        .tree
        .skill("skills", "edited", "As it was.", "Do it in another way.");
    assert_eq!(moved(&stage.next().await.change), [("edited", body)]);
    stage
        .tree
        .skill("skills", "edited", "As it is.", "Do it in another way.");
    assert_eq!(moved(&stage.next().await.change), [("edited", metadata)]);
    stage.tree.write("skills/edited/references/new.md", "new");
    assert_eq!(moved(&stage.next().await.change), [("edited", resources)]);

    let before = stage.registry.get("edited").unwrap();
    stage
        .tree
        .skill("skills", "edited", "As it is.", "Do it in another way.");
    stage
        .tree
        .write("skills/edited/scripts/run.sh", "echo another");
    let file = fs::File::options()
        .write(true)
        .open(stage.tree.path().join("skills/edited/SKILL.md"))
        .unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600))
        .unwrap();
    for change in stage.edited(1).await {
        assert_eq!(moved(&change), [("marker", metadata)]);
    }
    let after = stage.registry.get("edited").unwrap();
    assert!(
        std::sync::Arc::ptr_eq(&before, &after),
        "the very same entry"
    );
    assert_eq!(
        stage.registry.body(&after.candidate).await.unwrap().stamp,
        after.candidate.stamp,
        "nothing to look at again"
    );
    stage.registry.close().await;
}

#[tokio::test]
async fn broken_files_retain_their_entry() {
    let mut stage = Stage::new().await;
    let before = stage.registry.get("edited").unwrap();
    let good = fs::read(stage.tree.path().join("skills/edited/SKILL.md")).unwrap();
    stage
        .tree
        .write("skills/edited/SKILL.md", "---\nname: edited\n");
    let Update {
        snapshot, change, ..
    } = stage.next().await;
    assert!(
        !change.diagnostics.is_empty() && moved(&change).is_empty(),
        "{change:?}"
    );
    assert_eq!(snapshot.errors().len(), 1);
    assert!(std::sync::Arc::ptr_eq(
        &before,
        snapshot.get("edited").unwrap()
    ));

    fs::write(stage.tree.path().join("skills/edited/SKILL.md"), good).unwrap();
    let Update {
        snapshot, change, ..
    } = stage.next().await;
    assert!(
        !change.diagnostics.is_empty() && moved(&change).is_empty(),
        "repaired as it was: {change:?}"
    );
    assert_eq!(snapshot.diagnostics(), []);
    assert!(std::sync::Arc::ptr_eq(
        &before,
        snapshot.get("edited").unwrap()
    ));

    fs::remove_dir_all(stage.tree.path().join("skills/edited")).unwrap();
    let Update {
        snapshot, change, ..
    } = stage.next().await;
    assert_eq!(
        change
            .removed
            .iter()
            .map(|entry| entry.id.as_str())
            .collect::<Vec<_>>(),
        ["edited"]
    );
    assert_eq!((snapshot.len(), snapshot.diagnostics()), (1, &[][..]));
    stage.registry.close().await;
}
