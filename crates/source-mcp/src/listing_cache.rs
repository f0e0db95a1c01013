//! The last listing, and the front matter of files that were read since.

use std::collections::HashMap;
use std::sync::Arc;

use repertoire_core::{
    Code, Diagnostic, Digest, Id, Listing, ListingEntry, Revision, Skill, Stamp,
};

use crate::front_matter::{self, diagnostic};
use crate::listed_skill::{ListedFields, ListedSkill};
use crate::listing_method::{ServerCatalog, location_of};
use crate::revision_signal::RevisionSignal;
use repertoire_core::skill_uri::ServerUri;

#[derive(Debug, Default)]
pub(crate) struct ListingCache {
    cached: HashMap<Id, CachedSkill>,
    parsed: HashMap<String, ParsedEntry>,
    fetched: HashMap<String, FetchedSkill>,
    last: Option<(Revision, Stamp)>,
}

#[derive(Debug, Clone)]
pub(crate) struct CachedSkill {
    pub(crate) entry: Arc<ListedSkill>,
    pub(crate) stamp: Stamp,
    pub(crate) skill: Arc<Skill>,
}

#[derive(Debug, Clone)]
struct ParsedEntry {
    stamp: Stamp,
    skill: Option<Arc<Skill>>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Debug, Clone)]
struct FetchedSkill {
    skill: Skill,
    digest: Digest,
}

impl ListingCache {
    pub(crate) fn get(&self, id: &Id) -> Option<CachedSkill> {
        self.cached.get(id).cloned()
    }

    pub(crate) fn revision(&self) -> Option<Revision> {
        self.last.map(|(revision, _)| revision)
    }

    pub(crate) fn matches(&self, catalog: &ServerCatalog) -> bool {
        self.last
            .is_some_and(|(_, last)| last == fingerprint(catalog))
    }

    pub(crate) fn refresh(&mut self, id: &Id, entry: ListedSkill) -> bool {
        let Some(cached) = self.cached.get_mut(id) else {
            return false;
        };
        if *cached.entry == entry {
            return false;
        }
        // A list without files cannot show a change of a file either.
        let is_shown = matches!(entry.fields, ListedFields::Complete(_));
        if is_shown {
            cached.stamp = entry.stamp();
        }
        cached.entry = Arc::new(entry);
        is_shown
    }

    pub(crate) fn record_fetched(&mut self, id: &Id, skill: Skill, digest: Digest) -> bool {
        let Some(cached) = self.cached.get(id) else {
            return false;
        };
        let uri = cached.entry.uri.as_str().to_owned();
        let is_new = self
            .fetched
            .get(&uri)
            .is_none_or(|parsed| parsed.skill != skill || parsed.digest != digest);
        self.fetched.insert(uri, FetchedSkill { skill, digest });
        is_new
    }

    pub(crate) fn update(
        &mut self,
        catalog: ServerCatalog,
        source: &str,
        before: Revision,
        signal: &RevisionSignal,
    ) -> Listing<Skill> {
        let fingerprint = fingerprint(&catalog);
        let revision = match self.last {
            // The server changed without a notification.
            Some((last, print)) if last == before && print != fingerprint => {
                signal.bump_from(before)
            }
            _ => before,
        };
        self.last = Some((revision, fingerprint));
        let ServerCatalog {
            entries,
            mut diagnostics,
        } = catalog;
        let (mut parsed, mut skills) = (
            HashMap::with_capacity(entries.len()),
            Vec::with_capacity(entries.len()),
        );
        for entry in entries {
            let uri = entry.uri.as_str().to_owned();
            let stamp = entry.stamp();
            let read = match self.parsed.remove(&uri) {
                Some(read) if read.stamp == stamp => read,
                _ => parse(&entry, stamp, source),
            };
            diagnostics.extend(read.diagnostics.iter().cloned());
            if let Some(skill) = &read.skill {
                skills.push((entry, stamp, Arc::clone(skill)));
            }
            parsed.insert(uri, read);
        }
        self.fetched.retain(|uri, _| parsed.contains_key(uri));
        self.parsed = parsed;
        self.store(revision, skills, diagnostics, source)
    }

    fn store(
        &mut self,
        revision: Revision,
        skills: Vec<(ListedSkill, Stamp, Arc<Skill>)>,
        mut diagnostics: Vec<Diagnostic>,
        source: &str,
    ) -> Listing<Skill> {
        let named: Vec<_> = skills
            .iter()
            .map(|(entry, _, skill)| (skill.id.clone(), entry.uri.clone()))
            .collect();
        self.cached.clear();
        let mut rows = Vec::with_capacity(skills.len());
        for ((entry, stamp, skill), id) in skills.into_iter().zip(distinct_ids(&named)) {
            // A server can choose a name that equals the qualified id of a different skill.
            if self.cached.contains_key(&id) {
                let message =
                    format!("another skill is listed as `{id}` already; this one is omitted");
                diagnostics.push(diagnostic(
                    Code::MCP_ENTRY,
                    message,
                    &location_of(source, entry.uri.as_str()),
                ));
                continue;
            }
            let fetched = self.fetched.get(entry.uri.as_str());
            let mut skill = fetched.map_or(skill, |fetched| Arc::new(fetched.skill.clone()));
            if id != skill.id {
                let message = format!(
                    "several skills are called `{}`; this one is listed as `{id}`",
                    skill.id
                );
                diagnostics.push(diagnostic(
                    Code::MCP_SAME_NAME,
                    message,
                    &location_of(source, entry.uri.as_str()),
                ));
                Arc::make_mut(&mut skill).id = id.clone();
            }
            let mut row = ListingEntry::new(Arc::clone(&skill), stamp);
            if let Some(digest) = entry.digest().or(fetched.map(|fetched| fetched.digest)) {
                row = row.with_digest(digest);
            }
            rows.push(row);
            self.cached.insert(
                id,
                CachedSkill {
                    entry: Arc::new(entry),
                    stamp,
                    skill,
                },
            );
        }
        Listing::new(revision, rows, diagnostics)
    }
}

fn parse(entry: &ListedSkill, stamp: Stamp, source: &str) -> ParsedEntry {
    let location = location_of(source, entry.uri.as_str());
    let (skill, diagnostics) =
        front_matter::read(entry.fields.fields(), &location, entry.uri.folder());
    ParsedEntry {
        stamp,
        skill: skill.map(Arc::new),
        diagnostics,
    }
}

fn fingerprint(catalog: &ServerCatalog) -> Stamp {
    let entries: Vec<String> = catalog
        .entries
        .iter()
        .map(|entry| entry.stamp().to_string())
        .collect();
    let diagnostics: Vec<&str> = catalog
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.message.as_str())
        .collect();
    Stamp::of(&(entries, diagnostics))
}

/// Returns an id for each skill, independent of the order of the list. If several skills have a name, each gets the folders above
/// it in front, and a digest of its URI if that is not enough.
fn distinct_ids(named: &[(Id, ServerUri)]) -> Vec<Id> {
    let names = counts(named.iter().map(|(name, _)| name));
    let qualified = named.iter().map(|(name, uri)| match uri.prefix() {
        prefix if names[name] > 1 && !prefix.is_empty() => format!("{}.{name}", prefix.join("."))
            .parse()
            .unwrap_or_else(|_| name.clone()),
        _ => name.clone(),
    });
    let mut ids: Vec<Id> = qualified.collect();
    let taken: HashMap<Id, usize> = counts(ids.iter())
        .into_iter()
        .map(|(id, count)| (id.clone(), count))
        .collect();
    for (id, (_, uri)) in ids.iter_mut().zip(named) {
        if taken[id] > 1 {
            let digest = Digest::of(uri.as_str().as_bytes()).to_string();
            *id = format!("{id}~{}", &digest["sha256:".len()..][..8])
                .parse()
                .unwrap_or_else(|_| id.clone());
        }
    }
    ids
}

fn counts<'i>(ids: impl Iterator<Item = &'i Id>) -> HashMap<&'i Id, usize> {
    let mut counts = HashMap::new();
    for id in ids {
        *counts.entry(id).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests;
