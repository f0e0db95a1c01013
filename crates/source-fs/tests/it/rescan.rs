//! Looking again at a part gives what looking at everything gives.

use std::fs;

use crate::tree::{Tree, ids, list, text};

#[tokio::test]
async fn a_part_is_looked_at_again_and_the_rest_stays() {
    let tree = Tree::of(&["root/cat/a", "root/cat/b", "root/other/c"]);
    let source = tree.source("root");
    list(&source).await;
    tree.skill("root/cat/new");
    tree.skill("root/other/unseen");
    assert_eq!(ids(&source.rescan(&tree.path("root/cat")).await.unwrap()), ["a", "b", "new", "c"]);
    assert_eq!(ids(&source.rescan(&tree.path("root/other/unseen")).await.unwrap()), ["a", "b", "new", "c", "unseen"]);
    fs::remove_dir_all(tree.path("root/cat/a")).unwrap();
    let listing = source.rescan(&tree.path("root/cat/a")).await.unwrap();
    assert_eq!(ids(&listing), ["b", "new", "c", "unseen"]);
    assert_eq!(list(&source).await, listing);
}

#[tokio::test]
async fn nothing_below_a_skill_becomes_one_by_looking_there() {
    let tree = Tree::of(&["root/kit", "root/kit/templates/basic", "root/out", "root/out/templates/basic"]);
    tree.write("root/small/skill.md", text("small", "Small letters.", ""));
    tree.skill("root/small/templates/basic");
    tree.skill("root/.hidden/x");
    let source = tree.with(r#"{ "roots": ["root"], "patterns": ["**/SKILL.md", "!out/SKILL.md"] }"#);
    let listing = list(&source).await;
    assert_eq!(ids(&listing), ["kit", "small"]);
    let below = ["root/kit/templates/basic", "root/out/templates/basic", "root/small/templates", "root/.hidden", "."];
    for folder in below {
        assert_eq!(source.rescan(&tree.path(folder)).await.unwrap(), listing, "{folder}");
    }
}

#[tokio::test]
async fn whatever_changes_a_part_tells_the_same_as_the_whole() {
    let tree = Tree::of(&["root/a/one", "root/a/two", "root/b/three"]);
    let source = tree.source("root");
    list(&source).await;
    let check = async |folder: &str| {
        let part = source.rescan(&tree.path(folder)).await.unwrap();
        let whole = list(&tree.source("root")).await;
        assert_eq!(part.iter().collect::<Vec<_>>(), whole.iter().collect::<Vec<_>>(), "{folder}");
        assert_eq!(part.diagnostics(), whole.diagnostics(), "{folder}");
    };
    tree.write("root/a/one/SKILL.md", text("one", "Another description.", ""));
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
