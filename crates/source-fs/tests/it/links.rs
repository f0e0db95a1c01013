//! Links are followed, every real folder once.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use repertoire_core::{Code, Diagnostic, Listing, Severity, Skill, Source, SourceErrorKind};
use repertoire_source_fs::FsSource;

use crate::tree::{Tree, body, id, ids, list, loads, read, resources, text};

#[tokio::test]
async fn a_root_may_be_a_link() {
    let tree = Tree::of(&["store/one", "store/two"]);
    tree.link("store", "root");
    let listing = list(&tree.source("root")).await;
    assert_eq!(ids(&listing), ["one", "two"]);
    assert_eq!(tree.diagnostics(&listing), []);
}

#[tokio::test]
async fn linked_skills_and_collections_are_read() {
    let tree = Tree::of(&[
        "root/steady",
        "elsewhere/linked",
        "collection/a/deep",
        "collection/flat",
    ]);
    tree.write("elsewhere/linked/references/r.md", "inside");
    tree.link("../elsewhere/linked", "root/linked");
    tree.link(tree.path("collection"), "root/zoo");
    let source = tree.source("root");
    let listing = list(&source).await;
    assert_eq!(ids(&listing), ["linked", "steady", "deep", "flat"]);
    assert_eq!(tree.diagnostics(&listing), []);
    assert_eq!(body(&source, "linked").await.as_deref(), Ok("Do it.\n"));
    assert_eq!(resources(&source, "linked").await, ["references/r.md"]);
    assert_eq!(
        read(&source, "linked", "references/r.md").await,
        Ok(b"inside".to_vec())
    );
}

#[tokio::test]
async fn links_to_itself_or_its_parents_end() {
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
    assert_eq!(
        tree.diagnostics(&listing),
        expected.map(|(path, code)| (path.to_owned(), code))
    );
}

#[tokio::test]
async fn links_to_one_folder_are_one_skill() {
    let tree = Tree::of(&["root/m-real"]);
    tree.link("m-real", "root/a-first");
    tree.link("m-real", "root/z-last");
    let listing = list(&tree.source("root")).await;
    assert_eq!(ids(&listing), ["m-real"]);
    assert!(
        listing
            .iter()
            .next()
            .unwrap()
            .item
            .location
            .as_deref()
            .unwrap()
            .ends_with("root/m-real/SKILL.md")
    );
    assert_eq!(tree.complaints(&listing), []);
}

#[tokio::test]
async fn a_folder_inside_a_link_is_read_once() {
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
    let expected = [
        ("root/aaa-dead", Code::LINK_DANGLING),
        ("root/half/SKILL.md", Code::LINK_DANGLING),
    ];
    assert_eq!(
        tree.complaints(&listing),
        expected.map(|(path, code)| (path.to_owned(), code))
    );
    assert!(
        listing
            .diagnostics()
            .iter()
            .all(|found| found.message.contains("link"))
    );
}

#[tokio::test]
async fn a_linked_file_is_read_as_listed() {
    let tree = Tree::new();
    let shared = tree.write(
        "elsewhere/SKILL.md",
        text("shared", "From outside.", "Outside.\n"),
    );
    let secret = tree.write("secret.txt", "secret");
    let file = tree.link(&shared, "root/shared/SKILL.md");
    tree.write(
        "root/inner/real.md",
        text("inner", "From inside.", "Inside.\n"),
    );
    tree.link("real.md", "root/inner/SKILL.md");
    let source = tree.source("root");
    let listing = list(&source).await;
    assert_eq!(ids(&listing), ["inner", "shared"]);
    assert_eq!(
        tree.diagnostics(&listing)
            .iter()
            .filter(|(_, code)| *code == Code::LINK_DANGLING)
            .count(),
        0
    );
    assert_eq!(body(&source, "inner").await.as_deref(), Ok("Inside.\n"));
    assert_eq!(body(&source, "shared").await.as_deref(), Ok("Outside.\n"));
    assert!(
        read(&source, "shared", "SKILL.md").await.is_ok(),
        "the raw file is a resource too"
    );
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&secret, &file).unwrap();
    assert_eq!(body(&source, "shared").await, Err(SourceErrorKind::Denied));
    assert_eq!(
        read(&source, "shared", "SKILL.md").await,
        Err(SourceErrorKind::Denied)
    );
}

#[tokio::test]
async fn only_links_inside_a_skill_are_read() {
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
    assert_eq!(
        resources(&source, "trap").await,
        ["references/alias.md", "references/in.md"]
    );
    assert_eq!(
        read(&source, "trap", "references/alias.md").await,
        Ok(b"inside".to_vec())
    );
    assert_eq!(
        read(&source, "trap", "docs/in.md").await,
        Ok(b"inside".to_vec())
    );
    for outside in ["references/out.md", "absolute.md", "up/secret.txt"] {
        assert_eq!(
            read(&source, "trap", outside).await,
            Err(SourceErrorKind::Denied),
            "{outside}"
        );
    }
    assert_eq!(
        read(&source, "trap", "gone.md").await,
        Err(SourceErrorKind::NotFound)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_swapped_during_reads_never_leads_out() {
    let tree = Tree::of(&["root/trap"]);
    tree.write("root/trap/in/file.md", "inside");
    tree.write("out/file.md", "SECRET");
    let (folder, spare) = (tree.path("root/trap/folder"), tree.path("root/trap/spare"));
    std::os::unix::fs::symlink("in", &folder).unwrap();
    let source = tree.source("root");
    list(&source).await;
    let swapping = std::thread::spawn(move || {
        for n in 0..400 {
            std::os::unix::fs::symlink(if n % 2 == 0 { "../../out" } else { "in" }, &spare)
                .unwrap();
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

/// Every diagnostic in full.
fn messages(tree: &Tree, listing: &Listing<Skill>) -> Vec<String> {
    let root = format!("{}/", tree.root().display());
    let line = |found: &Diagnostic| {
        let place = found.place().unwrap_or_default();
        format!(
            "{place} {found} {}",
            found.help.as_deref().unwrap_or_default()
        )
        .replace(&root, "")
    };
    listing.diagnostics().iter().map(line).collect()
}

#[tokio::test]
async fn files_outside_of_the_root_are_never_quoted() {
    let tree = Tree::of(&["root/steady", "elsewhere/fine"]);
    tree.write(
        "home/.netrc",
        "machine example login ada password hunter2\n",
    );
    tree.write(
        "home/keys.yaml",
        "---\nname: [hunter2\ntoken: hunter2\ndescription: &x hunter2: y\n---\n",
    );
    tree.write(
        "elsewhere/broken/SKILL.md",
        "hunter2 without front matter\n",
    );
    tree.link("../../home/.netrc", "root/netrc/SKILL.md");
    tree.link("../../home/keys.yaml", "root/keys/SKILL.md");
    tree.link("../elsewhere", "root/linked");
    tree.link("steady", "root/again");
    tree.write("root/.git/config", "[http] extraheader = hunter2\n");
    tree.link("../.git/config", "root/config/SKILL.md");
    tree.write("root/creds.json", "{\"token\": \"hunter2\"}");
    tree.link("../creds.json", "root/creds/SKILL.md");
    let listing = list(&tree.source("root")).await;
    let all = messages(&tree, &listing);
    assert!(all.iter().all(|line| !line.contains("hunter2")), "{all:#?}");
    let leads_out: Vec<_> = listing
        .diagnostics()
        .iter()
        .filter(|found| found.code == Code::LINK_LEADS_OUT)
        .map(|found| found.severity)
        .collect();
    let [error, warning] = [Severity::Error, Severity::Warning];
    assert_eq!(leads_out, [error, error, warning, error, error], "{all:#?}");
    assert!(
        listing
            .diagnostics()
            .iter()
            .all(|found| found.line.is_none()),
        "{all:#?}"
    );
    assert!(
        tree.complaints(&listing)
            .contains(&("root/netrc/SKILL.md".to_owned(), Code::NO_FRONT_MATTER))
    );
    assert!(
        ids(&listing).contains(&"fine"),
        "links are followed all the same: {:?}",
        ids(&listing)
    );
    // Seen from a root that holds it, the same file is quoted.
    let listing = list(&tree.source("elsewhere")).await;
    assert!(
        listing
            .diagnostics()
            .iter()
            .any(|found| found.line == Some(1)),
        "{:#?}",
        listing.diagnostics()
    );
}

#[tokio::test]
async fn tables_of_the_kernel_are_not_searched() {
    if !Path::new("/proc/self/environ").exists() {
        return eprintln!("SKIPPED: there is no procfs");
    }
    let tree = Tree::of(&["root/steady"]);
    tree.link("/proc/self/environ", "root/environment/SKILL.md");
    tree.link("/proc/self/cmdline", "root/command/SKILL.md");
    tree.link("/proc", "root/proc");
    tree.link("/proc/self/cwd", "root/cwd");
    tree.link("/sys", "root/sys");
    let listing = list(&tree.source("root")).await;
    assert!(ids(&listing).contains(&"steady"));
    let about = |path: &str| -> Vec<Code> {
        tree.diagnostics(&listing)
            .into_iter()
            .filter(|(of, _)| of == path)
            .map(|(_, code)| code)
            .collect()
    };
    assert_eq!(about("root/environment/SKILL.md"), [Code::NOT_A_FILE]);
    assert_eq!(about("root/command/SKILL.md"), [Code::NOT_A_FILE]);
    assert_eq!(about("root/proc"), [Code::LINK_LEADS_OUT]);
    assert_eq!(about("root/sys"), [Code::LINK_LEADS_OUT]);
    let all = messages(&tree, &listing);
    assert!(all.iter().all(|line| !line.contains("PATH=")), "{all:#?}");
    let listing = list(&FsSource::new("test", "/proc/self")).await;
    assert_eq!(
        listing
            .diagnostics()
            .iter()
            .map(|found| found.code)
            .collect::<Vec<_>>(),
        [Code::UNREADABLE]
    );
}

#[tokio::test]
async fn no_link_leaves_a_bounded_source() {
    let tree = Tree::of(&[
        "kit/skills/own",
        "kit/more/inner",
        "private/secret",
        "other/skills/theirs",
    ]);
    tree.write("private/SKILL.md", text("file", "Private.", "Secret.\n"));
    tree.link("../more/inner", "kit/skills/inner");
    tree.link("../../private/secret", "kit/skills/leak");
    tree.link("../../other/skills", "kit/skills/others");
    tree.link("../../../private/SKILL.md", "kit/skills/file/SKILL.md");
    let source = tree.source("kit/skills").within(tree.path("kit"));
    let listing = list(&source).await;
    assert_eq!(ids(&listing), ["inner", "own"]);
    let expected = [
        "kit/skills/file/SKILL.md",
        "kit/skills/leak",
        "kit/skills/others",
    ];
    assert_eq!(
        tree.complaints(&listing),
        expected.map(|path| (path.to_owned(), Code::LINK_LEADS_OUT))
    );
    assert_eq!(list(&source).await, listing);
    // A root that is one, too.
    tree.link("../private", "kit/roots");
    let listing = list(&tree.source("kit/roots").within(tree.path("kit"))).await;
    assert_eq!(
        tree.complaints(&listing),
        [("kit/roots".to_owned(), Code::LINK_LEADS_OUT)]
    );
}

#[tokio::test]
async fn links_as_text_files_are_reported() {
    let tree = Tree::of(&[
        "src/alpha",
        "src/beta",
        "shared/skills/gamma",
        "root/steady",
    ]);
    tree.write("root/alpha", "../src/alpha");
    tree.write("root/all", "../src\r\n");
    tree.write("root/windows", r"..\src\alpha");
    tree.write("root/windows-file/SKILL.md", r"..\..\src\beta\SKILL.md");
    tree.write("root/beta/SKILL.md", "../../src/beta/SKILL.md");
    tree.write("root/gone/SKILL.md", "../../nowhere/SKILL.md\n");
    tree.write("root/LICENSE", "All rights reserved.\n");
    tree.write("root/NOTES", "../src/nothing");
    tree.write("repo/.agents", "../shared");
    tree.write("linked", "src");
    let of = async |root: &str| {
        let listing = list(&tree.source(root)).await;
        let all = messages(&tree, &listing);
        assert!(
            all.iter()
                .all(|line| line.contains("core.symlinks") && line.contains("link to `")),
            "{all:#?}"
        );
        tree.complaints(&listing)
    };
    let expected = |paths: &[&str]| {
        paths
            .iter()
            .map(|path| ((*path).to_owned(), Code::LINK_AS_TEXT))
            .collect::<Vec<_>>()
    };
    let windows = ["root/windows", "root/windows-file/SKILL.md"];
    let in_root = [
        "root/all",
        "root/alpha",
        "root/beta/SKILL.md",
        "root/gone/SKILL.md",
        windows[0],
        windows[1],
    ];
    assert_eq!(of("root").await, expected(&in_root));
    assert_eq!(of("repo/.agents/skills").await, expected(&["repo/.agents"]));
    assert_eq!(of("linked").await, expected(&["linked"]));
    // A scan of a part has the same diagnostics.
    let source = tree.source("root");
    list(&source).await;
    fs::remove_file(tree.path("root/alpha")).unwrap();
    let listing = source.rescan(&tree.path("root/alpha")).await.unwrap();
    let others = [
        "root/all",
        "root/beta/SKILL.md",
        "root/gone/SKILL.md",
        windows[0],
        windows[1],
    ];
    assert_eq!(tree.complaints(&listing), expected(&others));
    tree.write("root/alpha", "../src/alpha");
    let listing = source.rescan(&tree.path("root/alpha")).await.unwrap();
    assert_eq!(tree.complaints(&listing), expected(&in_root));
}

#[tokio::test]
async fn a_root_that_is_a_file_is_reported() {
    let tree = Tree::new();
    tree.write("root", "Text of several\nlines.\n");
    let listing = list(&tree.source("root")).await;
    assert_eq!(
        messages(&tree, &listing),
        ["root error[unreadable]: expected a folder, found a file "]
    );
}
