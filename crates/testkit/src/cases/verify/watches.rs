//! What watching costs.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::cases::fixture::Fixture;
use crate::cases::verdict::Verdict;
use crate::cases::world::World;

/// Counts the watches of the registry, once it has shown that it watches.
pub(super) fn at_most(limit: usize, world: &World) -> Verdict {
    if let Err(error) = world.probe() {
        return Verdict::fails("a registry that watches", error);
    }
    match count(world.fixture()) {
        Ok(0) => Verdict::fails("a folder that is watched", "none"),
        Ok(count) => Verdict::of(count <= limit, format_args!("at most {limit} watches"), count),
        Err(error) => Verdict::fails("a count of watches", error),
    }
}

/// The watches in the copy and on the way to it. Somebody else in this process may watch elsewhere, or the same way.
fn count(copy: &Fixture) -> io::Result<usize> {
    let inode = |path: &Path| Some(fs::metadata(path).ok()?.ino());
    let inside: BTreeSet<u64> = copy.everything().iter().filter_map(|path| inode(path)).collect();
    let above: BTreeSet<u64> = copy.path().ancestors().filter_map(inode).collect();
    let mut count = 0;
    for descriptor in fs::read_dir("/proc/self/fdinfo")? {
        // One that was closed meanwhile watches nothing.
        let text = fs::read_to_string(descriptor?.path()).unwrap_or_default();
        let watched: Vec<_> = text.lines().filter_map(watched).collect();
        if watched.iter().any(|inode| inside.contains(inode)) {
            count += watched.iter().filter(|&inode| inside.contains(inode) || above.contains(inode)).count();
        }
    }
    Ok(count)
}

/// The inode in `inotify wd:1 ino:2a sdev:…`.
fn watched(line: &str) -> Option<u64> {
    let mut words = line.strip_prefix("inotify ")?.split(' ');
    u64::from_str_radix(words.find_map(|word| word.strip_prefix("ino:"))?, 16).ok()
}
