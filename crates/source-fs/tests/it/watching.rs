//! A watched source keeps up with whatever is done to its folders.

use std::fs;
use std::io::{Seek, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use repertoire_core::{Code, Listing, Revision, Skill, Source};
use repertoire_source_fs::{FsSource, InstalledPluginOptions, InstalledPlugins, WatchBy};

use crate::tree::{Tree, ids, list, swift, text};

/// When a change counts as lost. A guard, not a measure.
const LOST: Duration = Duration::from_secs(30);

/// A source over `root` that is watched by now and knows all content, and its listing.
async fn watched(tree: &Tree, root: &str) -> (FsSource, Listing<Skill>) {
    let source = tree.source(root).watching(swift(WatchBy::Events));
    source.changed(Revision(0)).await;
    let listing = list(&source).await;
    let listing = until(&source, listing, |listing| {
        listing.iter().all(|row| row.parts.is_some())
    })
    .await;
    (source, listing)
}

/// The first listing at or after `listing` of which `condition` holds, reached by waiting alone.
async fn until(
    source: &FsSource,
    mut listing: Listing<Skill>,
    condition: impl Fn(&Listing<Skill>) -> bool,
) -> Listing<Skill> {
    let waiting = async {
        while !condition(&listing) {
            source.changed(listing.revision()).await;
            listing = list(source).await;
        }
        listing.clone()
    };
    let found = tokio::time::timeout(LOST, waiting).await;
    found.expect("a change should be seen")
}

async fn until_ids(
    source: &FsSource,
    listing: Listing<Skill>,
    expected: &[&str],
) -> Listing<Skill> {
    until(source, listing, |listing| ids(listing) == expected).await
}

/// The content of each row, without its stamp.
fn contents(listing: &Listing<Skill>) -> impl PartialEq + use<> {
    listing
        .iter()
        .map(|row| (row.item.clone(), row.digest, row.parts.clone()))
        .collect::<Vec<_>>()
}

fn describes(listing: &Listing<Skill>, skill: &str, description: &str) -> bool {
    listing
        .iter()
        .any(|row| row.item.id.as_str() == skill && &*row.item.description == description)
}

#[tokio::test]
async fn saves_by_rename_are_seen_every_time() {
    let tree = Tree::of(&["root/edited"]);
    let (source, mut listing) = watched(&tree, "root").await;
    for description in ["Version two.", "Version three.", "Version four."] {
        let next = tree.write("root/edited/.SKILL.md.tmp", text("edited", description, ""));
        fs::rename(
            tree.path("root/edited/SKILL.md"),
            tree.path("root/edited/SKILL.md~"),
        )
        .unwrap();
        fs::rename(next, tree.path("root/edited/SKILL.md")).unwrap();
        fs::remove_file(tree.path("root/edited/SKILL.md~")).unwrap();
        listing = until(&source, listing, |listing| {
            describes(listing, "edited", description)
        })
        .await;
    }
}

#[cfg(unix)]
#[tokio::test]
async fn other_files_count_once_changes_are_awaited() {
    use std::os::unix::fs::MetadataExt;
    use std::time::SystemTime;

    let tree = Tree::of(&["root/quiet", "root/touched"]);
    tree.write("root/quiet/notes.md", "First.");
    tree.write("root/touched/notes.md", "First.");
    let source = tree.source("root");
    let before = list(&source).await;
    // The clock of the file system is coarse: written again until it has moved on.
    let listed = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap();
    let listed = (
        listed.as_secs().try_into().unwrap(),
        listed.subsec_nanos().into(),
    );
    let is_later = || {
        let metadata = tree
            .write("root/touched/notes.md", "Second.")
            .metadata()
            .unwrap();
        (metadata.ctime(), metadata.ctime_nsec()) > listed
    };
    while !is_later() {}
    let stamps = |listing: &Listing<Skill>| listing.iter().map(|row| row.stamp).collect::<Vec<_>>();
    let after = until(&source, before.clone(), |listing| {
        stamps(listing) != stamps(&before)
    })
    .await;
    assert_eq!(stamps(&after)[0], stamps(&before)[0]);
    tree.write("root/quiet/notes.md", "Second.");
    until(&source, after.clone(), |listing| {
        stamps(listing)[0] != stamps(&before)[0]
    })
    .await;
}

#[tokio::test]
async fn a_truncated_and_rewritten_file_is_always_seen() {
    let tree = Tree::of(&["root/edited", "root/steady"]);
    let (source, mut listing) = watched(&tree, "root").await;
    for description in ["Version two.", "Version three.", "Version four."] {
        let mut file = fs::File::create(tree.path("root/edited/SKILL.md")).unwrap();
        for part in text("edited", description, "Body.\n").as_bytes().chunks(10) {
            file.write_all(part).unwrap();
            file.flush().unwrap();
        }
        drop(file);
        let is_good = |listing: &Listing<Skill>| {
            describes(listing, "edited", description) && tree.complaints(listing).is_empty()
        };
        listing = until(&source, listing, is_good).await;
        assert_eq!(ids(&listing), ["edited", "steady"]);
    }
}

#[tokio::test]
async fn a_deleted_and_recreated_file_is_always_seen() {
    let tree = Tree::of(&["root/edited", "root/steady"]);
    let (source, mut listing) = watched(&tree, "root").await;
    for description in ["Version two.", "Version three."] {
        fs::remove_file(tree.path("root/edited/SKILL.md")).unwrap();
        tree.write("root/edited/SKILL.md", text("edited", description, ""));
        listing = until(&source, listing, |listing| {
            describes(listing, "edited", description)
        })
        .await;
        fs::remove_file(tree.path("root/edited/SKILL.md")).unwrap();
        listing = until_ids(&source, listing, &["steady"]).await;
        tree.skill("root/edited");
        listing = until_ids(&source, listing, &["edited", "steady"]).await;
    }
}

#[tokio::test]
async fn a_copied_tree_is_seen_whole() {
    let tree = Tree::of(&["root/steady"]);
    for skill in 0..200 {
        let folder = format!("pack/{}/{}/s{skill}", skill % 7, skill % 3);
        tree.skill(&folder);
        tree.write(&format!("{folder}/scripts/deep/run.sh"), "echo one");
    }
    let (source, listing) = watched(&tree, "root").await;
    let copy = {
        let (from, to) = (tree.path("pack"), tree.path("root/pack"));
        tokio::task::spawn_blocking(move || copy(&from, &to))
    };
    let listing = until(&source, listing, |listing| listing.len() == 201).await;
    copy.await.unwrap();
    let stamp = |listing: &Listing<Skill>| {
        listing
            .iter()
            .find(|row| row.item.id.as_str() == "s199")
            .map(|row| row.stamp)
    };
    let (_, fresh) = watched(&tree, "root").await;
    let listing = until(&source, listing, |listing| {
        contents(listing) == contents(&fresh)
    })
    .await;
    tree.write("root/pack/3/1/s199/scripts/deep/run.sh", "echo another");
    until(&source, listing.clone(), |now| {
        stamp(now) != stamp(&listing)
    })
    .await;
}

/// Copies a folder and everything in it, as `cp -r` does.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = (
            entry.as_ref().unwrap().path(),
            to.join(entry.unwrap().file_name()),
        );
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

#[tokio::test]
async fn endless_writes_do_not_delay_other_files() {
    let tree = Tree::of(&["root/busy", "root/calm"]);
    let (source, listing) = watched(&tree, "root").await;
    // Always of the same length and written in one step, so that it is whole whenever it is read.
    let version = |round: u64| text("busy", &format!("Round {round:020}."), "");
    tree.write("root/busy/SKILL.md", version(0));
    let is_enough = Arc::new(AtomicBool::new(false));
    let hammer = {
        let file = fs::File::options()
            .write(true)
            .open(tree.path("root/busy/SKILL.md"))
            .unwrap();
        let is_enough = is_enough.clone();
        std::thread::spawn(move || {
            let mut rounds = 0;
            while !is_enough.load(Ordering::Relaxed) {
                rounds += 1;
                (&file).rewind().unwrap();
                (&file).write_all(version(rounds).as_bytes()).unwrap();
            }
            rounds
        })
    };
    let listing = until(&source, listing, |listing| {
        !describes(listing, "busy", "Does a thing.")
    })
    .await;
    tree.write("root/calm/SKILL.md", text("calm", "Edited.", ""));
    let listing = until(&source, listing, |listing| {
        describes(listing, "calm", "Edited.")
    })
    .await;
    is_enough.store(true, Ordering::Relaxed);
    let last = format!("Round {:020}.", hammer.join().unwrap());
    until(&source, listing, |listing| {
        describes(listing, "busy", &last)
    })
    .await;
}

#[tokio::test]
async fn folders_that_come_move_and_go_are_seen() {
    let tree = Tree::of(&[
        "root/steady",
        "elsewhere/pack/one",
        "elsewhere/pack/deep/two",
    ]);
    let (source, listing) = watched(&tree, "root").await;
    tree.skill("root/fresh");
    let listing = until_ids(&source, listing, &["fresh", "steady"]).await;
    fs::rename(tree.path("elsewhere/pack"), tree.path("root/pack")).unwrap();
    let listing = until_ids(&source, listing, &["fresh", "two", "one", "steady"]).await;
    fs::rename(tree.path("root/pack"), tree.path("root/kit")).unwrap();
    let moved = |listing: &Listing<Skill>| {
        listing.iter().any(|row| {
            row.item
                .location
                .as_deref()
                .is_some_and(|at| at.contains("/kit/deep/two/"))
        })
    };
    let listing = until(&source, listing, moved).await;
    tree.write(
        "root/kit/deep/two/SKILL.md",
        text("two", "Edited after the move.", ""),
    );
    let listing = until(&source, listing, |listing| {
        describes(listing, "two", "Edited after the move.")
    })
    .await;
    fs::remove_dir_all(tree.path("root/kit")).unwrap();
    let listing = until_ids(&source, listing, &["fresh", "steady"]).await;
    fs::remove_dir_all(tree.path("root/fresh")).unwrap();
    tree.skill("root/fresh");
    tree.write("root/fresh/SKILL.md", text("fresh", "Made again.", ""));
    until(&source, listing, |listing| {
        describes(listing, "fresh", "Made again.")
    })
    .await;
}

#[tokio::test]
async fn a_root_may_come_go_and_come_back() {
    let tree = Tree::new();
    let (source, listing) = watched(&tree, "home/.agents/skills").await;
    tree.skill("home/.agents/skills/first");
    let listing = until_ids(&source, listing, &["first"]).await;
    fs::remove_dir_all(tree.path("home")).unwrap();
    let listing = until_ids(&source, listing, &[]).await;
    tree.skill("home/.agents/skills/again");
    let listing = until_ids(&source, listing, &["again"]).await;
    fs::rename(tree.path("home"), tree.path("away")).unwrap();
    let listing = until_ids(&source, listing, &[]).await;
    fs::rename(tree.path("away"), tree.path("home")).unwrap();
    let listing = until_ids(&source, listing, &["again"]).await;
    tree.write(
        "home/.agents/skills/again/SKILL.md",
        text("again", "Still watched.", ""),
    );
    until(&source, listing, |listing| {
        describes(listing, "again", "Still watched.")
    })
    .await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_linked_root_is_watched_at_both_ends() {
    let tree = Tree::of(&["one/a", "two/b"]);
    let root = tree.link("one", "root");
    let (source, listing) = watched(&tree, "root").await;
    tree.skill("one/c");
    let listing = until_ids(&source, listing, &["a", "c"]).await;
    fs::remove_file(&root).unwrap();
    tree.link("two", "root");
    let listing = until_ids(&source, listing, &["b"]).await;
    fs::rename(tree.path("two"), tree.path("three")).unwrap();
    let listing = until_ids(&source, listing, &[]).await;
    tree.skill("two/d");
    let listing = until_ids(&source, listing, &["d"]).await;
    fs::remove_file(&root).unwrap();
    tree.skill("root/real");
    let listing = until_ids(&source, listing, &["real"]).await;
    fs::remove_dir_all(&root).unwrap();
    tree.link("one", "root");
    until_ids(&source, listing, &["a", "c"]).await;
}

#[cfg(unix)]
#[tokio::test]
async fn link_targets_are_watched_under_every_path() {
    let tree = Tree::of(&["shared/skills/a"]);
    tree.write("shared/notes.md", "one");
    tree.link("shared/skills", "root");
    // Leads into a folder that is also watched as the root.
    tree.link(
        tree.path("shared/skills/a/SKILL.md"),
        "shared/skills/a/self.md",
    );
    tree.link("../../notes.md", "shared/skills/a/notes.md");
    tree.write("other/file.md", text("linked", "One.", ""));
    tree.link("../../../other/file.md", "shared/skills/linked/SKILL.md");
    tree.link("../../nowhere", "shared/skills/later");
    let (source, listing) = watched(&tree, "root").await;
    assert_eq!(ids(&listing), ["a", "linked"]);
    tree.skill("shared/skills/b");
    let listing = until_ids(&source, listing, &["a", "b", "linked"]).await;
    tree.write("other/file.md", text("linked", "Two.", ""));
    let listing = until(&source, listing, |listing| {
        describes(listing, "linked", "Two.")
    })
    .await;
    tree.skill("nowhere");
    until_ids(&source, listing, &["a", "b", "nowhere", "linked"]).await;
}

#[tokio::test]
async fn a_changed_script_modifies_only_its_skill() {
    let tree = Tree::of(&["root/a", "root/b"]);
    tree.write("root/a/scripts/deep/run.sh", "echo one");
    tree.write("root/a/node_modules/x/index.js", "");
    let (source, listing) = watched(&tree, "root").await;
    let stamps = |listing: &Listing<Skill>| listing.iter().map(|row| row.stamp).collect::<Vec<_>>();
    let before = stamps(&listing);
    tree.write("root/a/scripts/deep/run.sh", "echo another");
    let listing = until(&source, listing, |listing| stamps(listing)[0] != before[0]).await;
    let edited = stamps(&listing);
    assert_eq!(edited[1], before[1]);
    tree.write("root/a/references/new/x.md", "new");
    let listing = until(&source, listing, |listing| stamps(listing)[0] != edited[0]).await;
    let added = stamps(&listing);
    tree.write("root/a/references/new/x.md", "and edited");
    until(&source, listing, |listing| stamps(listing)[0] != added[0]).await;
}

#[tokio::test]
async fn watched_broken_edits_retain_the_good_row() {
    let tree = Tree::of(&["root/live"]);
    let (source, listing) = watched(&tree, "root").await;
    tree.write(
        "root/live/SKILL.md",
        "---\nname: live\ndescription: No end fence\n",
    );
    let stale = |listing: &Listing<Skill>| {
        tree.complaints(listing)
            .iter()
            .any(|(_, code)| *code == Code::STALE)
    };
    let listing = until(&source, listing, stale).await;
    assert!(describes(&listing, "live", "Does a thing."));
    tree.write("root/live/SKILL.md", text("live", "Good again.", ""));
    let listing = until(&source, listing, |listing| {
        describes(listing, "live", "Good again.")
    })
    .await;
    assert_eq!(tree.complaints(&listing), []);
    fs::remove_dir_all(tree.path("root/live")).unwrap();
    until_ids(&source, listing, &[]).await;
}

#[tokio::test]
async fn a_storm_of_events_ends_consistent() {
    let tree = Tree::of(&["root/steady"]);
    let (source, mut listing) = watched(&tree, "root").await;
    for round in 0..40 {
        for skill in 0..25 {
            let description = format!("Round {round}.");
            tree.write(
                &format!("root/{}/s{skill}/SKILL.md", round % 3),
                text(&format!("s{skill}"), &description, ""),
            );
        }
        tokio::task::yield_now().await;
        if round % 5 == 4 {
            let _ = fs::remove_dir_all(tree.path("root/moved"));
            fs::rename(
                tree.path(&format!("root/{}", round % 3)),
                tree.path("root/moved"),
            )
            .unwrap();
            // A caller waits from time to time, and stops at some point.
            let _ = tokio::time::timeout(
                Duration::from_millis(round),
                source.changed(listing.revision()),
            )
            .await;
        }
    }
    tree.skill("root/the-end");
    listing = until(&source, listing, |listing| {
        ids(listing).contains(&"the-end")
    })
    .await;
    let (_, fresh) = watched(&tree, "root").await;
    let listing = until(&source, listing, |listing| {
        contents(listing) == contents(&fresh)
    })
    .await;
    assert_eq!(listing.diagnostics(), fresh.diagnostics());
}

#[tokio::test]
async fn a_root_replaced_repeatedly_ends_consistent() {
    let tree = Tree::of(&["root/one", "spare/two", "spare/shared"]);
    let (source, mut listing) = watched(&tree, "root").await;
    for round in 0..60 {
        fs::rename(tree.path("root"), tree.path("aside")).unwrap();
        fs::rename(tree.path("spare"), tree.path("root")).unwrap();
        fs::rename(tree.path("aside"), tree.path("spare")).unwrap();
        let _ = tokio::time::timeout(
            Duration::from_millis(round % 7),
            source.changed(listing.revision()),
        )
        .await;
        listing = list(&source).await;
    }
    listing = until_ids(&source, listing, &["one"]).await;
    tree.skill("root/last");
    until_ids(&source, listing, &["last", "one"]).await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_swapped_during_scans_never_leads_out() {
    let tree = Tree::of(&["root/steady", "root/inside/one", "out/secret"]);
    tree.link("inside", "root/link");
    let source = tree
        .source("root")
        .within(tree.path("root"))
        .watching(swift(WatchBy::Events));
    let mut listing = list(&source).await;
    let (link, spare) = (tree.path("root/link"), tree.path("root/.spare"));
    let swapping = std::thread::spawn(move || {
        for round in 0..400 {
            std::os::unix::fs::symlink(if round % 2 == 0 { "../out" } else { "inside" }, &spare)
                .unwrap();
            fs::rename(&spare, &link).unwrap();
        }
    });
    while !swapping.is_finished() {
        let _ = tokio::time::timeout(Duration::from_millis(5), source.changed(listing.revision()))
            .await;
        listing = list(&source).await;
        assert_eq!(ids(&listing), ["one", "steady"]);
    }
    swapping.join().unwrap();
    tree.skill("root/last");
    let listing = until_ids(&source, listing, &["one", "last", "steady"]).await;
    assert_eq!(tree.complaints(&listing), []);
}

#[cfg(unix)]
#[tokio::test]
async fn pipes_and_devices_hold_up_no_change() {
    let tree = Tree::of(&["root/tool"]);
    let (source, listing) = watched(&tree, "root").await;
    let pipe = |path: &str| {
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, tree.path(path), fifo, 0o644.into(), 0).unwrap();
    };
    pipe("root/tool/pipe");
    pipe("root/pipe");
    tree.link("/dev/zero", "root/tool/zero");
    let _socket = std::os::unix::net::UnixListener::bind(tree.path("root/tool/socket")).unwrap();
    tree.write("root/tool/SKILL.md", text("tool", "Second.", ""));
    let listing = until(&source, listing, |listing| {
        describes(listing, "tool", "Second.")
    })
    .await;
    assert_eq!(tree.complaints(&listing), []);
    fs::remove_file(tree.path("root/tool/SKILL.md")).unwrap();
    pipe("root/tool/SKILL.md");
    let is_reported = |listing: &Listing<Skill>| {
        tree.complaints(listing)
            .iter()
            .any(|(_, code)| *code == Code::NOT_A_FILE)
    };
    let listing = until(&source, listing, is_reported).await;
    fs::remove_file(tree.path("root/tool/SKILL.md")).unwrap();
    tree.write("root/tool/SKILL.md", text("tool", "Third.", ""));
    until(&source, listing, |listing| {
        describes(listing, "tool", "Third.")
    })
    .await;
}

#[tokio::test]
async fn deep_and_wide_trees_hold_up_no_change() {
    let tree = Tree::of(&["root/tool"]);
    let (source, listing) = watched(&tree, "root").await;
    let deep = "d/".repeat(500);
    tree.folder(&format!("root/tool/{deep}"));
    tree.folder(&format!("root/{deep}"));
    for folder in 0..500 {
        tree.folder(&format!("root/wide/{folder}"));
    }
    tree.write("root/tool/SKILL.md", text("tool", "Second.", ""));
    let listing = until(&source, listing, |listing| {
        describes(listing, "tool", "Second.")
    })
    .await;
    let is_reported = |listing: &Listing<Skill>| {
        tree.complaints(listing)
            .iter()
            .any(|(_, code)| *code == Code::WALK_TRUNCATED)
    };
    let listing = until(&source, listing, is_reported).await;
    fs::remove_dir_all(tree.path("root/d")).unwrap();
    fs::remove_dir_all(tree.path("root/tool/d")).unwrap();
    tree.skill("root/wide/499");
    let listing = until_ids(&source, listing, &["tool", "499"]).await;
    assert_eq!(tree.complaints(&listing), []);
}

#[cfg(unix)]
#[tokio::test]
async fn copies_with_unchanged_size_and_time_are_detected() {
    let tree = Tree::of(&["root/tool"]);
    let script = tree.write("root/tool/scripts/run.sh", "echo one");
    for by in [WatchBy::Events, WatchBy::Polling] {
        fs::write(&script, "echo one").unwrap();
        crate::tree::age(&script);
        let source = tree.source("root").watching(swift(by));
        source.changed(Revision(0)).await;
        let listing = list(&source).await;
        let listing = until(&source, listing, |listing| {
            listing.iter().all(|row| row.parts.is_some())
        })
        .await;
        let (before, modified) = (
            contents(&listing),
            script.metadata().unwrap().modified().unwrap(),
        );
        let mut file = fs::File::options().write(true).open(&script).unwrap();
        file.write_all(b"echo two").unwrap();
        file.set_modified(modified).unwrap();
        drop(file);
        until(&source, listing, |listing| contents(listing) != before).await;
    }
}

#[tokio::test]
async fn a_plugin_update_is_followed() {
    let tree = Tree::of(&[
        "cache/market/kit/1.9.0/skills/old",
        "cache/market/other/1.0/skills/steady",
    ]);
    let found = InstalledPlugins::find(&tree.path("cache"));
    let kit = found
        .plugins
        .iter()
        .find(|plugin| plugin.name == "kit")
        .unwrap();
    let options = InstalledPluginOptions::new(tree.path("cache"));
    let source = options.source(kit, "kit").watching(swift(WatchBy::Events));
    source.changed(Revision(0)).await;
    let listing = until_ids(&source, list(&source).await, &["old"]).await;
    assert_eq!(
        source.plugin_folder(),
        Some(tree.path("cache/market/kit/1.9.0"))
    );
    // As clients do it: the new version appears file by file, then the old one goes.
    tree.folder("cache/market/kit/1.10.0");
    tree.skill("cache/market/kit/1.10.0/skills/new");
    let listing = until_ids(&source, listing, &["new"]).await;
    assert_eq!(
        source.plugin_folder(),
        Some(tree.path("cache/market/kit/1.10.0"))
    );
    fs::remove_dir_all(tree.path("cache/market/kit/1.9.0")).unwrap();
    tree.skill("cache/market/kit/1.10.0/skills/newer");
    let listing = until_ids(&source, listing, &["new", "newer"]).await;
    // The record of the client counts more than the number.
    tree.skill("cache/market/kit/1.5.0/skills/pinned");
    tree.write(
        "installed_plugins.json",
        r#"{"version": 1, "plugins": {"kit@market": {"version": "1.5.0"}}}"#,
    );
    let listing = until_ids(&source, listing, &["pinned"]).await;
    fs::remove_dir_all(tree.path("cache/market/kit")).unwrap();
    let listing = until_ids(&source, listing, &[]).await;
    tree.skill("cache/market/kit/1.5.0/skills/again");
    until_ids(&source, listing, &["again"]).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_plugin_shows_nothing_outside_of_it() {
    let tree = Tree::of(&[
        "cache/evil/skills/own",
        "cache/good/skills/theirs",
        "private/secret",
    ]);
    tree.link("../../../private/secret", "cache/evil/skills/leak");
    tree.link("../../good/skills", "cache/evil/skills/others");
    tree.write("secret.json", "{\"name\": [\"hunter2\"]}");
    tree.link(
        "../../../secret.json",
        "cache/evil/.claude-plugin/plugin.json",
    );
    let found = InstalledPlugins::find(&tree.path("cache"));
    let codes: Vec<_> = found.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, [Code::LINK_LEADS_OUT]);
    assert!(
        !found.diagnostics[0].message.contains("hunter2"),
        "{:?}",
        found.diagnostics
    );
    let evil = found
        .plugins
        .iter()
        .find(|plugin| plugin.name == "evil")
        .unwrap();
    let listing = list(&InstalledPluginOptions::new(tree.path("cache")).source(evil, "evil")).await;
    assert_eq!(ids(&listing), ["own"]);
    let expected = ["cache/evil/skills/leak", "cache/evil/skills/others"];
    assert_eq!(
        tree.complaints(&listing),
        expected.map(|path| (path.to_owned(), Code::LINK_LEADS_OUT))
    );
}
