//! Text files that a user or a configuration names.

use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::failure::Failure;
use crate::file_slot::is_quotable;

/// Reads the file at `path`, which messages call `name`.
///
/// # Errors
/// The file cannot be read, has more than `most` bytes, or is not UTF-8.
pub(crate) fn read(path: &Path, name: &str, most: u64) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
        .map_err(|error| Failure::io(format!("cannot read `{name}`"), &error))?;
    if bytes.len() as u64 > most {
        return Err(Failure::new(format!(
            "`{name}` is too long: expected at most {most} bytes"
        )));
    }
    String::from_utf8(bytes)
        .map_err(|error| Failure::new(format!("cannot read `{name}`: {}", error.utf8_error())))
}

/// Returns the failure of a file that is not what was expected. The message quotes no file that a link leads to.
pub(crate) fn invalid(path: &Path, name: &str, cwd: &Path, error: &dyn Display) -> Failure {
    if is_quotable(path, cwd) {
        Failure::new(format!("`{name}`: {error}"))
    } else {
        Failure::new(format!("`{name}` has no valid content")).help("see the file that it links to")
    }
}
