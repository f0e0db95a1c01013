//! The line of a build script that keeps `embed_skills!` up to date. In `main` of `build.rs`:
//!
//! ```
//! repertoire_source_static_build::rerun_if_skills_change("skills");
//! ```
//!
//! The compiler watches every file that a macro embedded, so edited and removed files are seen without this. It knows
//! nothing of a file that was not there yet, and a macro cannot tell it to watch a folder; a build script can tell cargo.
//!
//! # For authors of skills
//! Name the folder that `embed_skills!` names, and add this crate under `[build-dependencies]`. It has no dependencies.
//!
//! # For whoever changes this crate
//! It prints one instruction and knows nothing of skills. A test of `repertoire-source-static` builds a program, adds a file and
//! builds it again.

use std::path::Path;

/// Makes cargo build the package anew when anything in `folder` changes, additions too. Call it in `build.rs`, with the
/// folder that `embed_skills!` names; for several folders, several times.
///
/// # Panics
/// For a path that is not UTF-8 or holds a line break, which cargo cannot be told.
pub fn rerun_if_skills_change(folder: impl AsRef<Path>) {
    println!("{}", instruction(folder.as_ref()));
}

fn instruction(folder: &Path) -> String {
    let shown = folder.to_str().filter(|path| !path.contains('\n'));
    format!("cargo::rerun-if-changed={}", shown.expect("the folder has a UTF-8 path of one line"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_is_told_to_watch_the_folder() {
        assert_eq!(instruction("skills/house".as_ref()), "cargo::rerun-if-changed=skills/house");
    }

    #[test]
    #[should_panic(expected = "of one line")]
    fn a_path_cannot_smuggle_in_an_instruction() {
        instruction("skills\ncargo::warning=hello".as_ref());
    }
}
