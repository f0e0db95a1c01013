//! One skill for each person that the configuration names.
//!
//! ```toml
//! [[source]]
//! kind = "plugin"
//! name = "hello"
//! path = "libhello.so"
//! options = { people = ["Ann", "Bob"] }
//! ```

use repertoire_plugin_sdk::message::{Body, Listing, Row};
use repertoire_plugin_sdk::{Config, Documents, Open, SourceError, SourceErrorKind, export_documents};

/// The people to greet.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    people: Vec<String>,
}

impl Open for Hello {
    fn open(config: &Config) -> Result<Hello, SourceError> {
        config.options()
    }
}

impl Hello {
    /// The `SKILL.md` of one person; the host parses it.
    fn document(person: &str) -> String {
        format!("---\nname: {}\ndescription: Greets {person}.\n---\nSay hello to {person}.\n", key(person))
    }
}

/// How the skill of one person is found again.
fn key(person: &str) -> String {
    format!("greet-{}", person.to_lowercase())
}

impl Documents for Hello {
    const FEATURES: &'static str = "";

    fn list(&self) -> Result<Listing, SourceError> {
        // What nobody can change needs no other stamp than itself, and has one revision.
        let row = |person: &String| Row::new(key(person), person, Hello::document(person));
        Ok(Listing::new(0, self.people.iter().map(row)))
    }

    fn body(&self, wanted: &str) -> Result<Body, SourceError> {
        match self.people.iter().find(|person| key(person) == wanted) {
            Some(person) => Ok(Body::document(person, Hello::document(person))),
            None => Err(SourceError::new(SourceErrorKind::NotFound, format!("nobody is called `{wanted}`"))),
        }
    }
}

export_documents!(Hello);
