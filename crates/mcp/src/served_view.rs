//! The skills that clients see of one snapshot.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use repertoire::permission::{Audience, VisibilityPolicy};
use repertoire::registry::{Candidate, Entry, Modified, Snapshot};
use repertoire::skill::skill_uri::SkillRoot;
use repertoire::tools::Toolset;
use repertoire::{Id, Skill};
use repertoire_mcp_servers::ToolTable;

use crate::conformance::is_listed;

/// The skills, prompts and tools of one snapshot, and the generation in which each list last changed.
#[derive(Debug)]
pub(crate) struct ServedView {
    pub(crate) snapshot: Snapshot<Skill>,
    pub(crate) skills: Vec<ServedSkill>,
    pub(crate) prompts: Vec<SkillPrompt>,
    /// The prompts whose skills have blanks in their names, by the name that replaces it.
    renamed: BTreeMap<Arc<str>, SkillPrompt>,
    pub(crate) tools: Toolset,
    pub(crate) versions: ListVersions,
    /// A number that each view increases.
    pub(crate) number: u64,
    /// The tools of servers, if the host serves them.
    pub(crate) table: Option<Arc<ToolTable>>,
    /// The reasons why tools of a skill are missing or denied.
    not_ready: HashMap<SkillRoot, Arc<str>>,
    policy: VisibilityPolicy,
}

#[derive(Debug, Clone)]
pub(crate) struct ServedSkill {
    entry: Arc<Entry<Skill>>,
    /// The position among the candidates of the entry. The winner is at 0.
    at: usize,
    is_winner_seen: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct SkillPrompt {
    entry: Arc<Entry<Skill>>,
    at: usize,
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

impl ListVersions {
    const fn all(version: u64) -> ListVersions {
        ListVersions {
            tools: version,
            prompts: version,
            resources: version,
            skills: version,
            standard_skills: version,
        }
    }
}

/// The skills and prompts of the entries that differ between two snapshots, before and after.
#[derive(Debug, Default)]
struct ChangedEntries {
    skills: Vec<[Vec<ServedSkill>; 2]>,
    prompts: Vec<[Vec<SkillPrompt>; 2]>,
}

impl ServedView {
    pub(crate) fn new(
        tools: Toolset,
        policy: &VisibilityPolicy,
        table: Option<Arc<ToolTable>>,
    ) -> ServedView {
        let snapshot = tools.snapshot().clone();
        let (mut skills, mut prompts) = (
            Vec::with_capacity(snapshot.len()),
            Vec::with_capacity(snapshot.len()),
        );
        for entry in snapshot.entries() {
            skills.extend(ServedSkill::all_of(entry, policy));
            prompts.extend(SkillPrompt::all_of(entry, policy));
        }
        let renamed = rename(&mut prompts);
        let now = snapshot.generation();
        let versions = ListVersions::all(now);
        let not_ready = not_ready(table.as_deref(), &skills, &prompts);
        ServedView {
            snapshot,
            skills,
            prompts,
            renamed,
            tools,
            versions,
            number: now,
            table,
            not_ready,
            policy: policy.clone(),
        }
    }

    /// Keeps the versions of the lists that did not change since `before`. Also returns the former addresses of changed entries.
    pub(crate) fn following(mut self, before: &ServedView) -> (ServedView, Vec<SkillRoot>) {
        self.number = self.number.max(before.number + 1);
        let (then, now) = (before.versions, ListVersions::all(self.number));
        let is_as_ready = self.not_ready == before.not_ready;
        let changed = ChangedEntries::since(before, &self);
        let is_ordered = self.snapshot.has_order_of(&before.snapshot);
        // Unless the registry knows that nothing came, went or moved, the keys of all skills are compared.
        let are_skills_ordered = is_ordered || self.skill_keys().eq(before.skill_keys());
        let are_prompts_ordered = (is_ordered || self.prompt_keys().eq(before.prompt_keys()))
            && self.renamed.keys().eq(before.renamed.keys());
        let has_same_skills = is_as_ready
            && are_skills_ordered
            && changed
                .skills
                .iter()
                .all(|pair| are_alike(pair, ServedSkill::is_same));
        let has_same_resources = is_as_ready
            && are_skills_ordered
            && changed
                .skills
                .iter()
                .all(|pair| are_alike(pair, ServedSkill::is_listed_as));
        let has_same_prompts = is_as_ready
            && are_prompts_ordered
            && changed
                .prompts
                .iter()
                .all(|pair| are_alike(pair, SkillPrompt::is_offered_as));
        let has_same_standard_skills = has_same_skills || is_as_ready && changed.has_only_others();
        self.versions = ListVersions {
            tools: match self.tools.tools() == before.tools.tools() {
                true => then.tools,
                false => now.tools,
            },
            prompts: match has_same_prompts {
                true => then.prompts,
                false => now.prompts,
            },
            resources: match has_same_resources {
                true => then.resources,
                false => now.resources,
            },
            skills: match has_same_skills {
                true => then.skills,
                false => now.skills,
            },
            standard_skills: match has_same_standard_skills {
                true => then.standard_skills,
                false => now.standard_skills,
            },
        };
        (self, changed.old_roots())
    }

    pub(crate) fn find(&self, root: &SkillRoot) -> Option<ServedSkill> {
        self.find_for_any(root)
            .filter(|skill| self.policy.sees(Audience::Model, skill.candidate()))
    }

    /// Returns the candidate of `root`, if `audience` sees it.
    pub(crate) fn candidate(
        &self,
        root: &SkillRoot,
        audience: Audience,
    ) -> Option<Candidate<Skill>> {
        let skill = self.find_for_any(root)?;
        let found = skill.candidate();
        self.policy.sees(audience, found).then(|| found.clone())
    }

    /// Returns the skill of `root`, also if the model does not see it.
    pub(crate) fn find_for_any(&self, root: &SkillRoot) -> Option<ServedSkill> {
        // An entry of a source with a namespace has the name of the source in its id.
        let ids = [root.id.clone(), Id::qualified(&root.source, &root.id)];
        let mut entries = ids.iter().filter_map(|id| self.snapshot.get(id.as_str()));
        entries.find_map(|entry| {
            let mut candidates = entry.candidates();
            Some(ServedSkill {
                entry: Arc::clone(entry),
                at: candidates.position(|candidate| key(candidate) == (&root.source, &root.id))?,
                is_winner_seen: self.policy.sees(Audience::Model, &entry.candidate),
            })
        })
    }

    /// Returns the reason why tools of `candidate` are missing or denied.
    pub(crate) fn not_ready(&self, candidate: &Candidate<Skill>) -> Option<&Arc<str>> {
        if self.not_ready.is_empty() {
            return None;
        }
        self.not_ready.get(&root_of(candidate))
    }

    /// Returns the ids of the skills whose tools are missing or denied.
    pub(crate) fn unready_ids(&self) -> impl Iterator<Item = &Id> {
        let entries = match self.not_ready.is_empty() {
            true => &[],
            false => self.snapshot.entries(),
        };
        let unready = entries
            .iter()
            .filter(|entry| self.not_ready(&entry.candidate).is_some());
        unready.map(|entry| &entry.id)
    }

    /// Returns whether the view has these tools of servers.
    pub(crate) fn has_table(&self, table: Option<&Arc<ToolTable>>) -> bool {
        match (&self.table, table) {
            (Some(mine), Some(other)) => Arc::ptr_eq(mine, other),
            (mine, other) => mine.is_none() && other.is_none(),
        }
    }

    /// Returns whether one of the tools for skills has this name.
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.tools.tools().iter().any(|tool| *tool.name == *name)
    }

    pub(crate) fn like(&self, root: &SkillRoot) -> Option<&ServedSkill> {
        self.skills.iter().find(|skill| {
            let (source, id) = key(skill.candidate());
            source.eq_ignore_ascii_case(&root.source)
                && id.as_str().eq_ignore_ascii_case(root.id.as_str())
        })
    }

    pub(crate) fn prompt_like(&self, name: &str) -> Option<Arc<str>> {
        let name = name.parse::<Id>().ok()?.as_str().to_lowercase();
        self.prompts
            .iter()
            .map(SkillPrompt::name)
            .find(|other| other.to_lowercase() == name)
    }

    pub(crate) fn renamed(&self, name: &str) -> Option<&SkillPrompt> {
        self.renamed.get(name)
    }

    fn skill_keys(&self) -> impl Iterator<Item = (&Arc<str>, &Id)> {
        self.skills.iter().map(|skill| key(skill.candidate()))
    }

    fn prompt_keys(&self) -> impl Iterator<Item = (&Arc<str>, &Id)> {
        self.prompts.iter().map(|prompt| key(prompt.candidate()))
    }
}

impl ChangedEntries {
    fn since(before: &ServedView, now: &ServedView) -> ChangedEntries {
        let change = now.snapshot.changes_since(&before.snapshot);
        let mut changed = ChangedEntries::default();
        let added = change.added.iter().map(|entry| [None, Some(entry)]);
        let removed = change.removed.iter().map(|entry| [Some(entry), None]);
        let modified = change
            .modified
            .iter()
            .map(|Modified { old, new, .. }| [Some(old), Some(new)]);
        for pair in added.chain(removed).chain(modified) {
            let entries = pair.map(|entry: Option<&Arc<Entry<Skill>>>| entry.into_iter());
            changed.skills.push(entries.clone().map(|entry| {
                entry
                    .flat_map(|entry| ServedSkill::all_of(entry, &now.policy))
                    .collect()
            }));
            changed.prompts.push(entries.map(|entry| {
                entry
                    .flat_map(|entry| SkillPrompt::all_of(entry, &now.policy))
                    .collect()
            }));
        }
        changed
    }

    fn old_roots(&self) -> Vec<SkillRoot> {
        let skills = self.skills.iter().flat_map(|[old, _]| old);
        let prompts = self.prompts.iter().flat_map(|[old, _]| old);
        let prompts = prompts.map(|prompt| root_of(prompt.candidate()));
        skills.map(ServedSkill::root).chain(prompts).collect()
    }

    /// Returns whether skills changed, and clients that accept only the Agent Skills standard see none of them.
    fn has_only_others(&self) -> bool {
        let mut unlike = self
            .skills
            .iter()
            .flat_map(|[old, new]| unlike(old, new).chain(unlike(new, old)))
            .peekable();
        unlike.peek().is_some() && !unlike.any(|skill| is_listed(skill.candidate()))
    }
}

fn unlike<'s>(
    skills: &'s [ServedSkill],
    others: &'s [ServedSkill],
) -> impl Iterator<Item = &'s ServedSkill> {
    skills
        .iter()
        .filter(|skill| !others.iter().any(|other| skill.is_same(other)))
}

fn are_alike<T>([old, new]: &[Vec<T>; 2], is_alike: impl Fn(&T, &T) -> bool) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| is_alike(old, new))
}

impl ServedSkill {
    fn all_of(
        entry: &Arc<Entry<Skill>>,
        policy: &VisibilityPolicy,
    ) -> impl Iterator<Item = ServedSkill> {
        let is_winner_seen = policy.sees(Audience::Model, &entry.candidate);
        let candidates = entry.candidates().enumerate();
        let seen = candidates.filter(|(_, candidate)| policy.sees(Audience::Model, candidate));
        seen.map(move |(at, _)| ServedSkill {
            entry: Arc::clone(entry),
            at,
            is_winner_seen,
        })
    }

    pub(crate) fn candidate(&self) -> &Candidate<Skill> {
        candidate_of(&self.entry, self.at)
    }

    pub(crate) fn id(&self) -> Id {
        id_of(&self.entry, self.at)
    }

    pub(crate) fn root(&self) -> SkillRoot {
        root_of(self.candidate())
    }

    /// Returns the candidate that shadows this one, if the client sees it.
    pub(crate) fn winner(&self) -> Option<&Candidate<Skill>> {
        (self.at > 0 && self.is_winner_seen).then_some(&self.entry.candidate)
    }

    /// Returns whether both are the same candidate of one snapshot's entry.
    pub(crate) fn is(&self, other: &ServedSkill) -> bool {
        Arc::ptr_eq(&self.entry, &other.entry) && self.at == other.at
    }

    fn is_same(&self, other: &ServedSkill) -> bool {
        self.is_named_as(other) && self.candidate().is_same(other.candidate())
    }

    fn is_named_as(&self, other: &ServedSkill) -> bool {
        self.id() == other.id()
            && self.winner().map(Candidate::qualified_id)
                == other.winner().map(Candidate::qualified_id)
    }

    fn is_listed_as(&self, other: &ServedSkill) -> bool {
        self.is_named_as(other) && have_same_text(self.candidate(), other.candidate())
    }
}

impl SkillPrompt {
    fn all_of(
        entry: &Arc<Entry<Skill>>,
        policy: &VisibilityPolicy,
    ) -> impl Iterator<Item = SkillPrompt> {
        let is_winner_called = policy
            .hidden_reason(Audience::User, &entry.candidate)
            .is_none();
        let shadows = entry.shadows.iter().enumerate().filter(move |(_, shadow)| {
            policy
                .hidden_reason(Audience::User, &shadow.candidate)
                .is_none()
                && !(is_winner_called && shadow.identical == Some(true))
        });
        let called = is_winner_called
            .then_some(0)
            .into_iter()
            .chain(shadows.map(|(at, _)| at + 1));
        called.map(|at| SkillPrompt {
            entry: Arc::clone(entry),
            at,
            name: None,
        })
    }

    pub(crate) fn candidate(&self) -> &Candidate<Skill> {
        candidate_of(&self.entry, self.at)
    }

    pub(crate) fn winner(&self) -> &Id {
        &self.entry.id
    }

    pub(crate) fn name(&self) -> Arc<str> {
        self.name
            .clone()
            .unwrap_or_else(|| id_of(&self.entry, self.at).as_str().into())
    }

    /// Returns whether both are the same candidate of one snapshot's entry, with the same name.
    pub(crate) fn is(&self, other: &SkillPrompt) -> bool {
        Arc::ptr_eq(&self.entry, &other.entry) && self.at == other.at && self.name == other.name
    }

    fn has_blank(&self) -> bool {
        id_of(&self.entry, self.at)
            .as_str()
            .contains(char::is_whitespace)
    }

    fn is_offered_as(&self, other: &SkillPrompt) -> bool {
        let (mine, theirs) = (self.candidate(), other.candidate());
        self.name() == other.name()
            && have_same_text(mine, theirs)
            && mine.item.arguments() == theirs.item.arguments()
            && mine.item.argument_hint() == theirs.item.argument_hint()
    }
}

/// Replaces the names with blanks, because clients turn the names of prompts into commands.
fn rename(prompts: &mut [SkillPrompt]) -> BTreeMap<Arc<str>, SkillPrompt> {
    let mut renamed = BTreeMap::new();
    if !prompts.iter().any(SkillPrompt::has_blank) {
        return renamed;
    }
    let others = prompts.iter().filter(|prompt| !prompt.has_blank());
    let mut taken: HashSet<Arc<str>> = others.map(SkillPrompt::name).collect();
    for prompt in prompts.iter_mut().filter(|prompt| prompt.has_blank()) {
        let base = prompt
            .name()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join("-");
        let numbered = (2..).map(|number: usize| format!("{base}-{number}"));
        let mut names = std::iter::once(base.clone())
            .chain(numbered)
            .map(Arc::<str>::from);
        let name = names
            .find(|name| taken.insert(Arc::clone(name)))
            .expect("numbers do not end");
        prompt.name = Some(Arc::clone(&name));
        renamed.insert(name, prompt.clone());
    }
    renamed
}

fn have_same_text(one: &Candidate<Skill>, other: &Candidate<Skill>) -> bool {
    one.item.description == other.item.description
        && one.trust == other.trust
        && one.origin == other.origin
}

fn not_ready(
    table: Option<&ToolTable>,
    skills: &[ServedSkill],
    prompts: &[SkillPrompt],
) -> HashMap<SkillRoot, Arc<str>> {
    let Some(table) = table else {
        return HashMap::new();
    };
    let called = prompts.iter().map(SkillPrompt::candidate);
    let candidates = skills.iter().map(ServedSkill::candidate).chain(called);
    candidates
        .filter_map(|candidate| Some((root_of(candidate), table.not_ready(candidate)?)))
        .collect()
}

pub(crate) fn root_of(candidate: &Candidate<Skill>) -> SkillRoot {
    let (source, id) = key(candidate);
    SkillRoot {
        source: Arc::clone(source),
        id: id.clone(),
    }
}

fn candidate_of(entry: &Entry<Skill>, at: usize) -> &Candidate<Skill> {
    entry
        .candidates()
        .nth(at)
        .expect("it was made of the entry's candidates")
}

fn id_of(entry: &Entry<Skill>, at: usize) -> Id {
    if at == 0 {
        entry.id.clone()
    } else {
        candidate_of(entry, at).qualified_id()
    }
}

fn key(candidate: &Candidate<Skill>) -> (&Arc<str>, &Id) {
    (&candidate.origin.source, &candidate.item.id)
}
