//! Triggers as skills declare them.

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;

use repertoire_core::{Skill, SkillTrigger, WeakKeyword};
use repertoire_registry::{Entry, Snapshot, Trust};
use serde::Serialize;

use super::folded::Folded;
use crate::Audience;

/// A trigger that a skill declares and that never holds.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RefusedTrigger {
    /// The skill.
    pub entry: Arc<Entry<Skill>>,
    /// What it declares.
    pub trigger: SkillTrigger,
    /// Why it never holds.
    pub why: TriggerRefusal,
}

/// Why a trigger never holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TriggerRefusal {
    /// Only skills of [`Trusted`](Trust::Trusted) sources may be there always, or decide by a regular expression.
    Untrusted,
    /// It says nothing.
    Empty,
    /// It is a keyword that nearly every message would have, whatever its source.
    Weak(WeakKeyword),
    /// It is longer than 256 bytes; a regular expression, than 1,024.
    TooLong,
    /// The skill declares more than 64 of them; the later ones do not count.
    TooMany,
    /// It cannot be compiled.
    Invalid(String),
}

/// How long a trigger may be, in bytes, but for a regular expression.
const LONGEST: usize = 256;
const LONGEST_REGEX: usize = 1024;
/// How many a skill may declare. Of 87 skills that a client's makers publish, none has more than twelve.
const MOST: usize = 64;

/// A trigger in force.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) entry: Arc<Entry<Skill>>,
    pub(super) trigger: SkillTrigger,
}

impl Declared {
    /// At whose door it opens: a command is the user's word, everything else speaks to the model.
    pub(super) fn audience(&self) -> Audience {
        match self.trigger {
            SkillTrigger::Command(_) => Audience::User,
            _ => Audience::Model,
        }
    }
}

/// Every trigger of `snapshot`: in force and as it is compared, first by source, then the longer ones, then in the order of
/// skills and files; and refused, in the order of skills and files.
pub(super) fn of(snapshot: &Snapshot<Skill>) -> (Vec<(Declared, String)>, Vec<RefusedTrigger>) {
    let (mut declared, mut refused) = (Vec::new(), Vec::new());
    let (mut source, mut last) = (0, None);
    for entry in snapshot.entries() {
        if last.replace(entry.origin()).is_some_and(|last| last != entry.origin()) {
            source += 1;
        }
        // Nobody sees it, whatever it declares.
        if [Audience::Model, Audience::User].iter().all(|audience| audience.never_sees(&entry.claim)) {
            continue;
        }
        let mut seen: Vec<SkillTrigger> = Vec::new();
        let paths = entry.item().paths().into_iter().map(|path| SkillTrigger::Path(path.into()));
        for trigger in entry.item().triggers().into_iter().chain(paths) {
            if seen.contains(&trigger) {
                continue;
            }
            match key(&trigger, entry.claim.trust, seen.len()) {
                Err(why) => refused.push(RefusedTrigger { entry: entry.clone(), trigger, why }),
                Ok(key) => {
                    seen.push(trigger.clone());
                    declared.push((source, (Declared { entry: entry.clone(), trigger }, key)));
                }
            }
        }
    }
    // Stable, so that what is left is the order in which they came.
    declared.sort_by_key(|(source, (Declared { trigger, .. }, _))| (*source, Reverse(text(trigger).len())));
    (declared.into_iter().map(|(_, declared)| declared).collect(), refused)
}

/// The trigger as it is compared.
fn key(trigger: &SkillTrigger, trust: Trust, before: usize) -> Result<String, TriggerRefusal> {
    let (is_regex, is_always) = (matches!(trigger, SkillTrigger::Regex(_)), *trigger == SkillTrigger::Always);
    let text = text(trigger);
    if (is_regex || is_always) && trust != Trust::Trusted {
        return Err(TriggerRefusal::Untrusted);
    }
    if text.len() > if is_regex { LONGEST_REGEX } else { LONGEST } {
        return Err(TriggerRefusal::TooLong);
    }
    if before == MOST {
        return Err(TriggerRefusal::TooMany);
    }
    let key = match trigger {
        SkillTrigger::Keyword(text) | SkillTrigger::Task(text) => folded(text),
        SkillTrigger::Command(text) => command(text),
        _ => text.to_owned(),
    };
    if key.is_empty() && !is_always {
        return Err(TriggerRefusal::Empty);
    }
    match trigger {
        SkillTrigger::Keyword(text) => WeakKeyword::of(text).map_or(Ok(key), |weak| Err(TriggerRefusal::Weak(weak))),
        _ => Ok(key),
    }
}

/// A word or phrase as it is compared.
pub(super) fn folded(text: &str) -> String {
    Folded::of(text).text.trim().to_owned()
}

/// The name of a command as it is compared.
pub(super) fn command(text: &str) -> String {
    folded(text.trim_start_matches('/'))
}

/// What the trigger says; nothing for one that always holds.
fn text(trigger: &SkillTrigger) -> &str {
    match trigger {
        SkillTrigger::Keyword(text)
        | SkillTrigger::Task(text)
        | SkillTrigger::Tool(text)
        | SkillTrigger::Path(text)
        | SkillTrigger::Command(text)
        | SkillTrigger::Regex(text) => text,
        _ => "",
    }
}

impl fmt::Display for TriggerRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TriggerRefusal::Untrusted => f.write_str("its source is not trusted"),
            TriggerRefusal::Empty => f.write_str("it says nothing"),
            TriggerRefusal::Weak(weak) => weak.fmt(f),
            TriggerRefusal::TooLong => write!(f, "expected at most {LONGEST} bytes, or {LONGEST_REGEX} of a `regex`"),
            TriggerRefusal::TooMany => write!(f, "expected at most {MOST} triggers"),
            TriggerRefusal::Invalid(why) => f.write_str(why),
        }
    }
}
