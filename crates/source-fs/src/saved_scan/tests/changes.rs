//! Random changes of a tree between the listings of different processes.

use std::fs::{self, File};
use std::path::Path;

use super::*;
use crate::stamp::FileStamp;

/// A change of a tree of four skills.
#[derive(Debug, Clone)]
enum Change {
    /// The file gets a different text of the same length, and its old modification time.
    Restore(usize),
    Write(usize, u8),
    Break(usize),
    Remove(usize),
    /// A file beside `SKILL.md`, such as a different spelling of it.
    Add(usize, &'static str),
    /// The folders of two skills change places.
    Swap(usize, usize),
    #[cfg(unix)]
    Link(usize, usize),
    #[cfg(unix)]
    Mode(usize, u32),
}

fn change() -> impl Strategy<Value = Change> {
    let skill = || 0..4_usize;
    let names = prop::sample::select(vec!["skill.md", "Skill.md", "notes.md"]);
    let common = prop_oneof![
        skill().prop_map(Change::Restore),
        (skill(), 0..3_u8).prop_map(|(skill, text)| Change::Write(skill, text)),
        skill().prop_map(Change::Break),
        skill().prop_map(Change::Remove),
        (skill(), names).prop_map(|(skill, name)| Change::Add(skill, name)),
        (skill(), skill()).prop_map(|(a, b)| Change::Swap(a, b)),
    ];
    #[cfg(unix)]
    let common = prop_oneof![
        6 => common,
        1 => (skill(), skill()).prop_map(|(a, b)| Change::Link(a, b)),
        2 => (skill(), prop::sample::select(vec![0o755, 0o777])).prop_map(|(a, mode)| Change::Mode(a, mode)),
    ];
    common
}

/// Repeats `step` until what is at `path` has a new version, as it has for changes that are a tick of the clock apart.
fn until_new(path: &Path, step: impl Fn()) {
    let before = version(path);
    loop {
        step();
        if before.is_none() || version(path) != before {
            return;
        }
    }
}

fn version(path: &Path) -> Option<FileStamp> {
    let metadata = path.metadata().ok()?;
    Some(FileStamp::of(path, &metadata))
}

impl Change {
    fn make(&self, world: &TestEnv) {
        match *self {
            Change::Restore(skill) => {
                let path = world.skill(skill);
                let Ok(text) = fs::read_to_string(&path) else {
                    return;
                };
                let modified = path.metadata().unwrap().modified().unwrap();
                let text = if text.contains("Sorts") {
                    text.replace("Sorts", "Ports")
                } else {
                    text.replace("Ports", "Sorts")
                };
                until_new(&path, || {
                    fs::write(&path, &text).unwrap();
                    let file = File::options().write(true).open(&path).unwrap();
                    file.set_modified(modified).unwrap();
                });
            }
            Change::Write(skill, text) => until_new(&world.skill(skill), || {
                let texts = ["Sorts a folder.", "Ports a folder.", "[a, b]"];
                // A link may lead to a skill that is gone.
                if world.skill(skill).is_symlink() {
                    fs::remove_file(world.skill(skill)).unwrap();
                }
                world.write(skill, texts[usize::from(text)]);
            }),
            Change::Break(skill) if world.skill(skill).exists() => {
                until_new(&world.skill(skill), || {
                    fs::write(world.skill(skill), "no front matter").unwrap();
                });
            }
            Change::Remove(skill) => {
                let _ = fs::remove_dir_all(world.skill(skill).parent().unwrap());
            }
            Change::Add(skill, name) if world.skill(skill).exists() => {
                let folder = world.skill(skill).parent().unwrap().to_owned();
                until_new(&folder, || {
                    let _ = fs::remove_file(folder.join(name));
                    fs::write(folder.join(name), "---\nname: other\n---\n").unwrap();
                });
            }
            Change::Swap(a, b) => {
                let [a, b] = [a, b].map(|skill| world.skill(skill).parent().unwrap().to_owned());
                let aside = world.folder.path().join("aside");
                let _ = fs::rename(&a, &aside);
                let _ = fs::rename(&b, &a);
                let _ = fs::rename(&aside, &b);
            }
            #[cfg(unix)]
            Change::Link(from, to) if world.skill(from).exists() && from != to => {
                fs::remove_file(world.skill(from)).unwrap();
                std::os::unix::fs::symlink(world.skill(to), world.skill(from)).unwrap();
            }
            #[cfg(unix)]
            Change::Mode(skill, mode) if world.skill(skill).exists() => {
                use std::os::unix::fs::PermissionsExt;

                let folder = world.skill(skill).parent().unwrap().to_owned();
                until_new(&folder, || {
                    fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
                });
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Each step is a new process, whose clock is some seconds ahead of the system's, or was set back.
    #[test]
    fn saved_scans_change_no_listing(steps in prop::collection::vec((prop::collection::vec(change(), 0..3), 0..4_u64), 1..10)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let world = TestEnv::of(4);
        for (changes, clock) in steps {
            changes.iter().for_each(|change| change.make(&world));
            let saving = runtime.block_on(list(&world.source(Duration::from_secs(clock * 5))));
            prop_assert_eq!(saving, runtime.block_on(list(&world.plain())));
        }
    }
}
