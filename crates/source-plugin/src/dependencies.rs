//! The libraries that the system loads together with a plugin.

#[cfg(unix)]
use std::fs;
use std::path::{Path, PathBuf};

use object::elf::{
    self, DT_AUDIT, DT_AUXILIARY, DT_DEPAUDIT, DT_FILTER, DT_NEEDED, DT_NULL, DT_RPATH, DT_RUNPATH,
    DT_STRSZ, DT_STRTAB,
};
use object::read::elf::{Dyn, ElfFile, FileHeader, ProgramHeader};
use object::read::macho::{LoadCommandVariant, MachHeader, MachOFile};
use object::{Endianness, Object};

/// The dependencies in the file of a library.
#[derive(Debug, Default)]
pub(crate) struct LibraryDependencies {
    pub(crate) needed: Vec<String>,
    /// The folders that are searched before those of the system.
    pub(crate) run_path: Vec<String>,
}

impl LibraryDependencies {
    pub(crate) fn new(object: &object::File<'_>) -> object::Result<LibraryDependencies> {
        let mut found = match object {
            object::File::Elf32(file) => elf(file)?,
            object::File::Elf64(file) => elf(file)?,
            object::File::MachO32(file) => mach_o(file)?,
            object::File::MachO64(file) => mach_o(file)?,
            _ => LibraryDependencies::default(),
        };
        if object.format() != object::BinaryFormat::Elf {
            let libraries = object.import_libraries()?;
            for library in libraries {
                found.needed.push(text(library?.name()));
            }
        }
        Ok(found)
    }

    /// Returns the first dependency that another user could replace, or that is relative to the working folder.
    pub(crate) fn fault(&self) -> Option<String> {
        let named = self.needed.iter().find_map(|library| {
            let is_bare = !library.is_empty() && !library.contains(['/', '\\', '$', '@']);
            (!is_bare)
                .then(|| fault_of(library))
                .flatten()
                .map(|fault| format!("it needs `{library}`: {fault}"))
        });
        named.or_else(|| {
            self.run_path
                .iter()
                .find_map(|folder| self.folder_fault(folder))
        })
    }

    fn folder_fault(&self, folder: &str) -> Option<String> {
        let names = self
            .needed
            .iter()
            .filter(|library| !library.contains(['/', '\\']));
        let mut places =
            std::iter::once(folder.to_owned()).chain(names.map(|name| format!("{folder}/{name}")));
        let fault = places.find_map(|place| fault_of(&place))?;
        Some(format!("it looks for libraries in `{folder}`: {fault}"))
    }
}

/// The spellings of the library's own folder. A private copy has no other file beside it.
const OWN_FOLDER: [&str; 4] = ["$ORIGIN", "${ORIGIN}", "@loader_path", "@rpath"];

fn fault_of(place: &str) -> Option<String> {
    let is_own = OWN_FOLDER.iter().any(|own| {
        place == *own
            || place
                .strip_prefix(own)
                .is_some_and(|rest| rest.starts_with('/'))
    });
    if place.split('/').any(|part| part == "..") {
        return Some("expected a path without `..`".to_owned());
    }
    if is_own {
        return None;
    }
    if !Path::new(place).is_absolute() || place.contains('$') {
        return Some("expected the name of a library, or an absolute path".to_owned());
    }
    open_to_others(Path::new(place))
        .map(|open| format!("another user can write to `{}`", open.display()))
}

/// Returns the first of `path` and its parents that another user can write to or owns.
#[cfg(unix)]
fn open_to_others(path: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;

    const OTHERS: u32 = 0o022;
    const STICKY: u32 = 0o1000;
    let real = real(path);
    let own = rustix::process::geteuid().as_raw();
    let mut holds_one = false;
    for place in real.ancestors() {
        let Ok(metadata) = fs::metadata(place) else {
            continue;
        };
        // In a sticky folder only owners can replace an existing file.
        let is_open =
            metadata.mode() & OTHERS != 0 && !(holds_one && metadata.mode() & STICKY != 0);
        if is_open || ![0, own].contains(&metadata.uid()) {
            return Some(place.to_owned());
        }
        holds_one = true;
    }
    None
}

#[cfg(not(unix))]
fn open_to_others(_: &Path) -> Option<PathBuf> {
    None
}

/// Resolves the links of the part of `path` that exists.
#[cfg(unix)]
fn real(path: &Path) -> PathBuf {
    let known = path
        .ancestors()
        .find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    match known {
        Some((above, real)) if above == path => real,
        Some((above, real)) => real.join(path.strip_prefix(above).unwrap_or(path)),
        None => path.to_owned(),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn string_at(strings: &[u8], at: u64) -> String {
    let rest = usize::try_from(at)
        .ok()
        .and_then(|at| strings.get(at..))
        .unwrap_or_default();
    text(rest.split(|byte| *byte == 0).next().unwrap_or_default())
}

/// Reads the dynamic segment, as the linker does, and not the sections.
fn elf<E: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'_, E>,
) -> object::Result<LibraryDependencies> {
    let (endian, data, segments) = (file.endian(), file.data(), file.elf_program_headers());
    let mut found = LibraryDependencies::default();
    let mut dynamics: Vec<&E::Dyn> = Vec::new();
    for segment in segments {
        let entries = segment.dynamic(endian, data)?.unwrap_or_default();
        dynamics.extend(
            entries
                .iter()
                .take_while(|entry| entry.tag(endian) != DT_NULL),
        );
    }
    let value = |tag: elf::DynamicTag| {
        dynamics
            .iter()
            .find(|entry| entry.tag(endian) == tag)
            .map(|entry| entry.val(endian))
    };
    let (Some(at), Some(size)) = (value(DT_STRTAB), value(DT_STRSZ)) else {
        return Ok(found);
    };
    let strings = segments
        .iter()
        .filter(|segment| segment.p_type(endian) == elf::PT_LOAD);
    let strings = strings
        .filter_map(|segment| segment.data_range(endian, data, at, size).ok().flatten())
        .next();
    let strings = strings.unwrap_or_default();
    for entry in dynamics {
        let string = string_at(strings, entry.val(endian));
        match entry.tag(endian) {
            DT_NEEDED | DT_AUXILIARY | DT_FILTER | DT_AUDIT | DT_DEPAUDIT => {
                found.needed.push(string)
            }
            // An empty part is the working folder.
            DT_RPATH | DT_RUNPATH => found.run_path.extend(string.split(':').map(str::to_owned)),
            _ => {}
        }
    }
    Ok(found)
}

fn mach_o<M: MachHeader>(file: &MachOFile<'_, M>) -> object::Result<LibraryDependencies> {
    let mut found = LibraryDependencies::default();
    let mut commands = file.macho_load_commands()?;
    while let Some(command) = commands.next()? {
        if let LoadCommandVariant::Rpath(path) = command.variant()? {
            found
                .run_path
                .push(text(command.string(file.endian(), path.path)?));
        }
    }
    Ok(found)
}
