//! `cargo xtask new-source NAME`: creates a source crate from the template.

use std::fs;
use std::path::{Path, PathBuf};

use repertoire_core::Id;

use crate::{Failure, workspace};

/// The conformance tests that fail for a new source, by the method that makes them pass.
const LEFT: [(&str, &[&str]); 3] = [
    (
        "body",
        &[
            "a_body_agrees_with_its_row",
            "a_body_is_what_was_written",
            "a_removed_skill_is_gone",
            "an_unknown_id_is_not_found",
            "what_is_listed_can_be_read",
        ],
    ),
    (
        "resources, resource",
        &[
            "a_resource_path_never_leaves_its_skill",
            "an_unknown_resource_is_not_found",
            "resources_are_sorted_and_match_their_bytes",
            "resources_are_what_was_written",
        ],
    ),
    (
        "changed",
        &[
            "dropping_changed_loses_no_change",
            "changed_of_an_old_revision_returns_at_once",
            "changed_of_the_current_revision_waits_for_a_change",
            "a_change_during_list_is_seen",
        ],
    ),
];

/// Writes the crate `repertoire-source-NAME`: in the workspace, or in `out` with paths to this checkout.
pub(crate) fn run(name: &str, out: Option<PathBuf>) -> Result<(), Failure> {
    let in_tree = out.is_none();
    let folder = out.unwrap_or_else(|| {
        workspace::root()
            .join("crates")
            .join(format!("source-{name}"))
    });
    write(name, &folder, in_tree)?;
    println!("wrote `{}`", folder.display());
    println!(
        "\nIt compiles. These conformance tests fail until the methods are implemented; run `cargo test` there:"
    );
    for (method, tests) in LEFT {
        println!("  `{method}`: {}", tests.join(", "));
    }
    if in_tree {
        println!("\nTo make it a feature of the facade, add to `crates/repertoire/Cargo.toml`:");
        println!("  [features]      {name} = [\"dep:repertoire-source-{name}\"]");
        println!(
            "  [dependencies]  repertoire-source-{name} = {{ path = \"../source-{name}\", optional = true }}"
        );
        println!("and to `crates/repertoire/src/lib.rs`:");
        println!("  #[cfg(feature = \"{name}\")]");
        println!("  pub use repertoire_source_{}::*;", name.replace('-', "_"));
        println!("\n`cargo xtask gen` then lists the crate in the README.");
    }
    println!("\n`docs/writing-a-source.md` leads on.");
    Ok(())
}

/// Writes the template to `folder`, which must not be there.
fn write(name: &str, folder: &Path, in_tree: bool) -> Result<(), Failure> {
    check_name(name)?;
    if folder.exists() {
        return Err(format!("`{}` is there already", folder.display()).into());
    }
    let template = workspace::root().join("xtask/template/source");
    let manifest = if in_tree {
        "in-tree.toml"
    } else {
        "out-of-tree.toml"
    };
    for (from, to) in [
        (manifest, "Cargo.toml"),
        ("src/lib.rs", "src/lib.rs"),
        ("src/source.rs", "src/source.rs"),
        ("tests/it.rs", "tests/it.rs"),
    ] {
        let to = folder.join(to);
        fs::create_dir_all(to.parent().expect("a file lies in a folder"))?;
        fs::write(to, named(&fs::read_to_string(template.join(from))?, name))?;
    }
    Ok(())
}

/// The template's text about a source called `name`.
fn named(template: &str, name: &str) -> String {
    let words = name
        .split('-')
        .map(|word| word[..1].to_uppercase() + &word[1..]);
    template
        .replace(
            "repertoire_source_acme",
            &format!("repertoire_source_{}", name.replace('-', "_")),
        )
        .replace("Acme", &words.collect::<String>())
        .replace("acme", name)
        .replace("CHECKOUT", &workspace::root().to_string_lossy())
}

/// Checks that a name is valid in a package name and, in camel case, in a type name.
fn check_name(name: &str) -> Result<(), Failure> {
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.is_ascii();
    if is_plain && Id::new(name).is_ok_and(|id| id.faults().is_empty()) {
        return Ok(());
    }
    Err(format!(
        "`{name}` is no name for a source: expected words of `a` to `z` and digits with single hyphens between"
    )
    .into())
}

#[cfg(test)]
mod tests;
