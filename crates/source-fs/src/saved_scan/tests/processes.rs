//! Processes that end while they save, and several at once.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_listings_at_once_are_equal() {
    let world = TestEnv::of(40);
    let expected = list(&world.plain()).await;
    for _ in 0..5 {
        let sources: Vec<_> = (0..8).map(|_| world.source(LATER)).collect();
        let tasks: Vec<_> = sources
            .into_iter()
            .map(|source| tokio::spawn(async move { list(&source).await }))
            .collect();
        for task in tasks {
            assert_eq!(task.await.unwrap(), expected);
        }
        fs::remove_file(world.scan()).unwrap();
    }
}

/// Other processes of this test program.
#[cfg(target_os = "linux")]
mod slow {
    use std::env;
    use std::process::{Child, Command, Stdio};

    use super::*;

    const FOLDER: &str = "REPERTOIRE_TEST_FOLDER";

    /// The command line of this program that runs only `test`, on the skills of `world`.
    fn child(test: &str, world: &TestEnv, shell: &str) -> Child {
        Command::new("sh")
            .args(["-c", shell])
            .arg(env::current_exe().unwrap())
            .args(["--ignored", "--exact"])
            .arg(format!("saved_scan::tests::processes::slow::{test}"))
            .env(FOLDER, world.folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// The source of a child over the world of its parent.
    fn source_in_child() -> FsSource {
        let folder = PathBuf::from(env::var_os(FOLDER).unwrap());
        let store = ScanStore::new(folder.join("cache/scans"), "test".to_owned()).ahead(LATER);
        FsSource::new("test", folder.join("skills")).saved_by(store)
    }

    #[tokio::test]
    #[ignore = "a child of the next test"]
    async fn saves_until_it_is_killed() {
        let scans = PathBuf::from(env::var_os(FOLDER).unwrap()).join("cache/scans");
        loop {
            assert_eq!(source_in_child().list().await.unwrap().len(), 300);
            crate::remove_saved_scans(&scans).unwrap();
        }
    }

    #[tokio::test]
    async fn a_killed_process_leaves_no_wrong_scan() {
        let world = TestEnv::of(300);
        let expected = list(&world.plain()).await;
        for _ in 0..20 {
            let mut child = child("saves_until_it_is_killed", &world, "exec \"$0\" \"$@\"");
            // It ends while it writes, or shortly after that.
            while !world.saved().exists() || fs::read_dir(world.saved()).unwrap().count() == 0 {
                assert_eq!(child.try_wait().unwrap(), None);
            }
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(list(&world.source(LATER)).await, expected);
            fs::remove_dir_all(world.saved()).unwrap();
        }
    }

    #[tokio::test]
    #[ignore = "a child of the next test"]
    async fn lists_without_room_for_a_scan() {
        let source = source_in_child();
        assert_eq!(source.list().await.unwrap().len(), 300);
        let fault = source.saved_scan_fault().unwrap();
        assert!(fault.contains(" is not written: "), "{fault}");
    }

    #[tokio::test]
    async fn a_full_disk_leaves_no_part() {
        let world = TestEnv::of(300);
        // A limit on the size of a file fails a write as a full disk does.
        let shell = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
        let mut child = child("lists_without_room_for_a_scan", &world, shell);
        assert!(child.wait().unwrap().success());
        assert_eq!(fs::read_dir(world.saved()).unwrap().count(), 0);
    }
}
