//! The description of a plugin in its file, read without running it.

use std::path::{Path, PathBuf};

use object::read::{Export, ExportTarget, NameOrOrdinal};
use object::{Architecture, BinaryFormat, FileKind, Object, ObjectKind, ObjectSection};
use repertoire_core::Digest;
use repertoire_plugin_sdk::abi::{
    ENTRY, NOTE, REPERTOIRE_ABI_MAJOR, REPERTOIRE_ABI_MINOR, REPERTOIRE_SCHEMA,
};
use repertoire_plugin_sdk::message::Note;

use crate::PluginError;
use crate::dependencies::LibraryDependencies;
use crate::file::PluginFile;

/// The description of a plugin in its file, read without running any of it.
///
/// The name and the version are claims of its author.
///
/// ```no_run
/// use std::path::Path;
///
/// use repertoire_source_plugin::Inspection;
///
/// let inspection = Inspection::read(Path::new("/opt/plugins/libwiki.so"))?;
/// println!("{} {}: {}", inspection.name, inspection.version, inspection.digest);
/// # Ok::<(), repertoire_source_plugin::PluginError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inspection {
    /// The file: absolute, without links.
    pub path: PathBuf,
    /// SHA-256 of the file.
    pub digest: Digest,
    /// The size of the file in bytes.
    pub size: u64,
    /// The name of the plugin.
    pub name: String,
    /// The version of the plugin.
    pub version: String,
    /// The version of the plugin boundary that it was built for: `1.0`.
    pub abi: String,
    /// The architecture that it was built for, by Rust's name.
    pub architecture: String,
    /// The names that it exports, sorted, at most 1000.
    pub symbols: Vec<String>,
    /// The names of the libraries that the system loads with it. Their content is not part of the digest.
    pub needed: Vec<String>,
    /// The folders in which the system searches these libraries first.
    pub run_path: Vec<String>,
}

const MAX_NOTE_BYTES: usize = 4096;

const MAX_SYMBOLS: usize = 1000;

impl Inspection {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// Returns [`PluginError`] for a file that this process cannot use:
    ///
    /// - it is world-writable
    /// - it is not a shared library of this system
    /// - it exports no plugin, or one of another major version of the boundary
    /// - it needs libraries from places to which another user can write
    pub fn read(path: &Path) -> Result<Inspection, PluginError> {
        Inspection::from_file(&PluginFile::read(path)?)
    }

    pub(crate) fn from_file(file: &PluginFile) -> Result<Inspection, PluginError> {
        let inspection =
            inspect(file).map_err(|reason| PluginError::not_a_plugin(&file.path, &reason))?;
        let Inspection {
            needed, run_path, ..
        } = &inspection;
        match (LibraryDependencies {
            needed: needed.clone(),
            run_path: run_path.clone(),
        })
        .fault()
        {
            Some(reason) => Err(PluginError::Dependency {
                path: file.path.clone(),
                reason,
            }),
            None => Ok(inspection),
        }
    }
}

fn inspect(file: &PluginFile) -> Result<Inspection, String> {
    let bytes = file.bytes.as_slice();
    let object = shared_library(bytes)?;
    let architecture = architecture(object.architecture());
    if architecture != std::env::consts::ARCH {
        return Err(format!(
            "expected a library for {}, found one for {architecture}",
            std::env::consts::ARCH
        ));
    }
    let exports = object
        .exports()
        .and_then(|exports| exports.collect::<Result<Vec<_>, _>>());
    let exports = exports.map_err(|error| format!("its symbols cannot be read: {error}"))?;
    if address(&exports, ENTRY).is_none() {
        return Err(format!(
            "expected an exported function `{ENTRY}`, found none"
        ));
    }
    let note = address(&exports, NOTE)
        .ok_or_else(|| format!("expected exported bytes `{NOTE}`, found none"))?;
    let note =
        parse(text_at(&object, note).ok_or_else(|| format!("`{NOTE}` has an invalid address"))?)?;
    let names = exports.iter().filter_map(plain);
    let mut symbols: Vec<_> = names
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect();
    symbols.sort();
    symbols.truncate(MAX_SYMBOLS);
    let Note {
        name, version, abi, ..
    } = note;
    let LibraryDependencies { needed, run_path } = LibraryDependencies::new(&object)
        .map_err(|error| format!("the libraries that it needs cannot be read: {error}"))?;
    let (path, digest, size) = (file.path.clone(), file.digest, bytes.len() as u64);
    Ok(Inspection {
        path,
        digest,
        size,
        name,
        version,
        abi,
        architecture,
        symbols,
        needed,
        run_path,
    })
}

fn shared_library(bytes: &[u8]) -> Result<object::File<'_>, String> {
    match FileKind::parse(bytes) {
        Ok(FileKind::MachOFat32 | FileKind::MachOFat64) => {
            return Err(
                "it is a universal library; take the part for this machine out with `lipo -thin`"
                    .to_owned(),
            );
        }
        Ok(_) => {}
        Err(_) => return Err("it is not a shared library".to_owned()),
    }
    let object = object::File::parse(bytes)
        .map_err(|error| format!("it is not a whole shared library: {error}"))?;
    let (format, expected) = (
        format(object.format()),
        format(BinaryFormat::native_object()),
    );
    if format != expected {
        return Err(format!(
            "expected a library in {expected} format, found {format}"
        ));
    }
    if object.kind() != ObjectKind::Dynamic {
        return Err("it is another kind of object file, not a shared library".to_owned());
    }
    Ok(object)
}

fn address(exports: &[Export<'_>], name: &str) -> Option<u64> {
    let export = exports
        .iter()
        .find(|export| plain(export).is_some_and(|found| found == name.as_bytes()))?;
    match export.target() {
        ExportTarget::Address { address } => Some(address),
        _ => None,
    }
}

/// Returns the name in C, to which some systems add a prefix.
fn plain<'a>(export: &'a Export<'_>) -> Option<&'a [u8]> {
    let NameOrOrdinal::Name(name) = export.name() else {
        return None;
    };
    Some(if cfg!(target_vendor = "apple") {
        name.strip_prefix(b"_").unwrap_or(name)
    } else {
        name
    })
}

/// Returns the bytes at an address, up to a NUL.
fn text_at<'a>(object: &object::File<'a>, address: u64) -> Option<&'a [u8]> {
    let section = object.sections().find(|section| {
        address
            .checked_sub(section.address())
            .is_some_and(|offset| offset < section.size())
    })?;
    let offset = usize::try_from(address - section.address()).ok()?;
    let bytes = section.data().ok()?.get(offset..)?;
    let end = bytes
        .iter()
        .take(MAX_NOTE_BYTES)
        .position(|byte| *byte == 0)?;
    bytes.get(..end)
}

fn parse(text: &[u8]) -> Result<Note, String> {
    let note: Note = serde_json::from_slice(text)
        .map_err(|error| format!("its note cannot be read: {error}"))?;
    if note.schema > REPERTOIRE_SCHEMA {
        return Err(format!(
            "its note has schema {}, and {REPERTOIRE_SCHEMA} is known",
            note.schema
        ));
    }
    let is_plain = |text: &str| {
        !text.is_empty() && text.len() <= 100 && repertoire_core::text::terminal_line(text) == *text
    };
    if !is_plain(&note.name) || !is_plain(&note.version) {
        return Err("its note has no plain name and version".to_owned());
    }
    let major = note
        .abi
        .split('.')
        .next()
        .and_then(|major| major.parse::<u16>().ok());
    if major != Some(REPERTOIRE_ABI_MAJOR) {
        let found = repertoire_core::text::excerpt(&note.abi, 20);
        return Err(format!(
            "it was built for boundary {found}, and this host has {REPERTOIRE_ABI_MAJOR}.{REPERTOIRE_ABI_MINOR}"
        ));
    }
    Ok(note)
}

fn format(format: BinaryFormat) -> &'static str {
    match format {
        BinaryFormat::Elf => "ELF",
        BinaryFormat::MachO => "Mach-O",
        BinaryFormat::Pe | BinaryFormat::Coff => "PE",
        _ => "another",
    }
}

/// Returns the architecture by Rust's name, which is that of the parser but for one.
fn architecture(architecture: Architecture) -> String {
    match architecture {
        Architecture::I386 => "x86".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}
