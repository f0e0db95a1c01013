//! The last scene: skills that change while they are watched.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::running::RunningCommand;
use crate::Failure;

const FIRST: &str =
    "---\nname: greet\ndescription: Greets people. Use at the beginning.\n---\nSay hello.\n";
const EDITED: &str =
    "---\nname: greet\ndescription: Greets people warmly. Use at the beginning.\n---\nSay hello.\n";
const BROKEN: &str = "---\nname: greet\n---\nSay hello.\n";

/// The heading of an edit, the new text, and the last line that `watch` prints for it.
const ACTS: [(&str, &str, &str); 3] = [
    ("edit the description", EDITED, "~ greet (metadata"),
    (
        "remove the description: the last valid version stays active",
        BROKEN,
        "--> skills/greet/SKILL.md",
    ),
    ("repair the file", EDITED, "resolved: warning[stale]"),
];

/// Watches a skill that is edited, broken and repaired; fails if `watch` does not print one of the changes.
pub(super) fn show(out: &mut impl Write) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    let file = root.join("skills/greet/SKILL.md");
    fs::create_dir_all(file.parent().unwrap_or(&root))?;
    fs::write(&file, FIRST)?;
    writeln!(
        out,
        "\n## Watch a skill while it is edited\n\n$ repertoire watch skills"
    )?;
    RunningCommand::during(&root, &["repertoire", "watch", "skills"], |watch| {
        acts(watch, &file, out)
    })
}

fn acts(watch: &RunningCommand<'_>, file: &Path, out: &mut impl Write) -> Result<(), Failure> {
    watch.copy_until("note: watching 1 skill", out)?;
    for (what, text, last) in ACTS {
        writeln!(out, "# {what}")?;
        fs::write(file, text)?;
        watch.copy_until(last, out)?;
    }
    Ok(())
}
