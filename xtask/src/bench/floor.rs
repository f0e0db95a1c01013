//! The floor of every loader: reading the same folders and files without parsing.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Opens the `SKILL.md` of every folder in `skills`, reads 4 KiB and closes it. Returns how many there are.
pub(super) fn read(skills: &Path) -> io::Result<usize> {
    let mut buffer = [0; 4096];
    let mut count = 0;
    for entry in skills.read_dir()? {
        head(&entry?.path().join("SKILL.md"), &mut buffer)?;
        count += 1;
    }
    Ok(count)
}

/// The same, read by 32 threads: a disk is asked for many files at a time.
pub(super) fn read_by_many(skills: &Path) -> io::Result<usize> {
    let files = skills
        .read_dir()?
        .map(|entry| Ok(entry?.path().join("SKILL.md")));
    let files = files.collect::<io::Result<Vec<PathBuf>>>()?;
    let next = AtomicUsize::new(0);
    let reader = || -> io::Result<()> {
        let mut buffer = [0; 4096];
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            head(file, &mut buffer)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..32).map(|_| scope.spawn(reader)).collect();
        readers
            .into_iter()
            .try_for_each(|reader| reader.join().expect("a reader does not panic"))
    })?;
    Ok(files.len())
}

/// Asks for the version of the `SKILL.md` of every folder in `skills`.
pub(super) fn stat(skills: &Path) -> io::Result<usize> {
    let mut count = 0;
    for entry in skills.read_dir()? {
        fs::metadata(entry?.path().join("SKILL.md"))?;
        count += 1;
    }
    Ok(count)
}

/// Reads every folder at and below `folder`, and 4 KiB of every `SKILL.md`.
pub(super) fn walk(folder: &Path) -> io::Result<usize> {
    let mut buffer = [0; 4096];
    let mut count = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir()? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if entry.file_name() == "SKILL.md" {
                head(&entry.path(), &mut buffer)?;
                count += 1;
            }
        }
    }
    Ok(count)
}

fn head(path: &Path, buffer: &mut [u8]) -> io::Result<()> {
    let read = File::open(path)?.read(buffer)?;
    std::hint::black_box(&buffer[..read]);
    Ok(())
}
