//! The listing of a plugin, read from its message with the limits and rules for every file.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use repertoire_core::skill_md::{self, FileContext, Limits};
use repertoire_core::{
    Code, Diagnostic, Id, ListingEntry, Severity, Skill, SourceError, Stamp, Strictness,
};
use repertoire_plugin_sdk::abi::REPERTOIRE_SCHEMA;
use repertoire_plugin_sdk::message::{DocumentListing, DocumentRow, PluginDiagnostic};
use serde::de::{DeserializeOwned, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::backend::excerpt;

const MAX_SKILLS: usize = 100_000;

const MAX_DIAGNOSTICS: usize = 1000;

const MAX_TEXT_BYTES: usize = 4096;

/// A reader of the listings of one source. A row that did not change since the last listing is not parsed again.
#[derive(Debug)]
pub(crate) struct ListingReader {
    source: String,
    known: HashMap<String, KnownRow>,
    keys: HashMap<Id, String>,
}

#[derive(Debug)]
struct KnownRow {
    row: Stamp,
    listed: Option<ListingEntry<Skill>>,
    diagnostics: Vec<Diagnostic>,
}

/// A listing as read, with the plugin's own revision.
#[derive(Debug)]
pub(crate) struct ReadListing {
    pub(crate) revision: u64,
    pub(crate) rows: Vec<ListingEntry<Skill>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl ListingReader {
    pub(crate) fn new(source: &str) -> ListingReader {
        ListingReader {
            source: source.to_owned(),
            known: HashMap::new(),
            keys: HashMap::new(),
        }
    }

    /// Returns the plugin's key of a skill in the last listing.
    pub(crate) fn key(&self, id: &Id) -> Option<&str> {
        self.keys.get(id).map(String::as_str)
    }

    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<ReadListing, SourceError> {
        let (message, mut diagnostics, more) = listing(bytes)?;
        diagnostics.extend(
            message
                .diagnostics
                .iter()
                .map(|diagnostic| self.diagnostic(diagnostic)),
        );
        if more > 0 {
            let message = format!("the plugin has {more} more diagnostics");
            diagnostics.push(
                Diagnostic::new(Code::PLUGIN_DIAGNOSTIC, message).at_path(self.source.as_str()),
            );
        }
        let mut known = HashMap::with_capacity(message.skills.len());
        let mut keys = HashMap::with_capacity(message.skills.len());
        let mut rows = Vec::with_capacity(message.skills.len());
        for row in message.skills {
            let entry = match self.known.remove(&row.key) {
                Some(entry) if entry.row == whole(&row) => entry,
                _ => self.parse(&row),
            };
            diagnostics.extend(entry.diagnostics.iter().cloned());
            if let Some(listed) = &entry.listed {
                rows.push(listed.clone());
                // The first of two rows with one id counts, as in the listing.
                keys.entry(listed.item.id.clone())
                    .or_insert_with(|| row.key.clone());
            }
            known.insert(row.key, entry);
        }
        (self.known, self.keys) = (known, keys);
        Ok(ReadListing {
            revision: message.revision,
            rows,
            diagnostics,
        })
    }

    fn parse(&self, row: &DocumentRow) -> KnownRow {
        let shown = row
            .location
            .as_deref()
            .filter(|location| location.len() <= MAX_TEXT_BYTES)
            .unwrap_or(&row.key);
        // The name that the composer chose comes first, so that no plugin can claim another source's location.
        let location: Arc<str> = format!("{}:{}", self.source, excerpt(shown)).into();
        if let Some(name) = [("key", &row.key), ("stamp", &row.stamp)]
            .into_iter()
            .find(|(_, text)| text.len() > MAX_TEXT_BYTES)
        {
            let message = format!(
                "an entry has a `{}` of more than {MAX_TEXT_BYTES} bytes; it was left out",
                name.0
            );
            let diagnostic = Diagnostic::new(Code::PLUGIN_ENTRY, message).at_path(location);
            return KnownRow {
                row: whole(row),
                listed: None,
                diagnostics: vec![diagnostic],
            };
        }
        let folder = row.key.rsplit('/').next().unwrap_or(&row.key);
        let bytes = row.document.as_bytes();
        let head = skill_md::front_matter(bytes).unwrap_or(bytes);
        let site = FileContext::new(&location).in_directory(folder);
        let parsed = skill_md::parse_with(head, site, &Limits::default(), Strictness::Lenient);
        let listed = parsed.skill.map(|skill| {
            ListingEntry::new(skill.from_location(location.clone()), stamp(&row.stamp))
        });
        KnownRow {
            row: whole(row),
            listed,
            diagnostics: parsed.diagnostics,
        }
    }

    fn diagnostic(&self, reported: &PluginDiagnostic) -> Diagnostic {
        let known = Code::named(&reported.code);
        let message = match known {
            Some(_) => excerpt(&reported.message),
            None => format!(
                "`{}`: {}",
                excerpt(&reported.code),
                excerpt(&reported.message)
            ),
        };
        let mut diagnostic = Diagnostic::new(known.unwrap_or(Code::PLUGIN_DIAGNOSTIC), message);
        diagnostic.severity = reported.severity;
        // The diagnostics of two plugins differ by the source at least.
        let path = reported
            .path
            .as_ref()
            .map(|path| format!("{}:{}", self.source, excerpt(path)));
        diagnostic.path = Some(path.unwrap_or_else(|| self.source.clone()).into());
        (diagnostic.line, diagnostic.column) = (reported.line, reported.column);
        diagnostic.help = reported.help.as_deref().map(excerpt);
        diagnostic
    }
}

pub(crate) fn stamp(text: &str) -> Stamp {
    Stamp::of(text)
}

fn whole(row: &DocumentRow) -> Stamp {
    Stamp::of(&(&row.stamp, &row.document, &row.location))
}

/// Reads a message of a known schema.
pub(crate) fn message<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, SourceError> {
    let not_understood = |error: serde_json::Error| {
        SourceError::invalid(format!("the plugin's reply cannot be understood: {error}"))
    };
    let ReplySchema { schema } = serde_json::from_slice(bytes).map_err(not_understood)?;
    if schema > REPERTOIRE_SCHEMA {
        return Err(SourceError::invalid(format!(
            "the plugin's reply has schema {schema}, and {REPERTOIRE_SCHEMA} is known"
        )));
    }
    serde_json::from_slice(bytes).map_err(not_understood)
}

#[derive(Deserialize)]
struct ReplySchema {
    schema: u32,
}

/// A `listing` message, of which the entries over the limits are counted only.
#[derive(Deserialize)]
struct RawListing {
    #[serde(default)]
    revision: u64,
    skills: Entries<DocumentRow, MAX_SKILLS>,
    #[serde(default)]
    diagnostics: Entries<PluginDiagnostic, MAX_DIAGNOSTICS>,
}

/// The first `MAX` entries of a list, each read by itself, and the number of all. A malformed entry is one error.
///
/// Entries are read into their types directly: as JSON values, a few bytes of a message would take hundreds.
struct Entries<T, const MAX: usize> {
    read: Vec<Result<T, String>>,
    count: usize,
}

impl<T, const MAX: usize> Default for Entries<T, MAX> {
    fn default() -> Entries<T, MAX> {
        Entries {
            read: Vec::new(),
            count: 0,
        }
    }
}

impl<'de, T: DeserializeOwned, const MAX: usize> Deserialize<'de> for Entries<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entries<T, MAX>, D::Error> {
        struct Reading<T, const MAX: usize>(PhantomData<T>);

        impl<'de, T: DeserializeOwned, const MAX: usize> Visitor<'de> for Reading<T, MAX> {
            type Value = Entries<T, MAX>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut list: A,
            ) -> Result<Entries<T, MAX>, A::Error> {
                let mut entries = Entries::default();
                while entries.count < MAX {
                    let Some(entry) = list.next_element::<&RawValue>()? else {
                        return Ok(entries);
                    };
                    entries.count += 1;
                    entries
                        .read
                        .push(serde_json::from_str(entry.get()).map_err(|error| error.to_string()));
                }
                while list.next_element::<IgnoredAny>()?.is_some() {
                    entries.count += 1;
                }
                Ok(entries)
            }
        }

        deserializer.deserialize_seq(Reading(PhantomData))
    }
}

/// Reads a `listing` message. Returns diagnostics of its rows, and the number of diagnostics over the limit.
fn listing(bytes: &[u8]) -> Result<(DocumentListing, Vec<Diagnostic>, usize), SourceError> {
    let RawListing {
        revision,
        skills,
        diagnostics: reported,
    } = message(bytes)?;
    if skills.count > MAX_SKILLS {
        let found = skills.count;
        return Err(SourceError::invalid(format!(
            "the plugin lists {found} skills, and at most {MAX_SKILLS} are read"
        )));
    }
    let mut diagnostics = Vec::new();
    let mut rows = Vec::with_capacity(skills.count);
    for (at, row) in skills.read.into_iter().enumerate() {
        match row {
            Ok(row) => rows.push(row),
            // There may be as many as entries, and no person reads more.
            Err(_) if diagnostics.len() == MAX_DIAGNOSTICS => {}
            Err(error) => {
                let message = format!(
                    "entry {at} of the plugin's listing cannot be understood: {}",
                    excerpt(&error)
                );
                let diagnostic = Diagnostic::new(Code::PLUGIN_ENTRY, message);
                diagnostics
                    .push(diagnostic.help("expected `key`, `stamp` and `document`, each a text"));
            }
        }
    }
    let more = reported.count - reported.read.len();
    let reported = reported.read.into_iter().map(|diagnostic| {
        diagnostic.unwrap_or_else(|error| {
            let message = format!("a diagnostic cannot be understood: {error}");
            PluginDiagnostic::new(Severity::Warning, Code::PLUGIN_DIAGNOSTIC.name(), message)
        })
    });
    Ok((
        DocumentListing::new(revision, rows).diagnostics(reported),
        diagnostics,
        more,
    ))
}

#[cfg(test)]
mod tests;
