//! The triggers of a snapshot, compiled.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use repertoire_core::{Id, Skill, SkillTrigger};
use repertoire_registry::{Entry, Modified, Snapshot};

use super::declared::{DeclaredTrigger, RefusedTrigger, TriggerRefusal};
use super::keywords::{Keywords, Matcher, PatternGroup, Regexes};
use super::mention::{Mentions, Sigil, SortedNames};
use super::trigger_match::{MatchedBy, TriggerMatch};
use super::{declared, mention};
use crate::globs::{PathGlobs, ToolGlobs};
use crate::session::{Notice, ToolResult, Turn};
use repertoire_permission::VisibilityPolicy;

/// The compiled triggers of a snapshot. Immutable and cheap to clone.
///
/// | trigger | holds |
/// |---|---|
/// | keyword | where the message has it as words of their own: between blanks, signs and the ends, of any script; in a script without blanks anywhere. Compared in NFKC without letter case; blanks in a row are one |
/// | task | for a task of this type, letter case aside |
/// | tool | when a tool was called whose whole name matches: `*` and `?` take any character, `{a,b}` is one of both |
/// | path | for a file whose path matches: `*` and `?` end at slashes, `**` does not; one without a slash is held against the last part of the path. Letter case matters, dots at the start are no exception, brackets are no classes |
/// | command | when the user gave the command, by itself or as `/name` in the message; letter case aside |
/// | regex | where the message has a match, which need not be all of it: `^` and `$` are the ends of the message, unless `(?m)` makes them those of lines. Letter case matters, unless `(?i)` says otherwise |
/// | always | in every turn |
///
/// Beside them, every skill that the user may invoke is suggested by a mention, `$name` or `/name`, that stands by itself; the
/// name is written as the skill's, bare or in full. A name that several skills have mentions none, and
/// [`missed`](Triggers::missed) returns it.
///
/// Only skills of trusted sources may declare `always` and `regex`, and only theirs are [activated](TriggerMatch::activates) by what they
/// declare. A keyword that nearly every message has never holds, whatever its source: see [`WeakKeyword`](repertoire_core::WeakKeyword).
/// What is refused is returned by [`refused`](Triggers::refused).
///
/// ```
/// use repertoire_core::{ListingEntry, Listing, Revision, Stamp, skill_md};
/// use repertoire_permission::VisibilityPolicy;
/// use repertoire_engine::session::Turn;
/// use repertoire_engine::trigger::Triggers;
/// use repertoire_registry::{Layer, Origin, Tier, merge};
///
/// let text = b"---\nname: release-notes\ndescription: Writes them.\ntriggers: [changelog, {path: CHANGELOG.md}]\n---\n";
/// let skill = skill_md::parse(text, skill_md::FileContext::new("SKILL.md")).skill.ok_or("a skill")?;
/// let listing = Listing::new(Revision(0), [ListingEntry::new(skill, Stamp::of("1"))], []);
/// let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, listing)]);
///
/// let triggers = Triggers::new(&snapshot);
/// let policy = VisibilityPolicy::default();
/// let fired = |message: &str| triggers.fired(&Turn::new(message), &policy).first().map(|fired| fired.spans.to_vec());
/// assert_eq!(fired("Write the Changelog, please"), Some(vec![10..19]));
/// assert_eq!(fired("What are changelogs?"), None);
/// assert_eq!(fired("/release-notes since 1.0"), Some(vec![0..14]));
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Debug, Clone)]
pub struct Triggers(Arc<TriggerData>);

#[derive(Debug)]
struct TriggerData {
    snapshot: Snapshot<Skill>,
    compiled: Arc<Compiled>,
}

#[derive(Debug)]
struct Compiled {
    declared: Vec<DeclaredTrigger>,
    refused: Vec<(Id, SkillTrigger, TriggerRefusal)>,
    keywords: PatternGroup<Keywords>,
    tools: PatternGroup<ToolGlobs>,
    paths: PatternGroup<PathGlobs>,
    regexes: PatternGroup<Regexes>,
    tasks: HashMap<String, Vec<usize>>,
    commands: HashMap<String, Vec<usize>>,
    always: Vec<usize>,
    /// Bare names of skills and commands, and full names of skills that have no other.
    names: SortedNames,
    sources: SortedNames,
}

type Spans = Arc<[Range<usize>]>;

impl Triggers {
    /// Compiles the triggers of `snapshot`.
    pub fn new(snapshot: &Snapshot<Skill>) -> Triggers {
        Triggers(Arc::new(TriggerData {
            snapshot: snapshot.clone(),
            compiled: Arc::new(Compiled::new(snapshot, None)),
        }))
    }

    /// Returns the triggers of `snapshot`, compiled from these: equal to [`new`](Triggers::new).
    ///
    /// A change that leaves names and triggers as they were costs what changed. Any other reads all front matter again, and
    /// reuses what is compiled of each kind of trigger whose texts are the same.
    #[must_use]
    pub fn updated(&self, snapshot: &Snapshot<Skill>) -> Triggers {
        if self.0.snapshot.ptr_eq(snapshot) {
            return self.clone();
        }
        let compiled = match declare_alike(&self.0.snapshot, snapshot) {
            true => self.0.compiled.clone(),
            false => Arc::new(Compiled::new(snapshot, Some(&self.0.compiled))),
        };
        Triggers(Arc::new(TriggerData {
            snapshot: snapshot.clone(),
            compiled,
        }))
    }

    /// Returns the snapshot whose triggers these are.
    pub fn snapshot(&self) -> &Snapshot<Skill> {
        &self.0.snapshot
    }

    /// Returns the triggers that never match, in the order of skills, those that could not be compiled last.
    pub fn refused(&self) -> Vec<RefusedTrigger> {
        let refused = self.0.compiled.refused.iter();
        let refused = refused.map(|(id, trigger, why)| RefusedTrigger {
            entry: self.entry(id).clone(),
            trigger: trigger.clone(),
            refusal: why.clone(),
        });
        refused.collect()
    }

    fn entry(&self, id: &Id) -> &Arc<Entry<Skill>> {
        self.0
            .snapshot
            .get(id.as_str())
            .expect("the triggers are those of the snapshot")
    }

    /// Returns every trigger that matches, each once.
    ///
    /// 1. Mentions, in the order of the message; each at its first place.
    /// 2. What skills declare: by tier and source; then the longer trigger; then in the order of skills and their files.
    ///
    /// `policy` hides skills: from the user for mentions and commands, and from the model for all other triggers.
    ///
    /// Takes time in proportion to the message, to the number of regular expressions, and to the number of matches.
    pub fn fired(&self, turn: &Turn, policy: &VisibilityPolicy) -> Vec<TriggerMatch> {
        self.evaluate_all(turn, policy).0
    }

    /// Returns the skills that the user named and that do not match, each once, in the order of the message.
    pub fn missed(&self, turn: &Turn, policy: &VisibilityPolicy) -> Vec<Notice> {
        self.evaluate_all(turn, policy).1
    }

    pub(crate) fn evaluate_all(
        &self,
        turn: &Turn,
        modes: &VisibilityPolicy,
    ) -> (Vec<TriggerMatch>, Vec<Notice>) {
        let mut mentions = Mentions::new(&self.0.snapshot, modes);
        let holding = self.0.compiled.holding(turn, &mut mentions);
        let (mut fired, missed) = mentions.into_matches();
        for (number, spans) in holding {
            let declared = &self.0.compiled.declared[number];
            let (entry, trigger) = (self.entry(&declared.id).clone(), declared.trigger.clone());
            if modes
                .hidden_reason(declared.audience(), &entry.candidate)
                .is_none()
            {
                fired.push(TriggerMatch {
                    candidate: entry.candidate.clone(),
                    entry,
                    by: MatchedBy::Declared(trigger),
                    spans,
                });
            }
        }
        (fired, missed)
    }
}

impl Compiled {
    fn new(snapshot: &Snapshot<Skill>, before: Option<&Compiled>) -> Compiled {
        let (mut declared, refused) = declared::of(snapshot);
        let mut owned: [Vec<(String, usize)>; 4] = Default::default();
        let [keywords, tools, paths, regexes] = &mut owned;
        let (mut tasks, mut commands) = (
            HashMap::<String, Vec<usize>>::new(),
            HashMap::<String, Vec<usize>>::new(),
        );
        let mut always = Vec::new();
        for (number, (DeclaredTrigger { trigger, .. }, key)) in declared.iter_mut().enumerate() {
            let key = std::mem::take(key);
            match trigger {
                SkillTrigger::Keyword(_) => keywords.push((key, number)),
                SkillTrigger::Tool(_) => tools.push((key, number)),
                SkillTrigger::Path(_) => paths.push((key, number)),
                SkillTrigger::Regex(_) => regexes.push((key, number)),
                SkillTrigger::Task(_) => tasks.entry(key).or_default().push(number),
                SkillTrigger::Command(_) => commands.entry(key).or_default().push(number),
                SkillTrigger::Always => always.push(number),
                // A kind that this version does not know.
                _ => {}
            }
        }
        let (names, sources) = names(snapshot, commands.keys());
        let [keywords, tools, paths, regexes] = owned;
        let mut compiled = Compiled {
            keywords: PatternGroup::new(keywords, before.map(|before| &before.keywords)),
            tools: PatternGroup::new(tools, before.map(|before| &before.tools)),
            paths: PatternGroup::new(paths, before.map(|before| &before.paths)),
            regexes: PatternGroup::new(regexes, before.map(|before| &before.regexes)),
            declared: declared.into_iter().map(|(declared, _)| declared).collect(),
            refused,
            tasks,
            commands,
            always,
            names,
            sources,
        };
        compiled.refuse_faults();
        compiled
    }

    fn refuse_faults(&mut self) {
        let faults = self
            .keywords
            .faults()
            .chain(self.tools.faults())
            .chain(self.paths.faults());
        let mut faults: Vec<(usize, &str)> = faults.chain(self.regexes.faults()).collect();
        faults.sort_unstable();
        let refused = faults.into_iter().map(|(number, why)| {
            let DeclaredTrigger { id, trigger } = &self.declared[number];
            (
                id.clone(),
                trigger.clone(),
                TriggerRefusal::Invalid(why.to_owned()),
            )
        });
        let refused: Vec<_> = refused.collect();
        self.refused.extend(refused);
    }

    fn holding(&self, turn: &Turn, mentions: &mut Mentions<'_>) -> BTreeMap<usize, Spans> {
        let mut holding = BTreeMap::new();
        let mut hold = |numbers: &[usize], spans: Spans| {
            holding.extend(numbers.iter().map(|number| (*number, spans.clone())));
        };
        hold(&self.always, Spans::default());
        hold_all(
            &self.keywords,
            self.keywords.matcher.matches(&turn.message),
            &mut hold,
        );
        hold_all(
            &self.regexes,
            self.regexes.matcher.matches(&turn.message),
            &mut hold,
        );
        for ToolResult { tool, .. } in &turn.results {
            for at in self.tools.matcher.matches(tool) {
                hold(self.tools.owners(at), Spans::default());
            }
        }
        for path in &turn.paths {
            for at in self.paths.matcher.matches(path) {
                hold(self.paths.owners(at), Spans::default());
            }
        }
        if let Some(numbers) = turn
            .task
            .as_deref()
            .and_then(|task| self.tasks.get(&declared::folded(task)))
        {
            hold(numbers, Spans::default());
        }
        for (command, spans) in self.commands_of(turn, mentions) {
            if let Some(numbers) = self.commands.get(&command) {
                hold(numbers, spans.into());
            }
        }
        holding
    }

    /// Returns the commands of the turn with their places in the message, and passes each mention of a skill to `mentions`.
    fn commands_of(
        &self,
        turn: &Turn,
        mentions: &mut Mentions<'_>,
    ) -> BTreeMap<String, Vec<Range<usize>>> {
        let mut commands: BTreeMap<String, Vec<Range<usize>>> = BTreeMap::new();
        if let Some(command) = &turn.command {
            commands.entry(declared::command(command)).or_default();
        }
        mention::each(
            &turn.message,
            |text: &str| self.ends(text),
            |span, sigil, name| {
                let command = (sigil == Sigil::Slash && !self.commands.is_empty())
                    .then(|| declared::command(name));
                let command = command.filter(|command| self.commands.contains_key(command));
                let is_command = command.is_some();
                command
                    .into_iter()
                    .for_each(|command| commands.entry(command).or_default().push(span.clone()));
                mentions.take(name, &span) || is_command
            },
        );
        commands
    }

    /// Returns the ends of the bare and full names that `text` begins with, the longest first.
    fn ends(&self, text: &str) -> Vec<usize> {
        let mut ends = self.names.ends(text);
        for source in self.sources.ends(text) {
            if let Some(name) = text[source..].strip_prefix(':') {
                ends.extend(
                    self.names
                        .ends(name)
                        .into_iter()
                        .map(|end| source + 1 + end),
                );
            }
        }
        ends.sort_unstable_by_key(|end| Reverse(*end));
        ends.dedup();
        ends
    }
}

fn hold_all<M: Matcher>(
    part: &PatternGroup<M>,
    matches: impl IntoIterator<Item = (usize, Range<usize>)>,
    hold: &mut impl FnMut(&[usize], Spans),
) {
    let mut found: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
    for (pattern, span) in matches {
        found.entry(pattern).or_default().push(span);
    }
    found
        .into_iter()
        .for_each(|(pattern, spans)| hold(part.owners(pattern), spans.into()));
}

fn names<'a>(
    snapshot: &'a Snapshot<Skill>,
    commands: impl Iterator<Item = &'a String>,
) -> (SortedNames, SortedNames) {
    let (mut names, mut sources): (Vec<String>, BTreeSet<&str>) =
        (commands.cloned().collect(), BTreeSet::new());
    for entry in snapshot.entries() {
        names.push(declared::folded(entry.id.as_str()));
        if entry.item().id != entry.id {
            names.push(declared::folded(entry.item().id.as_str()));
        }
        sources.extend(
            entry
                .candidates()
                .map(|candidate| candidate.origin.source.as_ref()),
        );
    }
    (
        SortedNames::new(names),
        SortedNames::new(sources.into_iter().map(declared::folded).collect()),
    )
}

/// Returns whether both snapshots have the same names and triggers in the same order.
fn declare_alike(old: &Snapshot<Skill>, new: &Snapshot<Skill>) -> bool {
    let change = new.changes_since(old);
    let sources = |entry: &Entry<Skill>| -> Vec<Arc<str>> {
        entry
            .candidates()
            .map(|candidate| candidate.origin.source.clone())
            .collect()
    };
    new.has_order_of(old)
        && change
            .modified
            .iter()
            .all(|Modified { old, new, .. }: &Modified<Skill>| {
                let (before, after) = (old.item(), new.item());
                let reach = |skill: &Skill| {
                    (
                        skill.disable_model_invocation,
                        skill.user_invocable,
                        skill.allowed_workflows.is_some(),
                    )
                };
                (old.candidate.trust, old.candidate.status)
                    == (new.candidate.trust, new.candidate.status)
                    && sources(old) == sources(new)
                    && before.id == after.id
                    && reach(before) == reach(after)
                    && before.triggers() == after.triggers()
                    && before.paths() == after.paths()
            })
}

#[cfg(test)]
mod tests;
