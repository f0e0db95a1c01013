//! The promises of the crate.

mod archives;
#[cfg(feature = "http")]
mod downloads;
mod fetching;
mod hostile;
#[cfg(feature = "http")]
mod made_registry;
mod made_tar;
mod made_zip;
mod project;
mod references;
#[cfg(feature = "http")]
mod registries;
mod repositories;
mod store;

/// Returns the text of a good `SKILL.md`.
fn skill_text(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}.\n---\n{body}\n")
}
