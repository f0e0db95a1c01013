//! Links are followed, every real folder once.
#![cfg(unix)]

use std::fs;

use repertoire_core::{Code, Source, SourceErrorKind};

use crate::tree::{Tree, body, id, ids, list, loads, read, resources, text};

#[tokio::test]
async fn a_root_may_be_a_link() {
    let tree = Tree::of(&["store/one", "store/two"]);
    tree.link("store", "root");
    let listing = list(&tree.source("root")).await;
    assert_eq!(ids(&listing), ["one", "two"]);
    assert_eq!(tree.findings(&listing), []);
}

#[tokio::test]
async fn a_linked_skill_and_a_linked_collection_are_found_and_read() {
    let tree = Tree::of(&["root/steady", "elsewhere/linked", "collection/a/deep", "collection/flat"]);
    tree.write("elsewhere/linked/references/r.md", "inside");
    tree.link("../elsewhere/linked", "root/linked");
    tree.link(tree.path("collection"), "root/zoo");
    let source = tree.source("root");
    let listing = list(&source).await;
    assert_eq!(ids(&listing), ["linked", "steady", "deep", "flat"]);
    assert_eq!(tree.findings(&listing), []);
    assert_eq!(body(&source, "linked").await.as_deref(), Ok("Do it.\n"));
    assert_eq!(resources(&source, "linked").await, ["references/r.md"]);
    assert_eq!(read(&source, "linked", "references/r.md").await, Ok(b"inside".to_vec()));
}

#[tokio::test]
async fn a_link_to_itself_a_parent_or_the_root_ends() {
    let tree = Tree::of(&["root/outer/inner", "root/steady"]);
    tree.link("../outer", "root/outer/outer");
    tree.link("..", "root/outer/back");
    tree.link("../..", "root/outer/above");
    tree.link("/", "root/everything");
    tree.link("self", "root/self");
    let listing = list(&tree.source("root")).await;
    assert_eq!(ids(&listing), ["inner", "steady"]);
    let expected = [
        ("root/everything", Code::LINK_REPEATED),
        ("root/outer/above", Code::LINK_REPEATED),
        ("root/outer/back", Code::LINK_REPEATED),
        ("root/outer/outer", Code::LINK_REPEATED),
        ("root/self", Code::LINK_DANGLING),
    ];
    assert_eq!(tree.findings(&listing), expected.map(|(path, code)| (path.to_owned(), code)));
}

#[tokio::test]
async fn links_to_one_folder_are_one_skill_under_its_real_path() {
    let tree = Tree::of(&["root/m-real"]);
    tree.link("m-real", "root/a-first");
    tree.link("m-real", "root/z-last");
    let listing = list(&tree.source("root")).await;
    assert_eq!(ids(&listing), ["m-real"]);
    assert!(listing.iter().next().unwrap().item.location.as_deref().unwrap().ends_with("root/m-real/SKILL.md"));
    assert_eq!(tree.complaints(&listing), []);
}

#[tokio::test]
async fn a_folder_inside_a_followed_one_is_read_once() {
    let tree = Tree::of(&["other/kit/one"]);
    tree.folder("root");
    tree.link("../other/kit", "root/a");
    tree.link("../other", "root/b");
    assert_eq!(loads(&tree, "root").await, ["one"]);
}

#[tokio::test]
async fn many_links_to_each_other_end() {
    let tree = Tree::of(&["root/steady"]);
    for n in 0..200 {
        tree.link("../..", &format!("root/loop/l{n}"));
        tree.link(format!("x{}", n + 1), &format!("root/chain/x{n}"));
    }
    let listing = list(&tree.source("root")).await;
    assert_eq!(ids(&listing), ["steady"]);
}

#[tokio::test]
async fn a_dangling_link_hides_no_neighbour() {
    let tree = Tree::of(&["root/zeta", "root/steady"]);
    tree.link("/nonexistent/place", "root/aaa-dead");
    tree.link("/nonexistent/place", "root/half/SKILL.md");
    let listing = list(&tree.source("root")).await;
    assert_eq!(ids(&listing), ["steady", "zeta"]);
    let expected = [("root/aaa-dead", Code::LINK_DANGLING), ("root/half/SKILL.md", Code::LINK_DANGLING)];
    assert_eq!(tree.complaints(&listing), expected.map(|(path, code)| (path.to_owned(), code)));
    assert!(listing.diagnostics().iter().all(|found| found.message.contains("link")));
}

#[tokio::test]
async fn a_linked_file_is_read_as_it_was_when_it_was_listed() {
    let tree = Tree::new();
    let shared = tree.write("elsewhere/SKILL.md", text("shared", "From outside.", "Outside.\n"));
    let secret = tree.write("secret.txt", "secret");
    let file = tree.link(&shared, "root/shared/SKILL.md");
    tree.write("root/inner/real.md", text("inner", "From inside.", "Inside.\n"));
    tree.link("real.md", "root/inner/SKILL.md");
    let source = tree.source("root");
    let listing = list(&source).await;
    assert_eq!(ids(&listing), ["inner", "shared"]);
    assert_eq!(tree.findings(&listing).iter().filter(|(_, code)| *code == Code::LINK_DANGLING).count(), 0);
    assert_eq!(body(&source, "inner").await.as_deref(), Ok("Inside.\n"));
    assert_eq!(body(&source, "shared").await.as_deref(), Ok("Outside.\n"));
    assert!(read(&source, "shared", "SKILL.md").await.is_ok(), "the raw file is a resource too");
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&secret, &file).unwrap();
    assert_eq!(body(&source, "shared").await, Err(SourceErrorKind::Denied));
    assert_eq!(read(&source, "shared", "SKILL.md").await, Err(SourceErrorKind::Denied));
}

#[tokio::test]
async fn links_inside_a_skill_are_read_and_links_out_are_not() {
    let tree = Tree::of(&["root/trap"]);
    tree.write("root/trap/references/in.md", "inside");
    let secret = tree.write("secret.txt", "SECRET");
    tree.link("in.md", "root/trap/references/alias.md");
    tree.link("references", "root/trap/docs");
    tree.link("../../../secret.txt", "root/trap/references/out.md");
    tree.link(&secret, "root/trap/absolute.md");
    tree.link("../..", "root/trap/up");
    tree.link("gone", "root/trap/gone.md");
    tree.link("round", "root/trap/round");
    let source = tree.source("root");
    list(&source).await;
    assert_eq!(resources(&source, "trap").await, ["references/alias.md", "references/in.md"]);
    assert_eq!(read(&source, "trap", "references/alias.md").await, Ok(b"inside".to_vec()));
    assert_eq!(read(&source, "trap", "docs/in.md").await, Ok(b"inside".to_vec()));
    for outside in ["references/out.md", "absolute.md", "up/secret.txt"] {
        assert_eq!(read(&source, "trap", outside).await, Err(SourceErrorKind::Denied), "{outside}");
    }
    assert_eq!(read(&source, "trap", "gone.md").await, Err(SourceErrorKind::NotFound));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_that_is_swapped_while_it_is_read_never_leads_out() {
    let tree = Tree::of(&["root/trap"]);
    tree.write("root/trap/in/file.md", "inside");
    tree.write("out/file.md", "SECRET");
    let (folder, spare) = (tree.path("root/trap/folder"), tree.path("root/trap/spare"));
    std::os::unix::fs::symlink("in", &folder).unwrap();
    let source = tree.source("root");
    list(&source).await;
    let swapping = std::thread::spawn(move || {
        for n in 0..400 {
            std::os::unix::fs::symlink(if n % 2 == 0 { "../../out" } else { "in" }, &spare).unwrap();
            fs::rename(&spare, &folder).unwrap();
        }
    });
    let mut inside = 0;
    while !swapping.is_finished() || inside == 0 {
        match read(&source, "trap", "folder/file.md").await {
            Ok(bytes) => {
                assert_eq!(bytes, b"inside");
                inside += 1;
            }
            Err(kind) => assert_eq!(kind, SourceErrorKind::Denied),
        }
        let digests = source.resources(&id("trap")).await.unwrap();
        assert!(digests.iter().all(|row| row.size == 6), "{digests:?}");
    }
    swapping.join().unwrap();
}
