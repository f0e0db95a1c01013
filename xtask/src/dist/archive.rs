//! The archive of the program, its licences, its completions and its manual.

use std::fs::{self, File};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use super::Release;
use crate::{Failure, command_line, workspace};

/// Writes the archive. The same inputs give the same bytes: no time, no owner.
pub(super) fn write(release: &Release) -> Result<(), Failure> {
    let file = File::create(release.folder.join(format!("{}.tar.gz", release.stem())))?;
    let mut archive = Builder::new(GzEncoder::new(file, Compression::best()));
    let folder = release.stem();
    let program = release.program();
    add(
        &mut archive,
        &folder,
        &super::shown(&program),
        &fs::read(&program)?,
        0o755,
    )?;
    for name in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"] {
        add(
            &mut archive,
            &folder,
            name,
            &fs::read(workspace::root().join(name))?,
            0o644,
        )?;
    }
    for (name, text) in command_line::files()? {
        add(&mut archive, &folder, &name, text.as_bytes(), 0o644)?;
    }
    archive.into_inner()?.finish()?.sync_all()?;
    Ok(())
}

fn add(
    archive: &mut Builder<GzEncoder<File>>,
    folder: &str,
    name: &str,
    bytes: &[u8],
    mode: u32,
) -> Result<(), Failure> {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(bytes.len() as u64);
    header.set_mode(mode);
    archive.append_data(&mut header, Path::new(folder).join(name), bytes)?;
    Ok(())
}
