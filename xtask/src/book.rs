//! The book, as mdBook makes it.

use crate::Failure;
use crate::step::{self, skipped, step};

/// Builds the book into `target/book`, or reports that mdBook is not installed.
pub(crate) fn build() -> Result<(), Failure> {
    if !step::succeeds("mdbook --version") {
        let how = "mdbook is not installed; `cargo install --locked --no-default-features mdbook` brings it";
        skipped("book", how);
        return Ok(());
    }
    let line = "mdbook build docs/book";
    step("book", line, || {
        let output = step::output(line)?;
        let said = String::from_utf8_lossy(&output.stderr);
        eprint!("{said}");
        match complaint(&said) {
            _ if !output.status.success() => Err(format!("failed with {}", output.status).into()),
            Some(line) => Err(line.trim().into()),
            None => Ok(()),
        }
    })
}

/// Returns the first complaint of mdBook, which succeeds even if a page cannot be included.
fn complaint(said: &str) -> Option<&str> {
    // The level is the first word, or follows the time.
    let is_level = |word: &str| matches!(word.trim_matches(['[', ']']), "WARN" | "ERROR");
    said.lines()
        .find(|line| line.split_whitespace().take(3).any(is_level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_that_succeeds_with_errors_has_failed() {
        assert_eq!(
            complaint(" INFO Book building has started\n INFO HTML book written to WARN\n"),
            None
        );
        let said =
            " INFO Book building has started\nERROR Could not read file for link {{#include x}}\n";
        assert_eq!(
            complaint(said),
            Some("ERROR Could not read file for link {{#include x}}")
        );
        let said = "2026-01-02 03:04:05 [WARN] (mdbook::book): that";
        assert_eq!(complaint(said), Some(said));
    }
}
