//! The triggers of a snapshot, compiled.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use repertoire_core::{Skill, SkillTrigger};
use repertoire_registry::Snapshot;

use super::context::{Fired, FiredBy, MissedMention, Occasion};
use super::declared::{Declared, RefusedTrigger, TriggerRefusal};
use super::keywords::{Keywords, Matcher, Part, Regexes};
use super::mention::{Mentions, Names, Sigil};
use super::{declared, mention};
use crate::Modes;
use crate::globs::{PathGlobs, ToolGlobs};

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
/// [`missed`](Triggers::missed) tells so.
///
/// Only skills of trusted sources may declare `always` and `regex`, and only theirs are [activated](Fired::activates) by what they
/// declare. A keyword that nearly every message has never holds, whatever its source: see [`WeakKeyword`](repertoire_core::WeakKeyword).
/// What is refused is returned by [`refused`](Triggers::refused).
///
/// ```
/// use repertoire_core::{ListingEntry, Listing, Revision, Stamp, skill_md};
/// use repertoire_engine::{Occasion, Triggers};
/// use repertoire_registry::{Layer, Origin, Tier, merge};
///
/// let text = b"---\nname: release-notes\ndescription: Writes them.\ntriggers: [changelog, {path: CHANGELOG.md}]\n---\n";
/// let skill = skill_md::parse(text, skill_md::FileContext::new("SKILL.md")).skill.ok_or("a skill")?;
/// let listing = Listing::new(Revision(0), [ListingEntry::new(skill, Stamp::of("1"))], []);
/// let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, listing)]);
///
/// let triggers = Triggers::of(&snapshot);
/// let fired = |message| triggers.fired(&Occasion::of(message)).first().map(|fired| fired.spans.to_vec());
/// assert_eq!(fired("Write the Changelog, please"), Some(vec![10..19]));
/// assert_eq!(fired("What are changelogs?"), None);
/// assert_eq!(fired("/release-notes since 1.0"), Some(vec![0..14]));
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Debug, Clone)]
pub struct Triggers(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    snapshot: Snapshot<Skill>,
    declared: Vec<Declared>,
    refused: Vec<RefusedTrigger>,
    keywords: Part<Keywords>,
    tools: Part<ToolGlobs>,
    paths: Part<PathGlobs>,
    regexes: Part<Regexes>,
    tasks: HashMap<String, Vec<usize>>,
    commands: HashMap<String, Vec<usize>>,
    always: Vec<usize>,
    /// Bare names of skills and commands, and full names of skills that have no other.
    names: Names,
    sources: Names,
}

type Spans = Arc<[Range<usize>]>;

impl Triggers {
    /// Compiles the triggers of `snapshot`.
    pub fn of(snapshot: &Snapshot<Skill>) -> Triggers {
        Triggers(Arc::new(Compiled::new(snapshot, None)))
    }

    /// Returns the triggers of `snapshot`, compiled from these: equal to [`of`](Triggers::of).
    ///
    /// The very same for the same view. Else front matter is looked through again, and what is compiled of each kind of
    /// trigger is kept as long as the texts of that kind are the same.
    #[must_use]
    pub fn updated(&self, snapshot: &Snapshot<Skill>) -> Triggers {
        if self.0.snapshot.ptr_eq(snapshot) {
            return self.clone();
        }
        Triggers(Arc::new(Compiled::new(snapshot, Some(&self.0))))
    }

    /// Returns the snapshot whose triggers these are.
    pub fn snapshot(&self) -> &Snapshot<Skill> {
        &self.0.snapshot
    }

    /// Returns the triggers that never match, in the order of skills, those that could not be compiled last.
    pub fn refused(&self) -> &[RefusedTrigger] {
        &self.0.refused
    }

    /// Returns whether both were compiled from the same snapshot.
    pub fn is(&self, other: &Triggers) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns every trigger that matches, each once.
    ///
    /// 1. Mentions, in the order of the message; one that comes again is told where it came first.
    /// 2. What skills declare: by tier and source; then the longer trigger; then in the order of skills and their files.
    ///
    /// Mentions and commands are the user's door and everything else the model's: a skill that is hidden at a door, by itself
    /// or by the operator's [`Modes`], is suggested by nothing there.
    ///
    /// Takes time in proportion to the message, to the number of regular expressions, and to what is found.
    pub fn fired(&self, occasion: &Occasion<'_>) -> Vec<Fired> {
        self.heard(occasion).0
    }

    /// Returns the skills that the user named and that do not match, each once, in the order of the message.
    pub fn missed(&self, occasion: &Occasion<'_>) -> Vec<MissedMention> {
        self.heard(occasion).1
    }

    pub(crate) fn heard(&self, occasion: &Occasion<'_>) -> (Vec<Fired>, Vec<MissedMention>) {
        let none = Modes::default();
        let modes = occasion.modes.unwrap_or(&none);
        let mut mentions = Mentions::new(&self.0.snapshot, modes);
        let holding = self.0.holding(occasion, &mut mentions);
        let (mut fired, missed) = mentions.into_told();
        for (number, spans) in holding {
            let declared = &self.0.declared[number];
            let (entry, trigger) = (declared.entry.clone(), declared.trigger.clone());
            if modes.hides(declared.audience(), &entry.candidate).is_none() {
                fired.push(Fired { candidate: entry.candidate.clone(), entry, by: FiredBy::Declared(trigger), spans });
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
        let (mut tasks, mut commands) = (HashMap::<String, Vec<usize>>::new(), HashMap::<String, Vec<usize>>::new());
        let mut always = Vec::new();
        for (number, (Declared { trigger, .. }, key)) in declared.iter_mut().enumerate() {
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
            snapshot: snapshot.clone(),
            keywords: Part::new(keywords, before.map(|before| &before.keywords)),
            tools: Part::new(tools, before.map(|before| &before.tools)),
            paths: Part::new(paths, before.map(|before| &before.paths)),
            regexes: Part::new(regexes, before.map(|before| &before.regexes)),
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
        let faults = self.keywords.faults().chain(self.tools.faults()).chain(self.paths.faults());
        let mut faults: Vec<(usize, &str)> = faults.chain(self.regexes.faults()).collect();
        faults.sort_unstable();
        let refused = faults.into_iter().map(|(number, why)| {
            let Declared { entry, trigger } = &self.declared[number];
            let why = TriggerRefusal::Invalid(why.to_owned());
            RefusedTrigger { entry: entry.clone(), trigger: trigger.clone(), why }
        });
        let refused: Vec<_> = refused.collect();
        self.refused.extend(refused);
    }

    fn holding(&self, occasion: &Occasion<'_>, mentions: &mut Mentions<'_>) -> BTreeMap<usize, Spans> {
        let mut holding = BTreeMap::new();
        let mut hold = |numbers: &[usize], spans: Spans| {
            holding.extend(numbers.iter().map(|number| (*number, spans.clone())));
        };
        hold(&self.always, Spans::default());
        hold_all(&self.keywords, self.keywords.matcher.matches(occasion.message), &mut hold);
        hold_all(&self.regexes, self.regexes.matcher.matches(occasion.message), &mut hold);
        for tool in occasion.tools {
            self.tools.matcher.matches(tool).into_iter().for_each(|at| hold(self.tools.owners(at), Spans::default()));
        }
        for path in occasion.paths {
            self.paths.matcher.matches(path).into_iter().for_each(|at| hold(self.paths.owners(at), Spans::default()));
        }
        if let Some(numbers) = occasion.task.and_then(|task| self.tasks.get(&declared::folded(task))) {
            hold(numbers, Spans::default());
        }
        let mut commands: BTreeMap<String, Vec<Range<usize>>> = BTreeMap::new();
        if let Some(command) = occasion.command {
            commands.entry(declared::command(command)).or_default();
        }
        let ends = |text: &str| self.ends(text);
        mention::each(occasion.message, ends, |span, sigil, name| {
            let command = (sigil == Sigil::Slash && !self.commands.is_empty()).then(|| declared::command(name));
            let command = command.filter(|command| self.commands.contains_key(command));
            let is_command = command.is_some();
            command.into_iter().for_each(|command| commands.entry(command).or_default().push(span.clone()));
            mentions.take(name, &span) || is_command
        });
        for (command, spans) in commands {
            hold(self.commands.get(&command).map_or(&[], Vec::as_slice), spans.into());
        }
        holding
    }

    /// Returns the ends of the bare and full names that `text` begins with, the longest first.
    fn ends(&self, text: &str) -> Vec<usize> {
        let mut ends = self.names.ends(text);
        for source in self.sources.ends(text) {
            if let Some(name) = text[source..].strip_prefix(':') {
                ends.extend(self.names.ends(name).into_iter().map(|end| source + 1 + end));
            }
        }
        ends.sort_unstable_by_key(|end| Reverse(*end));
        ends.dedup();
        ends
    }
}

fn hold_all<M: Matcher>(
    part: &Part<M>,
    matches: impl IntoIterator<Item = (usize, Range<usize>)>,
    hold: &mut impl FnMut(&[usize], Spans),
) {
    let mut found: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
    for (pattern, span) in matches {
        found.entry(pattern).or_default().push(span);
    }
    found.into_iter().for_each(|(pattern, spans)| hold(part.owners(pattern), spans.into()));
}

fn names<'a>(snapshot: &'a Snapshot<Skill>, commands: impl Iterator<Item = &'a String>) -> (Names, Names) {
    let (mut names, mut sources): (Vec<String>, BTreeSet<&str>) = (commands.cloned().collect(), BTreeSet::new());
    for entry in snapshot.entries() {
        names.push(declared::folded(entry.id.as_str()));
        if entry.item().id != entry.id {
            names.push(declared::folded(entry.item().id.as_str()));
        }
        sources.extend(entry.candidates().map(|candidate| candidate.origin.source.as_ref()));
    }
    (Names::new(names), Names::new(sources.into_iter().map(declared::folded).collect()))
}

#[cfg(test)]
mod tests;
