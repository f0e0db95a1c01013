//! Paths relative to the working folder.

use std::path::Path;

/// Returns a path relative to `cwd` if it is below it.
pub(crate) fn relative_to_cwd<'p>(path: &'p str, cwd: &Path) -> &'p str {
    let inside = Path::new(path)
        .strip_prefix(cwd)
        .ok()
        .and_then(Path::to_str);
    inside.filter(|inside| !inside.is_empty()).unwrap_or(path)
}
