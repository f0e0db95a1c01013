//! What was listed last, and what was learned since.

use std::collections::HashMap;
use std::sync::Arc;

use repertoire_core::{Code, Diagnostic, Digest, Id, Listed, Listing, Revision, Skill, Stamp};

use crate::entry::{Entry, Said};
use crate::face::{Catalog, place};
use crate::front_matter::{self, finding};
use crate::ids;
use crate::level::Level;

/// What was listed last, and what was learned since.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    shelved: HashMap<Id, Shelved>,
    known: HashMap<String, Known>,
    learned: HashMap<String, Learned>,
    /// The revision and the fingerprint of the last listing.
    last: Option<(Revision, Stamp)>,
}

/// One listed skill.
#[derive(Debug, Clone)]
pub(crate) struct Shelved {
    pub(crate) entry: Arc<Entry>,
    pub(crate) stamp: Stamp,
    pub(crate) skill: Arc<Skill>,
}

/// An entry that was parsed.
#[derive(Debug, Clone)]
struct Known {
    stamp: Stamp,
    skill: Option<Arc<Skill>>,
    diagnostics: Vec<Diagnostic>,
}

/// What a file said whose front matter the list does not show.
#[derive(Debug, Clone)]
struct Learned {
    skill: Skill,
    digest: Digest,
}

impl Shelf {
    pub(crate) fn get(&self, id: &Id) -> Option<Shelved> {
        self.shelved.get(id).cloned()
    }

    /// The revision of the last listing.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.last.map(|(revision, _)| revision)
    }

    /// Whether `catalog` is what was listed last.
    pub(crate) fn is_as(&self, catalog: &Catalog) -> bool {
        self.last.is_some_and(|(_, last)| last == fingerprint(catalog))
    }

    /// Takes newer news of one skill; gives whether they differ.
    pub(crate) fn renew(&mut self, id: &Id, entry: Entry) -> bool {
        let Some(shelved) = self.shelved.get_mut(id) else { return false };
        if *shelved.entry == entry {
            return false;
        }
        // A list that shows no files cannot show that they differ either.
        let is_shown = matches!(entry.said, Said::All(_));
        if is_shown {
            shelved.stamp = entry.stamp();
        }
        shelved.entry = Arc::new(entry);
        is_shown
    }

    /// Keeps what a file said; gives whether that is news.
    pub(crate) fn learn(&mut self, id: &Id, skill: Skill, digest: Digest) -> bool {
        let Some(shelved) = self.shelved.get(id) else { return false };
        let uri = shelved.entry.uri.as_str().to_owned();
        let is_news = self.learned.get(&uri).is_none_or(|known| known.skill != skill || known.digest != digest);
        self.learned.insert(uri, Learned { skill, digest });
        is_news
    }

    /// The listing that `catalog` makes; `before` is the revision from before the server was asked.
    pub(crate) fn take(&mut self, catalog: Catalog, source: &str, before: Revision, level: &Level) -> Listing<Skill> {
        let fingerprint = fingerprint(&catalog);
        let revision = match self.last {
            // A change that nobody told.
            Some((last, print)) if last == before && print != fingerprint => level.rise_from(before),
            _ => before,
        };
        self.last = Some((revision, fingerprint));
        let Catalog { entries, mut diagnostics } = catalog;
        let (mut known, mut skills) = (HashMap::with_capacity(entries.len()), Vec::with_capacity(entries.len()));
        for entry in entries {
            let uri = entry.uri.as_str().to_owned();
            let stamp = entry.stamp();
            let read = match self.known.remove(&uri) {
                Some(read) if read.stamp == stamp => read,
                _ => parse(&entry, stamp, source),
            };
            diagnostics.extend(read.diagnostics.iter().cloned());
            if let Some(skill) = &read.skill {
                skills.push((entry, stamp, Arc::clone(skill)));
            }
            known.insert(uri, read);
        }
        self.learned.retain(|uri, _| known.contains_key(uri));
        self.known = known;
        self.shelve(revision, skills, diagnostics, source)
    }

    fn shelve(
        &mut self,
        revision: Revision,
        skills: Vec<(Entry, Stamp, Arc<Skill>)>,
        mut diagnostics: Vec<Diagnostic>,
        source: &str,
    ) -> Listing<Skill> {
        let named: Vec<_> = skills.iter().map(|(entry, _, skill)| (skill.id.clone(), entry.uri.clone())).collect();
        self.shelved.clear();
        let mut rows = Vec::with_capacity(skills.len());
        for ((entry, stamp, skill), id) in skills.into_iter().zip(ids::distinct(&named)) {
            // Whoever picks names can pick one that another skill is told apart by.
            if self.shelved.contains_key(&id) {
                let message = format!("another skill is listed as `{id}` already; this one is left out");
                diagnostics.push(finding(Code::MCP_ENTRY, message, &place(source, entry.uri.as_str())));
                continue;
            }
            let learned = self.learned.get(entry.uri.as_str());
            let mut skill = learned.map_or(skill, |learned| Arc::new(learned.skill.clone()));
            if id != skill.id {
                let message = format!("several skills are called `{}`; this one is listed as `{id}`", skill.id);
                diagnostics.push(finding(Code::MCP_SAME_NAME, message, &place(source, entry.uri.as_str())));
                Arc::make_mut(&mut skill).id = id.clone();
            }
            let mut row = Listed::new(Arc::clone(&skill), stamp);
            if let Some(digest) = entry.digest().or(learned.map(|learned| learned.digest)) {
                row = row.with_digest(digest);
            }
            rows.push(row);
            self.shelved.insert(id, Shelved { entry: Arc::new(entry), stamp, skill });
        }
        Listing::new(revision, rows, diagnostics)
    }
}

fn parse(entry: &Entry, stamp: Stamp, source: &str) -> Known {
    let location = place(source, entry.uri.as_str());
    let (skill, diagnostics) = front_matter::read(entry.said.fields(), &location, entry.uri.folder());
    Known { stamp, skill: skill.map(Arc::new), diagnostics }
}

/// Of everything that the server lists, in its order.
fn fingerprint(catalog: &Catalog) -> Stamp {
    let entries: Vec<String> = catalog.entries.iter().map(|entry| entry.stamp().to_string()).collect();
    let findings: Vec<&str> = catalog.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
    Stamp::of(&(entries, findings))
}
