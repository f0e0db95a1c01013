//! What clients see at one moment.

use std::collections::HashMap;
use std::sync::Arc;

use repertoire::{Audience, Claim, Entry, Id, Modes, Skill, Snapshot, Toolset};

use crate::uri::Root;

/// What clients see at one moment: one snapshot behind every face.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) snapshot: Snapshot<Skill>,
    /// Every claim that a model may see, winners and shadows alike, in the snapshot's order.
    pub(crate) rows: Vec<Row>,
    /// Where the row of a skill is.
    at: HashMap<Root, usize>,
    /// What a user may call.
    pub(crate) prompts: Vec<Arc<Entry<Skill>>>,
    pub(crate) tools: Toolset,
    /// When each face showed something else for the last time.
    pub(crate) since: Since,
}

/// One skill of one source.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) root: Root,
    pub(crate) entry: Arc<Entry<Skill>>,
    /// Which of the entry's claims it is.
    claim: usize,
    /// Whether a model may see the winner, and so be told of it.
    is_winner_seen: bool,
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
}

impl Row {
    pub(crate) fn claim(&self) -> &Claim<Skill> {
        self.entry.claims().nth(self.claim).expect("the row was made of the entry's claims")
    }

    /// What reaches this claim: the bare id for the winner, else the one with the source in front.
    pub(crate) fn id(&self) -> Id {
        if self.claim == 0 { self.entry.id.clone() } else { self.claim().qualified_id() }
    }

    /// Who has the id that this claim would have otherwise; `None` for the winner itself, and for one that is hidden.
    pub(crate) fn winner(&self) -> Option<&Claim<Skill>> {
        (self.claim > 0 && self.is_winner_seen).then_some(&self.entry.claim)
    }

    /// Whether both show the same. What else claims the id, unseen, is no part of it.
    fn is_same(&self, other: &Row) -> bool {
        self.is_named_as(other)
            && (Arc::ptr_eq(&self.entry, &other.entry) && self.claim == other.claim
                || self.claim().is_same(other.claim()))
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
        let mut rows = Vec::with_capacity(snapshot.len());
        let mut prompts = Vec::new();
        for entry in snapshot.entries() {
            let is_seen = |claim: &Claim<Skill>| modes.hides(Audience::Model, claim).is_none();
            let is_winner_seen = is_seen(&entry.claim);
            let seen = entry.claims().enumerate().filter(|(_, claim)| is_seen(claim));
            let row = |(claim, of)| Row { root: Root::of(of), entry: Arc::clone(entry), claim, is_winner_seen };
            rows.extend(seen.map(row));
            if modes.hides(Audience::User, &entry.claim).is_none() {
                prompts.push(Arc::clone(entry));
            }
        }
        let at = rows.iter().enumerate().map(|(at, row)| (row.root.clone(), at)).collect();
        let now = snapshot.generation();
        let mut view = View {
            since: Since { tools: now, prompts: now, resources: now, skills: now },
            snapshot,
            rows,
            at,
            prompts,
            tools,
        };
        if let Some(before) = before {
            view.since = view.since_when(before);
        }
        view
    }

    pub(crate) fn find(&self, root: &Root) -> Option<&Row> {
        self.at.get(root).map(|at| &self.rows[*at])
    }

    fn since_when(&self, before: &View) -> Since {
        fn same<T>(new: &[T], old: &[T], is_same: impl Fn(&T, &T) -> bool) -> bool {
            new.len() == old.len() && new.iter().zip(old).all(|(new, old)| is_same(new, old))
        }
        let when = |is_same, then| if is_same { then } else { self.snapshot.generation() };
        let skills = same(&self.rows, &before.rows, Row::is_same);
        let resources = skills || same(&self.rows, &before.rows, Row::is_listed_as);
        let prompts = same(&self.prompts, &before.prompts, |new, old| Arc::ptr_eq(new, old) || is_offered_as(new, old));
        Since {
            tools: when(self.tools.tools() == before.tools.tools(), before.since.tools),
            prompts: when(prompts, before.since.prompts),
            resources: when(resources, before.since.resources),
            skills: when(skills, before.since.skills),
        }
    }
}

/// Whether two entries make the same prompt.
fn is_offered_as(new: &Entry<Skill>, old: &Entry<Skill>) -> bool {
    let (mine, theirs) = (new.item(), old.item());
    new.id == old.id
        && mine.description == theirs.description
        && mine.arguments() == theirs.arguments()
        && mine.argument_hint() == theirs.argument_hint()
        && new.claim.trust == old.claim.trust
        && new.claim.origin == old.claim.origin
}
