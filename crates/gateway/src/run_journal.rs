//! The file of a run: one JSON row per line, on the disk before the run goes on.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{RunError, RunPlan, StepState};

/// A row of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "kebab-case")]
pub(crate) enum JournalRow {
    /// The plan, which is the first row.
    Plan { at: u64, plan: RunPlan },
    /// The step is about to run.
    Begin { at: u64, step: usize },
    /// The step has ended.
    End {
        at: u64,
        step: usize,
        #[serde(flatten)]
        state: StepState,
    },
    /// The step may run again.
    Retry { at: u64, step: usize },
}

/// The file of a run, locked until it is dropped.
#[derive(Debug)]
pub(crate) struct RunJournal {
    file: File,
    pub(crate) path: PathBuf,
    /// `true` if a row may be incomplete in the file.
    is_torn: bool,
}

impl RunJournal {
    /// Creates the first file of `NAME-1.jsonl`, `NAME-2.jsonl` … that does not exist. Returns it with the id of the run.
    pub(crate) fn create(folder: &Path, name: &str) -> Result<(RunJournal, String), RunError> {
        create_folder(folder).map_err(RunError::file(folder))?;
        let name = slug(name);
        for number in 1_u64.. {
            let id = format!("{name}-{number}");
            let path = run_path(folder, &id);
            match options().create_new(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                opened => {
                    let file = opened.map_err(RunError::file(&path))?;
                    let journal = RunJournal::lock(file, path, &id)?;
                    return Ok((journal, id));
                }
            }
        }
        unreachable!("a folder has fewer files than numbers")
    }

    /// Opens the run `id`, with its rows. An incomplete last row, which a crash left, is removed.
    pub(crate) fn open(folder: &Path, id: &str) -> Result<(RunJournal, Vec<JournalRow>), RunError> {
        let path = run_path(folder, id);
        if id != slug(id) {
            return Err(RunError::UnknownRun(id.into()));
        }
        let file = match options().open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(RunError::UnknownRun(id.into()));
            }
            opened => opened.map_err(RunError::file(&path))?,
        };
        let mut journal = RunJournal::lock(file, path, id)?;
        let rows = journal.read()?;
        Ok((journal, rows))
    }

    fn lock(file: File, path: PathBuf, id: &str) -> Result<RunJournal, RunError> {
        match file.try_lock() {
            Ok(()) => Ok(RunJournal {
                file,
                path,
                is_torn: false,
            }),
            Err(TryLockError::WouldBlock) => Err(RunError::Busy(id.into())),
            Err(TryLockError::Error(source)) => Err(RunError::File { path, source }),
        }
    }

    fn read(&mut self) -> Result<Vec<JournalRow>, RunError> {
        let mut text = Vec::new();
        let read = self.file.read_to_end(&mut text);
        read.map_err(RunError::file(&self.path))?;
        let end = text.iter().rposition(|byte| *byte == b'\n');
        let complete = end.map_or(0, |end| end + 1);
        if complete < text.len() {
            let cut = self.file.set_len(complete as u64);
            cut.and_then(|()| self.file.sync_all())
                .map_err(RunError::file(&self.path))?;
        }
        let lines = text[..complete].split_inclusive(|byte| *byte == b'\n');
        let rows = (1..).zip(lines).map(|(line, text)| {
            serde_json::from_slice(text).map_err(|_| RunError::Damaged {
                path: self.path.clone(),
                line,
            })
        });
        rows.collect()
    }

    /// Appends a row, and returns when it is on the disk.
    pub(crate) fn append(&mut self, row: &JournalRow) -> Result<(), RunError> {
        let line = serde_json::to_string(row).expect("rows have text keys") + "\n";
        let written = match self.is_torn {
            true => Err(io::Error::other("an earlier row could not be written")),
            false => {
                let written = self.file.write_all(line.as_bytes());
                written.and_then(|()| self.file.sync_data())
            }
        };
        self.is_torn = written.is_err();
        written.map_err(RunError::file(&self.path))
    }
}

/// Returns the text with nothing but lower-case letters, digits and single hyphens between them.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => slug.push(c),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    match slug.trim_end_matches('-') {
        "" => "run".to_owned(),
        slug => slug.to_owned(),
    }
}

fn run_path(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.jsonl"))
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates the folder for its owner.
fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes the entries of a folder to the disk.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    // Windows opens no folders as files.
    if cfg!(windows) || folder.as_os_str().is_empty() {
        return Ok(());
    }
    File::open(folder)?.sync_all()
}
