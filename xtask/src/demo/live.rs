//! The last scene: skills that change while they are watched.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use repertoire_cli::{Environment, Exit, Signal, Stream};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::Failure;

/// The time limit for one line, far longer than any change takes.
const TIMEOUT: Duration = Duration::from_secs(60);

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

    let (sender, lines) = mpsc::channel();
    let (signal, signals) = unbounded_channel();
    thread::scope(|scope| {
        let watching = scope.spawn(|| watch(&root, sender, signals));
        let printed = print(&lines, &file, out);
        // Also after a failure, so that no thread waits forever.
        let _ = signal.send(Signal::Stop);
        printed?;
        match watching.join() {
            Ok(Exit::Success) => Ok(()),
            Ok(exit) => Err(format!(
                "`repertoire watch`: expected {:?}, found {exit:?}",
                Exit::Success
            )
            .into()),
            Err(_) => Err("`repertoire watch` panicked".into()),
        }
    })
}

fn print(lines: &Receiver<String>, file: &Path, out: &mut impl Write) -> Result<(), Failure> {
    copy_until("note: watching 1 skill", lines, out)?;
    for (what, text, last) in ACTS {
        writeln!(out, "# {what}")?;
        fs::write(file, text)?;
        copy_until(last, lines, out)?;
    }
    Ok(())
}

/// Copies lines up to the first with this prefix.
fn copy_until(start: &str, lines: &Receiver<String>, out: &mut impl Write) -> Result<(), Failure> {
    loop {
        let line = lines
            .recv_timeout(TIMEOUT)
            .map_err(|_| format!("`repertoire watch` did not print `{start}`"))?;
        writeln!(out, "{line}")?;
        if line.starts_with(start) {
            return Ok(());
        }
    }
}

/// Runs the command, and sends its output line by line.
fn watch(root: &Path, lines: Sender<String>, signals: UnboundedReceiver<Signal>) -> Exit {
    let (stdout, stderr) = (Stream::lines(lines.clone()), Stream::lines(lines));
    let environment = Environment::new(root)
        .stdout(stdout)
        .stderr(stderr)
        .signals(signals);
    repertoire_cli::run(["repertoire", "watch", "skills"], environment)
}
