//! Content decides: a touch is not a change, and a broken file keeps its last row.

use std::fs::{File, read, remove_dir_all, write};
use std::sync::Arc;
use std::time::SystemTime;

use repertoire_core::{
    ChangedParts, ContentDigests, Digest, ListingEntry, Manifest, Resource, Severity, Skill,
};

use super::*;

impl Stage {
    fn row(&self, skill: &str) -> ListingEntry<Skill> {
        self.shown()
            .iter()
            .find(|row| row.item.id.as_str() == skill)
            .unwrap()
            .clone()
    }

    /// Writes a file.
    fn put_quietly(&self, path: &str, text: &str) {
        std::fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        write(self.path(path), text).unwrap();
    }

    /// Writes a file and dispatches its event.
    fn put(&self, path: &str, text: &str) {
        self.put_quietly(path, text);
        self.world.dispatch_at(Kind::Written, &self.path(path));
    }
}

/// A skill with a script, all of whose content is known.
async fn with_script() -> Stage {
    let stage = Stage::unarmed(&["a", "b"], usize::MAX);
    stage.put_quietly("a/scripts/run.sh", "echo one");
    stage.source.changed(Revision(0)).await;
    stage.until_hashed().await;
    stage
}

#[tokio::test(start_paused = true)]
async fn contents_are_hashed_later_and_published_once() {
    let skills: Vec<String> = (0..200).map(|number| format!("s{number}")).collect();
    let stage = Stage::unarmed(
        &skills.iter().map(String::as_str).collect::<Vec<_>>(),
        usize::MAX,
    );
    stage.put_quietly("s7/scripts/run.sh", "echo seven");
    stage.source.changed(Revision(0)).await;
    let first = stage.shown();
    assert!(
        first
            .iter()
            .all(|row| row.digest.is_none() && row.parts.is_none()),
        "it is not waited for"
    );
    stage.change().await;
    let shown = stage.shown();
    assert_eq!(shown.revision(), Revision(first.revision().0 + 1));
    for (old, new) in first.iter().zip(shown.iter()) {
        assert!(old.is_same(new) && Arc::ptr_eq(&old.item, &new.item));
        let file = read(stage.path(new.item.id.as_str()).join("SKILL.md")).unwrap();
        assert_eq!(new.digest, Some(Digest::of(&file)));
    }
    let script = Resource::new(
        "scripts/run.sh".parse().unwrap(),
        10,
        Digest::of(b"echo seven"),
    );
    let expected = ContentDigests::new("", &Manifest::new([script]).unwrap());
    assert_eq!(stage.row("s7").parts.as_deref(), Some(&expected));
    assert!(stage.is_quiet().await);
}

#[tokio::test(start_paused = true)]
async fn hashing_contents_survives_a_dropped_wait() {
    for polls in 1..24 {
        let stage = Stage::unarmed(&["a", "b"], usize::MAX);
        stage.source.changed(Revision(0)).await;
        {
            let mut changed = stage.source.changed(stage.shown().revision());
            for _ in 0..polls {
                if poll_fn(|context| Poll::Ready(changed.as_mut().poll(context).is_ready())).await {
                    break;
                }
                sleep(Duration::from_millis(1)).await;
            }
        }
        stage.until_hashed().await;
        stage.edit("a", "Second.");
        stage.change().await;
        assert_eq!(
            stage.rows(),
            rows(&[("a", "Second."), ("b", "First.")]),
            "given up after {polls} polls"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_touch_or_equal_rewrite_changes_nothing() {
    let stage = with_script().await;
    let before = stage.shown();
    let old = SystemTime::now() - Duration::from_secs(3600);
    File::options()
        .write(true)
        .open(stage.path("a/SKILL.md"))
        .unwrap()
        .set_modified(old)
        .unwrap();
    stage
        .world
        .dispatch_at(Kind::Written, &stage.path("a/SKILL.md"));
    assert!(stage.is_quiet().await);
    stage.edit("a", "First.");
    stage.put("a/scripts/run.sh", "echo one");
    assert!(stage.is_quiet().await);
    let after = stage.source.list().await.unwrap();
    assert_eq!(after, before);
    let row = stage.row("a");
    let body = stage.source.body(&row.item.id).await.unwrap();
    assert_eq!(
        (body.stamp, Some(body.digest)),
        (row.stamp, row.digest),
        "a body is that of its row"
    );
}

/// Writes a file in place and restores its time of modification, as `cp -p` does.
fn rewrite(path: &std::path::Path, text: &str) {
    let modified = path.metadata().unwrap().modified().unwrap();
    let mut file = File::options().write(true).open(path).unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    file.set_modified(modified).unwrap();
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn rewrites_with_unchanged_size_and_time_are_detected() {
    use std::os::unix::fs::PermissionsExt;

    let stage = with_script().await;
    let script = stage.path("a/scripts/run.sh");
    let before = stage.row("a");
    rewrite(&script, "echo two");
    stage.world.dispatch_at(Kind::Written, &script);
    stage.change().await;
    assert_eq!(
        before.changed_parts(&stage.row("a")),
        ChangedParts {
            resources: true,
            ..ChangedParts::default()
        }
    );
    // What moves the change time alone is none.
    let before = stage.shown();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    stage.world.dispatch_at(Kind::Written, &script);
    assert!(stage.is_quiet().await);
    std::fs::hard_link(&script, stage.path("../linked")).unwrap();
    rewrite(&script, "echo two");
    stage.world.dispatch_at(Kind::Written, &script);
    assert!(stage.is_quiet().await);
    assert_eq!(stage.shown(), before);
}

#[tokio::test(start_paused = true)]
async fn changed_parts_are_named_and_other_rows_stay() {
    let stage = with_script().await;
    let (other, nothing) = (stage.row("b"), ChangedParts::default());
    let check = async |expected: ChangedParts| {
        let before = stage.row("a");
        stage.change().await;
        assert_eq!(before.changed_parts(&stage.row("a")), expected);
        assert!(Arc::ptr_eq(&other.item, &stage.row("b").item));
        assert_eq!(other, stage.row("b"));
    };
    stage.put("a/scripts/run.sh", "echo two");
    check(ChangedParts {
        resources: true,
        ..nothing
    })
    .await;
    stage.put(
        "a/SKILL.md",
        "---\nname: a\ndescription: First.\n---\nDo it.\n",
    );
    check(ChangedParts {
        body: true,
        ..nothing
    })
    .await;
    stage.put(
        "a/SKILL.md",
        "---\nname: a\ndescription: Second.\n---\nDo it.\n",
    );
    check(ChangedParts {
        metadata: true,
        ..nothing
    })
    .await;
    stage.put(
        "a/SKILL.md",
        "---\nname: a\n# A remark.\ndescription: Second.\n---\nDo it.\n",
    );
    check(ChangedParts {
        metadata: true,
        ..nothing
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_file_truncated_and_repaired_changes_nothing() {
    let stage = Stage::new(&["a"]).await;
    let before = stage.shown();
    let text = read(stage.path("a/SKILL.md")).unwrap();
    for part in [0, text.len() / 2, text.len()] {
        write(stage.path("a/SKILL.md"), &text[..part]).unwrap();
        stage
            .world
            .dispatch_at(Kind::Written, &stage.path("a/SKILL.md"));
        let _ = timeout(DEBOUNCE / 2, stage.change()).await;
    }
    assert!(stage.is_quiet().await);
    assert_eq!(stage.shown(), before);
}

#[tokio::test(start_paused = true)]
async fn broken_files_retain_their_last_good_row() {
    let stage = Stage::new(&["a", "b"]).await;
    let (good, text) = (stage.row("a"), read(stage.path("a/SKILL.md")).unwrap());
    for broken in ["", "---\nname: a\n", "---\nname: a\n---\n"] {
        stage.put("a/SKILL.md", broken);
        stage.change().await;
        assert_eq!(stage.row("a"), good);
        assert!(
            stage.complaints().contains(&Code::STALE),
            "{:?}",
            stage.complaints()
        );
        assert_eq!(
            stage
                .shown()
                .diagnostics()
                .iter()
                .map(|found| found.severity)
                .max(),
            Some(Severity::Error)
        );
    }
    stage.put("a/SKILL.md", std::str::from_utf8(&text).unwrap());
    stage.change().await;
    assert_eq!(
        (stage.row("a"), stage.complaints()),
        (good, vec![]),
        "as if nothing had been"
    );
    stage.put("a/SKILL.md", "");
    stage.change().await;
    stage.edit("a", "Repaired.");
    stage.change().await;
    assert_eq!(
        (stage.rows(), stage.complaints()),
        (rows(&[("a", "Repaired."), ("b", "First.")]), vec![])
    );
    stage.put("a/SKILL.md", "");
    stage.change().await;
    remove_dir_all(stage.path("a")).unwrap();
    stage.world.dispatch_at(Kind::Gone, &stage.path("a"));
    stage.change().await;
    assert_eq!(
        (stage.rows(), stage.complaints()),
        (rows(&[("b", "First.")]), vec![])
    );
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn content_over_a_limit_stays_unknown() {
    let stage = Stage::unarmed(&["a", "b"], usize::MAX);
    let file = stage.path("a/SKILL.md");
    let text = std::fs::read_to_string(&file).unwrap();
    write(&file, [text.as_bytes(), b"\xff"].concat()).unwrap();
    stage.source.changed(Revision(0)).await;
    stage.change().await;
    assert_eq!(
        (stage.row("a").parts, stage.row("b").parts.is_some()),
        (None, true)
    );
    assert!(stage.is_quiet().await);
    write(&file, text).unwrap();
    stage.world.dispatch_at(Kind::Written, &file);
    stage.until_hashed().await;
    assert!(stage.is_quiet().await);
}

#[tokio::test(start_paused = true)]
async fn listings_after_a_notification_come_from_memory() {
    let stage = Stage::new(&["a", "b"]).await;
    let old = stage.shown();
    stage.edit("a", "Second.");
    stage.change().await;
    stage.write("b", "Nobody tells.");
    let listing = stage.source.list_since(old.revision()).await.unwrap();
    assert_eq!(listing, stage.shown(), "the other edit is not read");
    let listing = stage
        .source
        .list_since(stage.shown().revision())
        .await
        .unwrap();
    assert!(
        listing
            .iter()
            .any(|row| &*row.item.description == "Nobody tells."),
        "it is read"
    );
}
