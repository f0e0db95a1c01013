//! A view: everything that clients see of one snapshot.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use repertoire::permission::{Audience, VisibilityPolicy};
use repertoire::registry::{Candidate, Entry, Snapshot};
use repertoire::tools::Toolset;
use repertoire::{Id, Skill};

use crate::fastmcp_compat::is_listed;
use crate::served_files::CachedManifest;
use repertoire::skill::skill_uri::SkillRoot;

#[derive(Debug)]
pub(crate) struct View {
    pub(crate) snapshot: Snapshot<Skill>,
    pub(crate) rows: Vec<Row>,
    at: Arc<HashMap<SkillRoot, usize>>,
    pub(crate) prompts: Vec<PromptEntry>,
    renamed: HashMap<Arc<str>, usize>,
    pub(crate) tools: Toolset,
    pub(crate) versions: ListVersions,
}

#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) root: SkillRoot,
    pub(crate) entry: Arc<Entry<Skill>>,
    candidate: usize,
    is_winner_seen: bool,
    pub(crate) manifest: Arc<CachedManifest>,
}

#[derive(Debug, Clone)]
pub(crate) struct PromptEntry {
    entry: Arc<Entry<Skill>>,
    candidate: usize,
    name: Option<Arc<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListVersions {
    pub(crate) tools: u64,
    pub(crate) prompts: u64,
    pub(crate) resources: u64,
    pub(crate) skills: u64,
    pub(crate) standard_skills: u64,
}

impl Row {
    pub(crate) fn candidate(&self) -> &Candidate<Skill> {
        candidate_of(&self.entry, self.candidate)
    }

    pub(crate) fn id(&self) -> Id {
        id_of(&self.entry, self.candidate)
    }

    pub(crate) fn winner(&self) -> Option<&Candidate<Skill>> {
        (self.candidate > 0 && self.is_winner_seen).then_some(&self.entry.candidate)
    }

    fn is_same(&self, other: &Row) -> bool {
        let is_untouched = Arc::ptr_eq(&self.entry, &other.entry)
            && (self.candidate, self.is_winner_seen) == (other.candidate, other.is_winner_seen);
        is_untouched || self.is_named_as(other) && self.candidate().is_same(other.candidate())
    }

    fn is_named_as(&self, other: &Row) -> bool {
        self.id() == other.id()
            && self.winner().map(Candidate::qualified_id) == other.winner().map(Candidate::qualified_id)
    }

    fn is_listed_as(&self, other: &Row) -> bool {
        let (mine, theirs) = (self.candidate(), other.candidate());
        self.root == other.root
            && mine.item.description == theirs.item.description
            && mine.trust == theirs.trust
            && mine.origin == theirs.origin
            && self.is_named_as(other)
    }
}

impl View {
    pub(crate) fn new(tools: Toolset, modes: &VisibilityPolicy, before: Option<&View>) -> View {
        let snapshot = tools.snapshot().clone();
        let mut rows = RowsBuilder::after(before, snapshot.len());
        let mut prompts = Vec::with_capacity(snapshot.len());
        for entry in snapshot.entries() {
            let is_winner_seen = modes.hides(Audience::Model, &entry.candidate).is_none();
            for (at, candidate) in entry.candidates().enumerate() {
                if modes.hides(Audience::Model, candidate).is_none() {
                    rows.add(entry, at, is_winner_seen);
                }
            }
            prompts.extend(PromptEntry::all_of(entry, modes));
        }
        let (rows, at) = rows.done();
        let renamed = rename(&mut prompts);
        let now = snapshot.generation();
        let mut view = View {
            versions: ListVersions { tools: now, prompts: now, resources: now, skills: now, standard_skills: now },
            snapshot,
            rows,
            at,
            prompts,
            renamed,
            tools,
        };
        if let Some(before) = before {
            view.versions = view.versions_since(before);
        }
        view
    }

    pub(crate) fn find(&self, root: &SkillRoot) -> Option<&Row> {
        self.at.get(root).map(|at| &self.rows[*at])
    }

    pub(crate) fn like(&self, root: &SkillRoot) -> Option<&Row> {
        self.rows.iter().find(|row| row.root.eq_ignore_case(root))
    }

    pub(crate) fn prompt_like(&self, name: &str) -> Option<Arc<str>> {
        let name = name.parse::<Id>().ok()?.as_str().to_lowercase();
        self.prompts.iter().map(PromptEntry::name).find(|other| other.to_lowercase() == name)
    }

    pub(crate) fn renamed(&self, name: &str) -> Option<&PromptEntry> {
        self.renamed.get(name).map(|at| &self.prompts[*at])
    }

    fn versions_since(&self, before: &View) -> ListVersions {
        fn same<T>(new: &[T], old: &[T], is_same: impl Fn(&T, &T) -> bool) -> bool {
            new.len() == old.len() && new.iter().zip(old).all(|(new, old)| is_same(new, old))
        }
        let now = self.snapshot.generation();
        let then = before.versions;
        let skills = same(&self.rows, &before.rows, Row::is_same);
        let resources = skills || same(&self.rows, &before.rows, Row::is_listed_as);
        let prompts = same(&self.prompts, &before.prompts, PromptEntry::is_offered_as);
        ListVersions {
            tools: if self.tools.tools() == before.tools.tools() { then.tools } else { now },
            prompts: if prompts { then.prompts } else { now },
            resources: if resources { then.resources } else { now },
            skills: if skills { then.skills } else { now },
            standard_skills: if skills || !self.has_standard_change(before) { then.standard_skills } else { now },
        }
    }

    fn has_standard_change(&self, before: &View) -> bool {
        let mut others = changed_rows(self, before).chain(changed_rows(before, self)).peekable();
        others.peek().is_none() || others.any(|row| is_listed(row.candidate()))
    }
}

fn changed_rows<'v>(view: &'v View, other: &'v View) -> impl Iterator<Item = &'v Row> {
    view.rows.iter().filter(|row| !other.find(&row.root).is_some_and(|found| found.is_same(row)))
}

struct RowsBuilder<'v> {
    before: Option<&'v View>,
    next: usize,
    rows: Vec<Row>,
}

impl<'v> RowsBuilder<'v> {
    fn after(before: Option<&'v View>, count: usize) -> RowsBuilder<'v> {
        RowsBuilder { before, next: 0, rows: Vec::with_capacity(count) }
    }

    fn add(&mut self, entry: &Arc<Entry<Skill>>, candidate: usize, is_winner_seen: bool) {
        let row = self.reused(self.next, entry, candidate, is_winner_seen).unwrap_or_else(|| {
            let of = entry.candidates().nth(candidate).expect("it is one of the entry's candidates");
            let root = SkillRoot::new(&of.origin.source, of.item.id.as_str());
            let before = self.before.and_then(|before| Some((before, *before.at.get(&root)?)));
            let Some((before, at)) = before else {
                return Row { root, entry: Arc::clone(entry), candidate, is_winner_seen, manifest: Arc::default() };
            };
            self.next = at;
            self.reused(at, entry, candidate, is_winner_seen).unwrap_or_else(|| {
                let old = &before.rows[at];
                let manifest = if old.candidate().stamp == of.stamp {
                    old.manifest.for_new_row()
                } else {
                    CachedManifest::default()
                };
                Row {
                    root: old.root.clone(),
                    entry: Arc::clone(entry),
                    candidate,
                    is_winner_seen,
                    manifest: Arc::new(manifest),
                }
            })
        });
        let is_there =
            self.before.and_then(|before| before.rows.get(self.next)).is_some_and(|old| old.root == row.root);
        self.next += usize::from(is_there);
        self.rows.push(row);
    }

    fn reused(&self, at: usize, entry: &Arc<Entry<Skill>>, candidate: usize, is_winner_seen: bool) -> Option<Row> {
        let old = self.before?.rows.get(at)?;
        let is_same =
            (old.candidate, old.is_winner_seen) == (candidate, is_winner_seen) && Arc::ptr_eq(&old.entry, entry);
        is_same.then(|| old.clone())
    }

    fn done(self) -> (Vec<Row>, Arc<HashMap<SkillRoot, usize>>) {
        if let Some(before) = self.before
            && before.rows.len() == self.rows.len()
            && before.rows.iter().zip(&self.rows).all(|(old, new)| old.root == new.root)
        {
            return (self.rows, Arc::clone(&before.at));
        }
        let at = self.rows.iter().enumerate().map(|(at, row)| (row.root.clone(), at)).collect();
        (self.rows, Arc::new(at))
    }
}

impl PromptEntry {
    fn all_of(entry: &Arc<Entry<Skill>>, modes: &VisibilityPolicy) -> impl Iterator<Item = PromptEntry> {
        let is_winner_called = modes.hides(Audience::User, &entry.candidate).is_none();
        let shadows = entry.shadows.iter().enumerate().filter(move |(_, shadow)| {
            modes.hides(Audience::User, &shadow.candidate).is_none()
                && !(is_winner_called && shadow.identical == Some(true))
        });
        let candidates = is_winner_called.then_some(0).into_iter().chain(shadows.map(|(at, _)| at + 1));
        candidates.map(|candidate| PromptEntry { entry: Arc::clone(entry), candidate, name: None })
    }

    pub(crate) fn candidate(&self) -> &Candidate<Skill> {
        candidate_of(&self.entry, self.candidate)
    }

    pub(crate) fn id(&self) -> Id {
        id_of(&self.entry, self.candidate)
    }

    pub(crate) fn winner(&self) -> &Id {
        &self.entry.id
    }

    pub(crate) fn name(&self) -> Arc<str> {
        self.name.clone().unwrap_or_else(|| self.id().as_str().into())
    }

    fn has_blank(&self) -> bool {
        self.id().as_str().contains(char::is_whitespace)
    }

    fn is_offered_as(&self, other: &PromptEntry) -> bool {
        if self.name != other.name {
            return false;
        }
        if Arc::ptr_eq(&self.entry, &other.entry) && self.candidate == other.candidate {
            return true;
        }
        let (mine, theirs) = (self.candidate(), other.candidate());
        self.id() == other.id()
            && mine.item.description == theirs.item.description
            && mine.item.arguments() == theirs.item.arguments()
            && mine.item.argument_hint() == theirs.item.argument_hint()
            && mine.trust == theirs.trust
            && mine.origin == theirs.origin
    }
}

fn rename(prompts: &mut [PromptEntry]) -> HashMap<Arc<str>, usize> {
    let blank: Vec<usize> = (0..prompts.len()).filter(|at| prompts[*at].has_blank()).collect();
    if blank.is_empty() {
        return HashMap::new();
    }
    let mut taken: HashSet<Arc<str>> =
        prompts.iter().filter(|prompt| !prompt.has_blank()).map(PromptEntry::name).collect();
    let mut renamed = HashMap::with_capacity(blank.len());
    for at in blank {
        let name = prompts[at].id().as_str().split_whitespace().collect::<Vec<_>>().join("-");
        let others = (2..).map(|number: usize| format!("{name}-{number}"));
        let mut names = std::iter::once(name.clone()).chain(others).map(Arc::<str>::from);
        let name = names.find(|name| !taken.contains(name)).expect("there is no end of numbers");
        taken.insert(Arc::clone(&name));
        renamed.insert(Arc::clone(&name), at);
        prompts[at].name = Some(name);
    }
    renamed
}

fn candidate_of(entry: &Entry<Skill>, candidate: usize) -> &Candidate<Skill> {
    entry.candidates().nth(candidate).expect("it was made of the entry's candidates")
}

fn id_of(entry: &Entry<Skill>, candidate: usize) -> Id {
    if candidate == 0 { entry.id.clone() } else { candidate_of(entry, candidate).qualified_id() }
}
