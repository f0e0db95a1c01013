//! Looking again at a part gives what looking at everything gives.

use std::fs;

use proptest::prelude::*;
use repertoire_core::Source;
use repertoire_source_fs::{FsSource, WatchBy};

use crate::tree::{Tree, ids, list, swift, text};

#[tokio::test]
async fn a_rescan_reads_only_its_folder() {
    let tree = Tree::of(&["root/cat/a", "root/cat/b", "root/other/c"]);
    let source = tree.source("root");
    list(&source).await;
    tree.skill("root/cat/new");
    tree.skill("root/other/unseen");
    assert_eq!(
        ids(&source.rescan(&tree.path("root/cat")).await.unwrap()),
        ["a", "b", "new", "c"]
    );
    assert_eq!(
        ids(&source
            .rescan(&tree.path("root/other/unseen"))
            .await
            .unwrap()),
        ["a", "b", "new", "c", "unseen"]
    );
    fs::remove_dir_all(tree.path("root/cat/a")).unwrap();
    let listing = source.rescan(&tree.path("root/cat/a")).await.unwrap();
    assert_eq!(ids(&listing), ["b", "new", "c", "unseen"]);
    assert_eq!(list(&source).await, listing);
}

#[tokio::test]
async fn a_rescan_below_a_skill_finds_none() {
    let tree = Tree::of(&[
        "root/kit",
        "root/kit/templates/basic",
        "root/out",
        "root/out/templates/basic",
    ]);
    tree.write("root/small/skill.md", text("small", "Small letters.", ""));
    tree.skill("root/small/templates/basic");
    tree.skill("root/.hidden/x");
    let source =
        tree.with(r#"{ "roots": ["root"], "patterns": ["**/SKILL.md", "!out/SKILL.md"] }"#);
    let listing = list(&source).await;
    assert_eq!(ids(&listing), ["kit", "small"]);
    let below = [
        "root/kit/templates/basic",
        "root/out/templates/basic",
        "root/small/templates",
        "root/.hidden",
        ".",
    ];
    for folder in below {
        assert_eq!(
            source.rescan(&tree.path(folder)).await.unwrap(),
            listing,
            "{folder}"
        );
    }
}

#[tokio::test]
async fn a_partial_rescan_equals_a_whole_scan() {
    let tree = Tree::of(&["root/a/one", "root/a/two", "root/b/three"]);
    let source = tree.source("root");
    list(&source).await;
    let check = async |folder: &str| {
        let part = source.rescan(&tree.path(folder)).await.unwrap();
        let whole = list(&tree.source("root")).await;
        assert_eq!(
            part.iter().collect::<Vec<_>>(),
            whole.iter().collect::<Vec<_>>(),
            "{folder}"
        );
        assert_eq!(part.diagnostics(), whole.diagnostics(), "{folder}");
    };
    tree.write(
        "root/a/one/SKILL.md",
        text("one", "Another description.", ""),
    );
    check("root/a/one").await;
    tree.write("root/a/bad/SKILL.md", "bad");
    check("root/a").await;
    fs::remove_dir_all(tree.path("root/a/bad")).unwrap();
    check("root/a/bad").await;
    tree.skill("root/a");
    check("root/a").await;
    fs::remove_file(tree.path("root/a/SKILL.md")).unwrap();
    check("root/a").await;
    fs::rename(tree.path("root/b"), tree.path("root/c")).unwrap();
    check("root").await;
    #[cfg(unix)]
    {
        tree.link("one", "root/a/link");
        check("root/a").await;
        fs::rename(tree.path("root/a/one"), tree.path("elsewhere")).unwrap();
        check("root/a").await;
    }
}

/// An edit of a tree. Names are few, so that edits collide.
#[derive(Debug, Clone)]
enum Deed {
    Write {
        skill: String,
        name: u8,
        description: u8,
        body: u8,
    },
    Break {
        skill: String,
    },
    Misspell {
        skill: String,
    },
    Script {
        skill: String,
        content: u8,
    },
    Remove {
        path: String,
    },
    Move {
        from: String,
        to: String,
    },
}

/// A folder below a folder, or one in which a skill hides all below.
fn any_skill() -> impl Strategy<Value = String> {
    prop_oneof![9 => (0u8..3, 0u8..4).prop_map(|(pack, skill)| format!("root/p{pack}/s{skill}")), 1 => any_pack()]
}

fn any_pack() -> impl Strategy<Value = String> {
    (0u8..3).prop_map(|pack| format!("root/p{pack}"))
}

fn any_deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        8 => (any_skill(), 0u8..4, 0u8..3, 0u8..3)
            .prop_map(|(skill, name, description, body)| Deed::Write { skill, name, description, body }),
        2 => any_skill().prop_map(|skill| Deed::Break { skill }),
        1 => any_skill().prop_map(|skill| Deed::Misspell { skill }),
        2 => (any_skill(), 0u8..3).prop_map(|(skill, content)| Deed::Script { skill, content }),
        2 => prop_oneof![any_skill(), any_pack()].prop_map(|path| Deed::Remove { path }),
        2 => (any_skill(), any_skill()).prop_map(|(from, to)| Deed::Move { from, to }),
        1 => (any_pack(), any_pack()).prop_map(|(from, to)| Deed::Move { from, to }),
    ]
}

impl Deed {
    /// Performs it, and returns the folders to scan again.
    fn run(&self, tree: &Tree) -> Vec<&str> {
        match self {
            Deed::Write {
                skill,
                name,
                description,
                body,
            } => {
                let text = text(
                    &format!("n{name}"),
                    &format!("Number {description}."),
                    &format!("Body {body}.\n"),
                );
                tree.write(&format!("{skill}/SKILL.md"), text);
                vec![skill]
            }
            Deed::Break { skill } => {
                tree.write(&format!("{skill}/SKILL.md"), "---\nname: broken\n");
                vec![skill]
            }
            Deed::Misspell { skill } => {
                tree.write(
                    &format!("{skill}/skill.md"),
                    text("small", "Small letters.", ""),
                );
                vec![skill]
            }
            Deed::Script { skill, content } => {
                tree.write(
                    &format!("{skill}/scripts/run.sh"),
                    format!("echo {content}"),
                );
                vec![skill]
            }
            Deed::Remove { path } => {
                let _ = fs::remove_dir_all(tree.path(path));
                vec![path]
            }
            Deed::Move { from, to } => {
                // Refused where something is in the way.
                let _ = fs::rename(tree.path(from), tree.path(to));
                vec![from, to]
            }
        }
    }
}

/// After each of `deeds`, looking at parts has brought `part` to where looking at everything has brought `whole`.
async fn agree(
    tree: &Tree,
    part: &FsSource,
    whole: &FsSource,
    deeds: &[Deed],
) -> Result<(), TestCaseError> {
    tree.folder("root");
    prop_assert_eq!(list(part).await, list(whole).await);
    for deed in deeds {
        for folder in deed.run(tree) {
            part.rescan(&tree.path(folder)).await.unwrap();
        }
        let (seen, expected) = (
            part.rescan(&tree.path("root/p0")).await.unwrap(),
            list(whole).await,
        );
        prop_assert_eq!(
            seen.iter().collect::<Vec<_>>(),
            expected.iter().collect::<Vec<_>>(),
            "{:?}",
            deed
        );
        prop_assert_eq!(seen.diagnostics(), expected.diagnostics(), "{:?}", deed);
        for id in seen.iter().map(|row| &row.item.id) {
            prop_assert_eq!(
                part.body(id).await.ok(),
                whole.body(id).await.ok(),
                "{}",
                id
            );
        }
        prop_assert_eq!(part.roots().await.unwrap(), whole.roots().await.unwrap());
        prop_assert_eq!(
            part.folders().await.unwrap(),
            whole.folders().await.unwrap()
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rescans_of_dirty_folders_equal_full_scans(
        deeds in prop::collection::vec(any_deed(), 1..24),
        is_watching: bool,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let tree = Tree::new();
        let source = || {
            let source = tree.source("root");
            if is_watching { source.watching(swift(WatchBy::Polling)) } else { source }
        };
        runtime.block_on(agree(&tree, &source(), &source(), &deeds))?;
    }
}

#[tokio::test]
async fn parts_among_many_are_found_and_replaced() {
    let tree = Tree::new();
    let name = |number: usize| format!("s{:03}", number * 7 % 900);
    (0..100).for_each(|number| drop(tree.skill(&format!("root/{}", name(number)))));
    let (part, whole) = (tree.source("root"), tree.source("root"));
    list(&part).await;
    for number in 0..720 {
        let folder = format!("root/{}", name(number));
        match number % 6 {
            0 => drop(fs::remove_dir_all(tree.path(&folder))),
            // Every id that comes here is another's already.
            _ if number % 100 == 99 => {
                drop(tree.write(&format!("{folder}/SKILL.md"), text("s001", "Twice.", "")))
            }
            _ => drop(tree.write(
                &format!("{folder}/SKILL.md"),
                text(&name(number), "Another description.", ""),
            )),
        }
        let seen = part.rescan(&tree.path(&folder)).await.unwrap();
        if number % 90 == 89 {
            let expected = list(&whole).await;
            assert!(seen.iter().eq(expected.iter()), "after {number}");
            assert_eq!(seen.diagnostics(), expected.diagnostics(), "after {number}");
        }
    }
    let listing = list(&part).await;
    assert!(listing.len() > 550, "more than one block takes");
    for row in listing.iter() {
        assert_eq!(
            part.body(&row.item.id).await.unwrap(),
            whole.body(&row.item.id).await.unwrap()
        );
    }
}
