//! What clients see at one moment.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use repertoire::permission::{Audience, Modes};
use repertoire::registry::{Claim, Entry, Snapshot};
use repertoire::tools::Toolset;
use repertoire::{Id, Skill};

use crate::shelf::Told;
use crate::strict::is_listed;
use repertoire::skill::skill_uri::SkillRoot;

/// What clients see at one moment: one snapshot behind every face.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) snapshot: Snapshot<Skill>,
    /// Every claim that a model may see, winners and shadows alike, in the snapshot's order.
    pub(crate) rows: Vec<Row>,
    /// Where the row of a skill is; one table as long as the skills stay the same ones.
    at: Arc<HashMap<SkillRoot, usize>>,
    /// What a user may call: winners, and shadows that are not the same.
    pub(crate) prompts: Vec<Called>,
    /// Which of them have a name of their own, because clients cannot call their id.
    renamed: HashMap<Arc<str>, usize>,
    pub(crate) tools: Toolset,
    /// When each face showed something else for the last time.
    pub(crate) since: Since,
}

/// One skill of one source.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) root: SkillRoot,
    pub(crate) entry: Arc<Entry<Skill>>,
    /// Which of the entry's claims it is.
    claim: usize,
    /// Whether a model may see the winner, and so be told of it.
    is_winner_seen: bool,
    pub(crate) told: Arc<Told>,
}

/// A skill that a user may call.
#[derive(Debug, Clone)]
pub(crate) struct Called {
    entry: Arc<Entry<Skill>>,
    claim: usize,
    /// What it is called by, where that is not its id.
    name: Option<Arc<str>>,
}

/// For each face the generation in which it last became another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Since {
    pub(crate) tools: u64,
    pub(crate) prompts: u64,
    /// The list of resources: names and descriptions.
    pub(crate) resources: u64,
    /// The skills with all that they consist of.
    pub(crate) skills: u64,
    /// The skills that a client gets that refuses those outside of the standard.
    pub(crate) standard_skills: u64,
}

impl Row {
    pub(crate) fn claim(&self) -> &Claim<Skill> {
        claim_of(&self.entry, self.claim)
    }

    /// What reaches this claim: the bare id for the winner, else the one with the source in front.
    pub(crate) fn id(&self) -> Id {
        id_of(&self.entry, self.claim)
    }

    /// Who has the id that this claim would have otherwise; `None` for the winner itself, and for one that is hidden.
    pub(crate) fn winner(&self) -> Option<&Claim<Skill>> {
        (self.claim > 0 && self.is_winner_seen).then_some(&self.entry.claim)
    }

    /// Whether both show the same. What else claims the id, unseen, is no part of it.
    fn is_same(&self, other: &Row) -> bool {
        let is_untouched = Arc::ptr_eq(&self.entry, &other.entry)
            && (self.claim, self.is_winner_seen) == (other.claim, other.is_winner_seen);
        is_untouched || self.is_named_as(other) && self.claim().is_same(other.claim())
    }

    fn is_named_as(&self, other: &Row) -> bool {
        self.id() == other.id() && self.winner().map(Claim::qualified_id) == other.winner().map(Claim::qualified_id)
    }

    fn is_listed_as(&self, other: &Row) -> bool {
        let (mine, theirs) = (self.claim(), other.claim());
        self.root == other.root
            && mine.item.description == theirs.item.description
            && mine.trust == theirs.trust
            && mine.origin == theirs.origin
            && self.is_named_as(other)
    }
}

impl View {
    /// What is seen of the snapshot that `tools` are over.
    pub(crate) fn new(tools: Toolset, modes: &Modes, before: Option<&View>) -> View {
        let snapshot = tools.snapshot().clone();
        let mut rows = Rows::after(before, snapshot.len());
        let mut prompts = Vec::with_capacity(snapshot.len());
        for entry in snapshot.entries() {
            let is_seen = |claim: &Claim<Skill>| modes.hides(Audience::Model, claim).is_none();
            let is_winner_seen = is_seen(&entry.claim);
            for (claim, _) in entry.claims().enumerate().filter(|(_, claim)| is_seen(claim)) {
                rows.add(entry, claim, is_winner_seen);
            }
            prompts.extend(Called::all_of(entry, modes));
        }
        let (rows, at) = rows.done();
        let renamed = rename(&mut prompts);
        let now = snapshot.generation();
        let mut view = View {
            since: Since { tools: now, prompts: now, resources: now, skills: now, standard_skills: now },
            snapshot,
            rows,
            at,
            prompts,
            renamed,
            tools,
        };
        if let Some(before) = before {
            view.since = view.since_when(before);
        }
        view
    }

    pub(crate) fn find(&self, root: &SkillRoot) -> Option<&Row> {
        self.at.get(root).map(|at| &self.rows[*at])
    }

    /// Returns the row whose root differs from `root` in letter case alone.
    pub(crate) fn like(&self, root: &SkillRoot) -> Option<&Row> {
        self.rows.iter().find(|row| row.root.eq_ignore_case(root))
    }

    /// Returns the name of the prompt that differs from `name` in letter case alone.
    pub(crate) fn prompt_like(&self, name: &str) -> Option<Arc<str>> {
        let name = name.parse::<Id>().ok()?.as_str().to_lowercase();
        self.prompts.iter().map(Called::name).find(|other| other.to_lowercase() == name)
    }

    /// The skill whose prompt has a name of its own, by that name.
    pub(crate) fn renamed(&self, name: &str) -> Option<&Called> {
        self.renamed.get(name).map(|at| &self.prompts[*at])
    }

    fn since_when(&self, before: &View) -> Since {
        fn same<T>(new: &[T], old: &[T], is_same: impl Fn(&T, &T) -> bool) -> bool {
            new.len() == old.len() && new.iter().zip(old).all(|(new, old)| is_same(new, old))
        }
        let when = |is_same, then| if is_same { then } else { self.snapshot.generation() };
        let skills = same(&self.rows, &before.rows, Row::is_same);
        let resources = skills || same(&self.rows, &before.rows, Row::is_listed_as);
        let prompts = same(&self.prompts, &before.prompts, Called::is_offered_as);
        Since {
            tools: when(self.tools.tools() == before.tools.tools(), before.since.tools),
            prompts: when(prompts, before.since.prompts),
            resources: when(resources, before.since.resources),
            skills: when(skills, before.since.skills),
            standard_skills: when(skills || !self.has_standard_change(before), before.since.standard_skills),
        }
    }

    /// Returns whether a skill within the standard changed, came or went. Rows in a different order count as a change.
    fn has_standard_change(&self, before: &View) -> bool {
        let mut others = changed_rows(self, before).chain(changed_rows(before, self)).peekable();
        others.peek().is_none() || others.any(|row| is_listed(row.claim()))
    }
}

/// Returns the rows of `view` that are not the same in `other`.
fn changed_rows<'v>(view: &'v View, other: &'v View) -> impl Iterator<Item = &'v Row> {
    view.rows.iter().filter(|row| !other.find(&row.root).is_some_and(|found| found.is_same(row)))
}

/// The rows of a view in the making: those of the view before it that stay what they were are taken over, with what was told of them.
struct Rows<'v> {
    before: Option<&'v View>,
    /// Where in the view before the next row probably is.
    next: usize,
    rows: Vec<Row>,
}

impl<'v> Rows<'v> {
    fn after(before: Option<&'v View>, count: usize) -> Rows<'v> {
        Rows { before, next: 0, rows: Vec::with_capacity(count) }
    }

    fn add(&mut self, entry: &Arc<Entry<Skill>>, claim: usize, is_winner_seen: bool) {
        let row = self.kept(self.next, entry, claim, is_winner_seen).unwrap_or_else(|| {
            let of = entry.claims().nth(claim).expect("it is one of the entry's claims");
            let root = SkillRoot::new(&of.origin.source, of.item.id.as_str());
            let before = self.before.and_then(|before| Some((before, *before.at.get(&root)?)));
            let Some((before, at)) = before else {
                return Row { root, entry: Arc::clone(entry), claim, is_winner_seen, told: Arc::default() };
            };
            self.next = at;
            self.kept(at, entry, claim, is_winner_seen).unwrap_or_else(|| {
                let old = &before.rows[at];
                let told = if old.claim().stamp == of.stamp { old.told.for_another() } else { Told::default() };
                Row { root: old.root.clone(), entry: Arc::clone(entry), claim, is_winner_seen, told: Arc::new(told) }
            })
        });
        let is_there =
            self.before.and_then(|before| before.rows.get(self.next)).is_some_and(|old| old.root == row.root);
        self.next += usize::from(is_there);
        self.rows.push(row);
    }

    /// The row that was at this place, if it is the same one.
    fn kept(&self, at: usize, entry: &Arc<Entry<Skill>>, claim: usize, is_winner_seen: bool) -> Option<Row> {
        let old = self.before?.rows.get(at)?;
        let is_same = (old.claim, old.is_winner_seen) == (claim, is_winner_seen) && Arc::ptr_eq(&old.entry, entry);
        is_same.then(|| old.clone())
    }

    /// The rows, and where each is.
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

impl Called {
    /// What of `entry` a user may call. Whoever calls a winner has no use for a shadow that says the same.
    fn all_of(entry: &Arc<Entry<Skill>>, modes: &Modes) -> impl Iterator<Item = Called> {
        let may_call = |claim: &Claim<Skill>| modes.hides(Audience::User, claim).is_none();
        let is_winner_called = may_call(&entry.claim);
        let shadows = entry.shadows.iter().enumerate().filter(move |(_, shadow)| {
            may_call(&shadow.claim) && !(is_winner_called && shadow.identical == Some(true))
        });
        let claims = is_winner_called.then_some(0).into_iter().chain(shadows.map(|(at, _)| at + 1));
        claims.map(|claim| Called { entry: Arc::clone(entry), claim, name: None })
    }

    pub(crate) fn claim(&self) -> &Claim<Skill> {
        claim_of(&self.entry, self.claim)
    }

    /// What reaches it: the bare id for the winner, else the one with the source in front.
    pub(crate) fn id(&self) -> Id {
        id_of(&self.entry, self.claim)
    }

    /// The winner of its id.
    pub(crate) fn winner(&self) -> &Id {
        &self.entry.id
    }

    /// What it is called by: its id, or what stands for that.
    pub(crate) fn name(&self) -> Arc<str> {
        self.name.clone().unwrap_or_else(|| self.id().as_str().into())
    }

    /// Whether both make the same prompt.
    fn is_offered_as(&self, other: &Called) -> bool {
        if self.name != other.name {
            return false;
        }
        if Arc::ptr_eq(&self.entry, &other.entry) && self.claim == other.claim {
            return true;
        }
        let (mine, theirs) = (self.claim(), other.claim());
        self.id() == other.id()
            && mine.item.description == theirs.item.description
            && mine.item.arguments() == theirs.item.arguments()
            && mine.item.argument_hint() == theirs.item.argument_hint()
            && mine.trust == theirs.trust
            && mine.origin == theirs.origin
    }
}

/// Gives a name of their own to prompts whose ids have blanks, which clients cannot call: hyphens stand for the blanks, and a number
/// keeps it apart from the names of others. Returns where each is.
fn rename(prompts: &mut [Called]) -> HashMap<Arc<str>, usize> {
    let is_blank = |called: &Called| called.id().as_str().contains(char::is_whitespace);
    let blank: Vec<usize> = (0..prompts.len()).filter(|at| is_blank(&prompts[*at])).collect();
    if blank.is_empty() {
        return HashMap::new();
    }
    let mut taken: HashSet<Arc<str>> = prompts.iter().filter(|called| !is_blank(called)).map(Called::name).collect();
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

fn claim_of(entry: &Entry<Skill>, claim: usize) -> &Claim<Skill> {
    entry.claims().nth(claim).expect("it was made of the entry's claims")
}

/// What reaches a claim of `entry`, whoever sees the others.
fn id_of(entry: &Entry<Skill>, claim: usize) -> Id {
    if claim == 0 { entry.id.clone() } else { claim_of(entry, claim).qualified_id() }
}
