//! Tests that need the kernel: its limits, and mounts. Each test starts itself once more in namespaces of its own, where
//! that is allowed, and says so where it is not.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![cfg(target_os = "linux")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs, io};

use repertoire_core::{Code, Diagnostic, Listing, Revision, Skill, Source};
use repertoire_source_fs::{FsSource, WatchBy, WatchOptions};
use tempfile::TempDir;

/// When a change counts as lost. A guard, not a measure.
const LOST: Duration = Duration::from_secs(30);

/// Set for the child.
const INSIDE: &str = "REPERTOIRE_TEST_IN_NAMESPACE";

/// Runs `body` in a child that has the namespaces of `unshare` with `flags`, if `what` can be done in them. `test` is the
/// name of the test.
fn inside(test: &str, flags: &str, what: &str, body: impl AsyncFnOnce()) {
    if env::var_os(INSIDE).is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        return runtime.block_on(body());
    }
    let allowed = Command::new("unshare")
        .args([flags, "sh", "-c", what])
        .output();
    let refusal = match &allowed {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(refusal) = refusal {
        // Not by a macro, whose output is only shown of tests that fail.
        let warning = format!(
            "NOT TESTED: `{test}` needs `unshare {flags} sh -c '{what}'`, which fails here: {refusal}\n"
        );
        return io::stderr().write_all(warning.as_bytes()).unwrap();
    }
    let itself = env::current_exe().unwrap();
    let mut child = Command::new("unshare");
    child
        .arg(flags)
        .arg(itself)
        .args([test, "--exact", "--nocapture"])
        .env(INSIDE, "1");
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        said.contains("1 passed"),
        "the child should have run the test: {said}"
    );
}

/// Folders and a source that watches the one called `root`.
struct Scene {
    folder: TempDir,
    source: FsSource,
    listing: Listing<Skill>,
}

impl Scene {
    async fn new(skills: impl IntoIterator<Item = String>, poll: Duration) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let mut options = WatchOptions::default();
        (options.by, options.debounce, options.poll) =
            (WatchBy::Events, Duration::from_millis(10), poll);
        let source = FsSource::new("test", folder.path().join("root")).watching(options);
        let listing = Listing::new(Revision(0), [], []);
        let mut scene = Scene {
            folder,
            source,
            listing,
        };
        skills
            .into_iter()
            .for_each(|skill| scene.write(&format!("root/{skill}"), "First."));
        scene.until(|_| true).await;
        scene
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, folder: &str, description: &str) {
        let folder = self.path(folder);
        fs::create_dir_all(&folder).unwrap();
        let name = folder.file_name().unwrap().to_str().unwrap();
        fs::write(
            folder.join("SKILL.md"),
            format!("---\nname: {name}\ndescription: {description}\n---\n"),
        )
        .unwrap();
    }

    /// Waits for a listing of which `condition` holds, and does not look otherwise.
    async fn until(&mut self, condition: impl Fn(&Scene) -> bool) {
        let waiting = async {
            loop {
                self.source.changed(self.listing.revision()).await;
                self.listing = self.source.list().await.unwrap();
                if condition(self) {
                    return;
                }
            }
        };
        if tokio::time::timeout(LOST, waiting).await.is_err() {
            panic!(
                "a change is lost: {:?}, {:?}",
                self.rows(),
                self.listing.diagnostics()
            );
        }
    }

    fn rows(&self) -> Vec<(String, String)> {
        self.listing
            .iter()
            .map(|row| (row.item.id.to_string(), row.item.description.to_string()))
            .collect()
    }

    fn is(&self, expected: &[(&str, &str)]) -> bool {
        let rows = self.rows();
        rows.iter()
            .map(|(id, description)| (id.as_str(), description.as_str()))
            .eq(expected.iter().copied())
    }

    fn degraded(&self) -> Option<&Diagnostic> {
        self.listing
            .diagnostics()
            .iter()
            .find(|found| found.code == Code::WATCH_DEGRADED)
    }

    /// Edits every listed skill, and waits until all edits are seen.
    async fn edit_all(&mut self, description: &str) {
        for (id, _) in self.rows() {
            self.write(&format!("root/{id}"), description);
        }
        self.until(|scene| scene.rows().iter().all(|(_, seen)| seen == description))
            .await;
    }

    /// Returns the number of folders to watch: those above the root, the root, and the skills.
    fn wanted(&self) -> usize {
        self.path("root").ancestors().count() + self.listing.len()
    }
}

fn set(limit: &str, value: usize) {
    fs::write(Path::new("/proc/sys/user").join(limit), value.to_string()).unwrap();
}

#[test]
fn beyond_the_limit_of_watches_nothing_is_lost() {
    let what = "echo 20 > /proc/sys/user/max_inotify_watches";
    inside(
        "beyond_the_limit_of_watches_nothing_is_lost",
        "-Ur",
        what,
        async || {
            set("max_inotify_watches", 20);
            let mut scene = Scene::new(
                (0..40).map(|skill| format!("s{skill}")),
                Duration::from_millis(20),
            )
            .await;
            let degraded = scene.degraded().expect("not all folders can be watched");
            let refused = scene.wanted() - 20;
            assert_eq!(
                &*degraded.message,
                format!(
                    "{refused} folders cannot be watched: the system's limit of watches is reached, \
                 `user.max_inotify_watches` = 20"
                )
            );
            assert_eq!(
                degraded.help.as_deref(),
                Some(
                    "nothing is lost: everything is looked at every 20ms until it can be watched; raise \
                 `user.max_inotify_watches` to be notified of changes immediately"
                )
            );
            scene.edit_all("Polled.").await;
            scene.write("root/new", "Polled.");
            scene.until(|scene| scene.listing.len() == 41).await;

            set("max_inotify_watches", scene.wanted() + 2);
            scene.until(|scene| scene.degraded().is_none()).await;
            scene.edit_all("Told.").await;

            for skill in 0..5 {
                scene.write(&format!("root/more/m{skill}"), "Too many.");
            }
            scene
                .until(|scene| scene.degraded().is_some() && scene.listing.len() == 46)
                .await;
            fs::remove_dir_all(scene.path("root/more")).unwrap();
            scene
                .until(|scene| scene.degraded().is_none() && scene.listing.len() == 41)
                .await;
            scene.edit_all("Told again.").await;
        },
    );
}

#[test]
fn beyond_the_limit_of_watchers_nothing_is_lost() {
    let what = "echo 0 > /proc/sys/user/max_inotify_instances";
    inside(
        "beyond_the_limit_of_watchers_nothing_is_lost",
        "-Ur",
        what,
        async || {
            set("max_inotify_instances", 0);
            let mut scene = Scene::new(["a".into(), "b".into()], Duration::from_millis(20)).await;
            let degraded = scene.degraded().expect("nothing can be watched");
            assert_eq!(
                &*degraded.message,
                "folders cannot be watched: the system's limit of watchers is reached, `user.max_inotify_instances` = 0"
            );
            scene.edit_all("Polled.").await;
            set("max_inotify_instances", 1);
            scene.until(|scene| scene.degraded().is_none()).await;
            scene.edit_all("Told.").await;
        },
    );
}

#[test]
fn a_mount_over_a_folder_is_seen() {
    let test = "a_mount_over_a_folder_is_seen";
    inside(test, "-Urm", "mount -t tmpfs none /", async || {
        // It does not poll: it needs an event.
        let mut scene = Scene::new(["a".into()], Duration::from_secs(3_600)).await;
        let root = scene.path("root");
        mount(&["-t", "tmpfs", "none"], &root);
        scene.until(|scene| scene.is(&[])).await;
        scene.write("root/b", "Mounted.");
        scene.until(|scene| scene.is(&[("b", "Mounted.")])).await;
        scene.write("root/b", "Edited.");
        scene.until(|scene| scene.is(&[("b", "Edited.")])).await;
        unmount(&root);
        scene.until(|scene| scene.is(&[("a", "First.")])).await;
        scene.write("root/a", "Edited.");
        scene.until(|scene| scene.is(&[("a", "Edited.")])).await;

        // A folder of the same file system in the place of a skill.
        scene.write("elsewhere", "Bound.");
        let elsewhere = scene.path("elsewhere");
        mount(&["--bind", elsewhere.to_str().unwrap()], &root.join("a"));
        scene
            .until(|scene| scene.is(&[("elsewhere", "Bound.")]))
            .await;
        scene.write("elsewhere", "Edited where it is.");
        scene
            .until(|scene| scene.is(&[("elsewhere", "Edited where it is.")]))
            .await;
        unmount(&root.join("a"));
        scene.until(|scene| scene.is(&[("a", "Edited.")])).await;

        // Something above the root.
        let above = scene.folder.path().to_owned();
        mount(&["-t", "tmpfs", "none"], &above);
        scene.until(|scene| scene.is(&[])).await;
        scene.write("root/c", "In a new root.");
        scene
            .until(|scene| scene.is(&[("c", "In a new root.")]))
            .await;
        unmount(&above);
        scene.until(|scene| scene.is(&[("a", "Edited.")])).await;
    });
}

fn mount(what: &[&str], at: &Path) {
    run(Command::new("mount").args(what).arg(at));
}

/// At once, also while the file system is being read.
fn unmount(at: &Path) {
    run(Command::new("umount").arg("-l").arg(at));
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
