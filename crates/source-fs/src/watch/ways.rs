//! Through which folders a path leads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How many links one path may lead through; the kernel allows as many.
const LINKS: usize = 40;

/// Everything on the way to `path`, itself included, by every link that is followed: a change to one of these may make
/// `path` lead elsewhere. Whether they exist does not matter.
pub(crate) fn to(path: &Path, steps: &mut BTreeSet<PathBuf>) {
    let mut open = vec![path.to_owned()];
    let mut links = 0;
    while let Some(path) = open.pop() {
        for step in path.ancestors().filter(|step| !step.as_os_str().is_empty()) {
            // What is above was looked at together with it.
            if !steps.insert(step.to_owned()) {
                break;
            }
            if links < LINKS
                && let Ok(target) = step.read_link()
            {
                links += 1;
                open.push(step.parent().map_or_else(|| target.clone(), |parent| parent.join(&target)));
            }
        }
    }
}
