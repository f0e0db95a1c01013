//! The line of a build script that keeps `embed_skills!` up to date. In `main` of `build.rs`:
//!
//! ```
//! repertoire_source_static_build::rerun_if_skills_change("skills");
//! ```
//!
//! The compiler watches every file that a macro embedded. A macro cannot watch a folder for new files, but a build script can.
//! Add this crate under `[build-dependencies]`. It has no dependencies.
//!
//! # Contributing
//! A test of `repertoire-source-static` builds a program, adds a file and builds it again.

use std::path::Path;

/// Makes cargo build the package again when anything in `folder` changes, additions too. Call it in `build.rs` for each folder that
/// `embed_skills!` names.
///
/// # Panics
/// If the path is not UTF-8 or has a line break, which an instruction to cargo cannot express.
pub fn rerun_if_skills_change(folder: impl AsRef<Path>) {
    println!("{}", instruction(folder.as_ref()));
}

fn instruction(folder: &Path) -> String {
    let shown = folder.to_str().filter(|path| !path.contains('\n'));
    format!(
        "cargo::rerun-if-changed={}",
        shown.expect("the folder has a UTF-8 path of one line")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_watches_the_folder() {
        assert_eq!(
            instruction("skills/house".as_ref()),
            "cargo::rerun-if-changed=skills/house"
        );
    }

    #[test]
    #[should_panic(expected = "of one line")]
    fn a_path_cannot_smuggle_in_an_instruction() {
        instruction("skills\ncargo::warning=hello".as_ref());
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
