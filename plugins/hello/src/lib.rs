//! One skill for each person that the configuration names.
//!
//! ```toml
//! [[source]]
//! kind = "plugin"
//! name = "hello"
//! path = "libhello.so"
//! options = { people = ["Ann", "Bob"] }
//! ```

use repertoire_plugin_sdk::message::{DocumentBody, DocumentListing, DocumentRow};
use repertoire_plugin_sdk::{
    Documents, Open, PluginConfig, SourceError, SourceErrorKind, export_documents,
};

/// The people to greet.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    people: Vec<String>,
}

impl Open for Hello {
    fn open(config: &PluginConfig) -> Result<Hello, SourceError> {
        config.options()
    }
}

impl Hello {
    /// Returns the `SKILL.md` of one person.
    fn document(person: &str) -> String {
        format!(
            "---\nname: {}\ndescription: Greets {person}.\n---\nSay hello to {person}.\n",
            key(person)
        )
    }
}

/// Returns the key of one person's skill.
fn key(person: &str) -> String {
    format!("greet-{}", person.to_lowercase())
}

impl Documents for Hello {
    const FEATURES: &'static str = "";

    fn list(&self) -> Result<DocumentListing, SourceError> {
        // The people never change, so their names are stamps, and there is one revision.
        let row = |person: &String| DocumentRow::new(key(person), person, Hello::document(person));
        Ok(DocumentListing::new(0, self.people.iter().map(row)))
    }

    fn body(&self, wanted: &str) -> Result<DocumentBody, SourceError> {
        match self.people.iter().find(|person| key(person) == wanted) {
            Some(person) => Ok(DocumentBody::document(person, Hello::document(person))),
            None => Err(SourceError::new(
                SourceErrorKind::NotFound,
                format!("no person has the key `{wanted}`"),
            )),
        }
    }
}

export_documents!(Hello);
