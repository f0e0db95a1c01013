//! The ways in which servers show skills.

mod extension;
mod index;
mod resources;

use std::fmt;

use repertoire_core::{Code, Diagnostic, SourceError, SourceErrorKind};
use rmcp::model::{PaginatedRequestParams, ServerResult};
use serde_json::Value;

use crate::McpOptions;
use crate::entry::Entry;
use crate::front_matter::finding;
use crate::link::Link;
use crate::told::told;

/// The way in which a server shows skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Face {
    /// The skills extension of MCP (SEP-2640): `skills/list`, `skills/get`.
    Extension,
    /// The resource `skill://index.json` of the extension's drafts.
    Index,
    /// Plain resources `skill://NAME/SKILL.md`, each with `skill://NAME/_manifest`, as FastMCP serves them.
    Resources,
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Face::Extension => "skills extension",
            Face::Index => "index resource",
            Face::Resources => "plain resources",
        })
    }
}

/// How often a list is begun that changes while it is read.
const TRIES: usize = 3;

/// What a server lists.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) entries: Vec<Entry>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Face {
    /// The first of the ways that the server knows.
    pub(crate) async fn of(link: &Link, options: &McpOptions) -> Result<Face, SourceError> {
        let info = link.info();
        let capabilities = info.as_ref().map(|info| &info.capabilities);
        if capabilities.is_some_and(|capabilities| capabilities.supports_skills()) {
            return Ok(Face::Extension);
        }
        if capabilities.is_none_or(|capabilities| capabilities.resources.is_none()) {
            let message = "the server declares neither the skills extension nor resources";
            return Err(SourceError::new(SourceErrorKind::Unsupported, message));
        }
        Ok(if index::is_there(link, options).await? { Face::Index } else { Face::Resources })
    }

    /// Everything that the server lists: the pages of its list, and no file.
    ///
    /// A server whose list changed between two pages may say that it does not know the cursor any more; the list is then
    /// begun anew, a few times.
    pub(crate) async fn list(self, link: &Link, options: &McpOptions, source: &str) -> Result<Catalog, SourceError> {
        let mut tries = 1;
        loop {
            let mut gathered = Gathering::new(options, source);
            let listed = match self {
                Face::Extension => extension::list(link, &mut gathered).await,
                Face::Index => index::list(link, &mut gathered).await,
                Face::Resources => resources::list(link, &mut gathered).await,
            };
            match listed {
                Ok(()) => return Ok(gathered.into_catalog()),
                Err(error) if error.kind() == SourceErrorKind::NotFound && tries < TRIES => tries += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// What the server says of one skill now, its files included.
    pub(crate) async fn entry(self, link: &Link, old: &Entry, options: &McpOptions) -> Result<Entry, SourceError> {
        let entry = match self {
            Face::Extension => extension::entry(link, old, options).await?,
            Face::Index => index::entry(link, old, options).await?,
            Face::Resources => resources::entry(link, old, options).await?,
        };
        if entry.uri != old.uri {
            let (asked, found) = (told(old.uri.as_str()), told(entry.uri.as_str()));
            return Err(SourceError::invalid(format!("asked for `{asked}`, the server answers with `{found}`")));
        }
        Ok(entry)
    }
}

/// Entries on their way into a catalog, within bounds.
#[derive(Debug)]
struct Gathering<'a> {
    options: &'a McpOptions,
    source: &'a str,
    catalog: Catalog,
    seen: std::collections::HashSet<String>,
    weight: usize,
    left_out: usize,
}

/// Findings about single entries; more of them than a person reads.
const MOST_FINDINGS: usize = 1000;

impl<'a> Gathering<'a> {
    fn new(options: &'a McpOptions, source: &'a str) -> Gathering<'a> {
        let (catalog, seen) = (Catalog::default(), std::collections::HashSet::new());
        Gathering { options, source, catalog, seen, weight: 0, left_out: 0 }
    }

    /// Takes an entry, or says why not. `uri` is what it would be called.
    ///
    /// # Errors
    /// When the whole list is too large.
    fn add(&mut self, entry: Result<Entry, String>, uri: Option<&str>) -> Result<(), SourceError> {
        let entry = match entry {
            Ok(entry) => entry,
            Err(reason) => {
                self.leave_out(&format!("an entry cannot be used: {reason}"), uri);
                return Ok(());
            }
        };
        self.weight += entry.weight();
        let limits = &self.options.limits;
        if self.weight > limits.list_bytes {
            return Err(too_large(format!(
                "the list has more than {} bytes; the limit is `limits.list-bytes`",
                limits.list_bytes
            )));
        }
        if self.catalog.entries.len() == limits.skills {
            return Err(too_large(format!(
                "the list has more than {} skills; the limit is `limits.skills`",
                limits.skills
            )));
        }
        if !self.seen.insert(entry.uri.as_str().to_owned()) {
            self.leave_out("the server lists this address twice; the first entry stays", uri);
            return Ok(());
        }
        if entry.is_unverified() {
            let (stays, what) = match self.options.unverified {
                crate::Unverified::Listed => (true, "nobody can tell whether what is read is what was listed"),
                crate::Unverified::LeftOut => (false, "it is left out, as `unverified` says"),
            };
            let what = format!("the server gives no digests of this skill: {what}");
            self.say(Code::MCP_UNVERIFIED, &what, Some(entry.uri.as_str()));
            if !stays {
                return Ok(());
            }
        }
        self.catalog.entries.push(entry);
        Ok(())
    }

    fn leave_out(&mut self, message: &str, uri: Option<&str>) {
        self.left_out += 1;
        self.say(Code::MCP_ENTRY, message, uri);
    }

    fn say(&mut self, code: Code, message: &str, uri: Option<&str>) {
        if self.catalog.diagnostics.len() < MOST_FINDINGS {
            let place = uri.map_or_else(|| self.source.to_owned(), |uri| place(self.source, uri));
            self.catalog.diagnostics.push(finding(code, message, &place));
        }
    }

    fn into_catalog(mut self) -> Catalog {
        if self.catalog.diagnostics.len() == MOST_FINDINGS {
            let message = format!(
                "there are more findings than the {MOST_FINDINGS} that are shown; {} entries were left out",
                self.left_out
            );
            self.catalog.diagnostics.push(finding(Code::MCP_ENTRY, message, self.source));
        }
        self.catalog
    }
}

/// Where something at `uri` comes from: told with the name that the composer chose, so that no server passes for another.
pub(crate) fn place(source: &str, uri: &str) -> String {
    format!("{source}:{}", told(uri))
}

/// Bytes of a cursor: a place in a list, and no place to put things.
const CURSOR: usize = 16 << 10;

/// The pages of one list, each asked for once.
#[derive(Debug, Default)]
struct Pages {
    count: usize,
    cursors: std::collections::HashSet<String>,
    next: Option<String>,
}

impl Pages {
    /// What to ask for the next page with.
    fn params(&self) -> Option<PaginatedRequestParams> {
        let cursor = self.next.clone()?;
        Some(PaginatedRequestParams::default().with_cursor(Some(cursor)))
    }

    /// Whether another page follows `page`.
    ///
    /// # Errors
    /// When the list does not end: a page comes again, or there are too many.
    fn turn(&mut self, page: &Value, most: usize) -> Result<bool, SourceError> {
        self.count += 1;
        let Some(cursor) = page.get("nextCursor").and_then(Value::as_str) else { return Ok(false) };
        if cursor.len() > CURSOR {
            return Err(too_large(format!("a cursor of the list has more than {CURSOR} bytes")));
        }
        if !self.cursors.insert(cursor.to_owned()) {
            let cursor = told(cursor);
            return Err(SourceError::invalid(format!(
                "the list does not end: the cursor `{cursor}` comes a second time"
            )));
        }
        if self.count >= most {
            return Err(too_large(format!("the list has more than {most} pages; the limit is `limits.pages`")));
        }
        self.next = Some(cursor.to_owned());
        Ok(true)
    }
}

/// An answer as plain JSON, so that one malformed entry costs no other.
fn plain(answer: &ServerResult) -> Result<Value, SourceError> {
    serde_json::to_value(answer).map_err(|error| SourceError::invalid("the answer cannot be read").caused_by(error))
}

fn too_large(message: String) -> SourceError {
    SourceError::new(SourceErrorKind::TooLarge, message)
}

fn invalid(reason: String) -> SourceError {
    SourceError::invalid(format!("what the server says of the skill cannot be used: {reason}"))
}
