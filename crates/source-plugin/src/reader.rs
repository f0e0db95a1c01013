//! From a plugin's message to a listing: nothing in it is believed.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use repertoire_core::skill_md::{self, FileContext, Limits};
use repertoire_core::{
    Code, Diagnostic, Id, Listing, ListingEntry, Revision, Severity, Skill, SourceError, Stamp, Strictness,
};
use repertoire_plugin_sdk::message::{self, Finding, Row, SCHEMA};
use serde::de::{DeserializeOwned, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::guest::told;

/// Skills of one source.
const MOST_SKILLS: usize = 100_000;

/// Findings of one plugin.
const MOST_FINDINGS: usize = 1000;

/// Bytes of a key, a stamp or a location.
const LONGEST: usize = 4096;

/// Reads listings of one source, and remembers the last one: a row that did not change is not parsed again.
#[derive(Debug)]
pub(crate) struct Reader {
    source: String,
    known: HashMap<String, Known>,
    keys: HashMap<Id, String>,
}

#[derive(Debug)]
struct Known {
    /// Of everything the row says.
    row: Stamp,
    listed: Option<ListingEntry<Skill>>,
    diagnostics: Vec<Diagnostic>,
}

/// A listing, and the revision that the plugin gave it.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) revision: u64,
    pub(crate) rows: Vec<ListingEntry<Skill>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Read {
    pub(crate) fn listing(self, revision: Revision) -> Listing<Skill> {
        Listing::new(revision, self.rows, self.diagnostics)
    }
}

impl Reader {
    pub(crate) fn new(source: &str) -> Reader {
        Reader { source: source.to_owned(), known: HashMap::new(), keys: HashMap::new() }
    }

    /// The key under which the plugin knows `id`, by the last listing.
    pub(crate) fn key(&self, id: &Id) -> Option<&str> {
        self.keys.get(id).map(String::as_str)
    }

    /// Reads a `listing` message.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<Read, SourceError> {
        let (message, mut diagnostics, more) = listing(bytes)?;
        diagnostics.extend(message.findings.iter().map(|finding| self.finding(finding)));
        if more > 0 {
            diagnostics.push(Diagnostic::new(Code::PLUGIN_FINDING, format!("the plugin has {more} more findings")));
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
                // The first of two stays, as in the listing.
                keys.entry(listed.item.id.clone()).or_insert_with(|| row.key.clone());
            }
            known.insert(row.key, entry);
        }
        (self.known, self.keys) = (known, keys);
        Ok(Read { revision: message.revision, rows, diagnostics })
    }

    fn parse(&self, row: &Row) -> Known {
        let shown = row.location.as_deref().filter(|location| location.len() <= LONGEST).unwrap_or(&row.key);
        // Where text comes from is told with the name that the composer chose: no plugin passes for another place.
        let location: Arc<str> = format!("{}:{}", self.source, told(shown)).into();
        if let Some(name) =
            [("key", &row.key), ("stamp", &row.stamp)].into_iter().find(|(_, text)| text.len() > LONGEST)
        {
            let message = format!("an entry has a `{}` of more than {LONGEST} bytes; it was left out", name.0);
            let finding = Diagnostic::new(Code::PLUGIN_ENTRY, message).at_path(location);
            return Known { row: whole(row), listed: None, diagnostics: vec![finding] };
        }
        let folder = row.key.rsplit('/').next().unwrap_or(&row.key);
        let bytes = row.document.as_bytes();
        let head = skill_md::front_matter(bytes).unwrap_or(bytes);
        let site = FileContext::new(&location).in_directory(folder);
        let parsed = skill_md::parse_with(head, site, &Limits::default(), Strictness::Lenient);
        let listed =
            parsed.skill.map(|skill| ListingEntry::new(skill.from_location(location.clone()), stamp(&row.stamp)));
        Known { row: whole(row), listed, diagnostics: parsed.diagnostics }
    }

    fn finding(&self, finding: &Finding) -> Diagnostic {
        let known = Code::ALL.iter().find(|code| code.name() == finding.code);
        let message = match known {
            Some(_) => told(&finding.message),
            None => format!("`{}`: {}", told(&finding.code), told(&finding.message)),
        };
        let mut diagnostic = Diagnostic::new(known.copied().unwrap_or(Code::PLUGIN_FINDING), message);
        diagnostic.severity = finding.severity;
        diagnostic.path = finding.path.as_ref().map(|path| format!("{}:{}", self.source, told(path)).into());
        (diagnostic.line, diagnostic.column) = (finding.line, finding.column);
        diagnostic.help = finding.help.as_deref().map(told);
        diagnostic
    }
}

/// The stamp of a row and of its body.
pub(crate) fn stamp(text: &str) -> Stamp {
    Stamp::of(text)
}

fn whole(row: &Row) -> Stamp {
    Stamp::of(&(&row.stamp, &row.document, &row.location))
}

/// Reads any message, after a look at its schema.
pub(crate) fn message<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, SourceError> {
    let not_understood =
        |error: serde_json::Error| SourceError::invalid(format!("the plugin's reply cannot be understood: {error}"));
    let Version { schema } = serde_json::from_slice(bytes).map_err(not_understood)?;
    if schema > SCHEMA {
        return Err(SourceError::invalid(format!("the plugin's reply has schema {schema}, and {SCHEMA} is known")));
    }
    serde_json::from_slice(bytes).map_err(not_understood)
}

#[derive(Deserialize)]
struct Version {
    schema: u32,
}

/// A `listing` message, of which no more is kept than may be listed.
#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    revision: u64,
    skills: Entries<Row, MOST_SKILLS>,
    #[serde(default)]
    findings: Entries<Finding, MOST_FINDINGS>,
}

/// The first `MOST` entries of a list, each read alone, and how many there are. An entry that is malformed costs itself.
///
/// No entry is ever kept as what JSON makes of it: a few bytes of a message would be hundreds there.
struct Entries<T, const MOST: usize> {
    read: Vec<Result<T, String>>,
    count: usize,
}

impl<T, const MOST: usize> Default for Entries<T, MOST> {
    fn default() -> Entries<T, MOST> {
        Entries { read: Vec::new(), count: 0 }
    }
}

impl<'de, T: DeserializeOwned, const MOST: usize> Deserialize<'de> for Entries<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entries<T, MOST>, D::Error> {
        struct Reading<T, const MOST: usize>(PhantomData<T>);

        impl<'de, T: DeserializeOwned, const MOST: usize> Visitor<'de> for Reading<T, MOST> {
            type Value = Entries<T, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Entries<T, MOST>, A::Error> {
                let mut entries = Entries::default();
                while entries.count < MOST {
                    let Some(entry) = list.next_element::<&RawValue>()? else { return Ok(entries) };
                    entries.count += 1;
                    entries.read.push(serde_json::from_str(entry.get()).map_err(|error| error.to_string()));
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

/// Reads a `listing` message, and returns what is wrong with its rows and how many more findings it has than are read.
fn listing(bytes: &[u8]) -> Result<(message::Listing, Vec<Diagnostic>, usize), SourceError> {
    let Raw { revision, skills, findings } = message(bytes)?;
    if skills.count > MOST_SKILLS {
        let found = skills.count;
        return Err(SourceError::invalid(format!(
            "the plugin lists {found} skills, and at most {MOST_SKILLS} are read"
        )));
    }
    let mut diagnostics = Vec::new();
    let mut rows = Vec::with_capacity(skills.count);
    for (at, row) in skills.read.into_iter().enumerate() {
        match row {
            Ok(row) => rows.push(row),
            // As many as there may be entries; more of them than a person reads.
            Err(_) if diagnostics.len() == MOST_FINDINGS => {}
            Err(error) => {
                let message = format!("entry {at} of the plugin's listing cannot be understood: {}", told(&error));
                let finding = Diagnostic::new(Code::PLUGIN_ENTRY, message);
                diagnostics.push(finding.help("expected `key`, `stamp` and `document`, each a text"));
            }
        }
    }
    let unknown = |error: String| {
        let message = format!("a finding cannot be understood: {error}");
        Finding::new(Severity::Warning, Code::PLUGIN_FINDING.name(), message)
    };
    let more = findings.count - findings.read.len();
    let findings: Vec<_> = findings.read.into_iter().map(|finding| finding.unwrap_or_else(unknown)).collect();
    Ok((message::Listing::new(revision, rows).with_findings(findings), diagnostics, more))
}

#[cfg(test)]
mod tests;
