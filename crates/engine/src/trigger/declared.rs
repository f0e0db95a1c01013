//! Triggers as skills declare them.

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;

use repertoire_core::{Id, Skill, SkillTrigger, WeakKeyword};
use repertoire_registry::{Entry, Snapshot, Trust};

use super::folded::Folded;
use repertoire_permission::Audience;

/// A trigger that a skill declares and that never matches.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RefusedTrigger {
    /// The skill.
    pub entry: Arc<Entry<Skill>>,
    /// The trigger.
    pub trigger: SkillTrigger,
    pub(super) refusal: TriggerRefusal,
}

impl RefusedTrigger {
    /// Returns the reason why it never matches.
    pub fn why(&self) -> String {
        self.refusal.to_string()
    }

    /// Returns whether it is too long, one of too many, or cannot be compiled. The parser of files reports the other faults.
    pub fn is_fault(&self) -> bool {
        matches!(
            self.refusal,
            TriggerRefusal::TooLong | TriggerRefusal::TooMany | TriggerRefusal::Invalid(_)
        )
    }
}

/// The reason why a trigger never matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TriggerRefusal {
    /// Only skills of [`Trusted`](Trust::Trusted) sources may declare `always` and regular expressions.
    Untrusted,
    /// It is empty.
    Empty,
    /// It is a keyword that nearly every message has.
    Weak(WeakKeyword),
    /// It is longer than 256 bytes; a regular expression, than 1,024.
    TooLong,
    /// The skill declares more than 64 triggers. The later ones never match.
    TooMany,
    /// It cannot be compiled.
    Invalid(String),
}

/// The most bytes of a trigger other than a regular expression.
const LONGEST: usize = 256;
const LONGEST_REGEX: usize = 1024;
/// The most triggers of a skill. Of 87 skills that a client's makers publish, none has more than twelve.
const MOST: usize = 64;

#[derive(Debug)]
pub(super) struct DeclaredTrigger {
    pub(super) id: Id,
    pub(super) trigger: SkillTrigger,
}

impl DeclaredTrigger {
    pub(super) fn audience(&self) -> Audience {
        match self.trigger {
            SkillTrigger::Command(_) => Audience::User,
            _ => Audience::Model,
        }
    }
}

/// Returns the triggers of `snapshot` in force, each with its key, by source, then the longest, then in the order of skills;
/// and those that are refused.
#[allow(
    clippy::type_complexity,
    reason = "two lists that are taken apart at once"
)]
pub(super) fn of(
    snapshot: &Snapshot<Skill>,
) -> (
    Vec<(DeclaredTrigger, String)>,
    Vec<(Id, SkillTrigger, TriggerRefusal)>,
) {
    let (mut declared, mut refused) = (Vec::new(), Vec::new());
    let (mut source, mut last) = (0, None);
    for entry in snapshot.entries() {
        if last
            .replace(entry.origin())
            .is_some_and(|last| last != entry.origin())
        {
            source += 1;
        }
        // It is hidden from both audiences.
        if [Audience::Model, Audience::User]
            .iter()
            .all(|audience| audience.never_sees(&entry.candidate))
        {
            continue;
        }
        let mut seen: Vec<SkillTrigger> = Vec::new();
        let paths = entry
            .item()
            .paths()
            .into_iter()
            .map(|path| SkillTrigger::Path(path.into()));
        for trigger in entry.item().triggers().into_iter().chain(paths) {
            if seen.contains(&trigger) {
                continue;
            }
            match key(&trigger, entry.candidate.trust, seen.len()) {
                Err(why) => refused.push((entry.id.clone(), trigger, why)),
                Ok(key) => {
                    seen.push(trigger.clone());
                    declared.push((
                        source,
                        (
                            DeclaredTrigger {
                                id: entry.id.clone(),
                                trigger,
                            },
                            key,
                        ),
                    ));
                }
            }
        }
    }
    // Stable, so that what is left is the order in which they came.
    declared.sort_by_key(|(source, (DeclaredTrigger { trigger, .. }, _))| {
        (*source, Reverse(text(trigger).len()))
    });
    (
        declared.into_iter().map(|(_, declared)| declared).collect(),
        refused,
    )
}

fn key(trigger: &SkillTrigger, trust: Trust, before: usize) -> Result<String, TriggerRefusal> {
    let (is_regex, is_always) = (
        matches!(trigger, SkillTrigger::Regex(_)),
        *trigger == SkillTrigger::Always,
    );
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
        SkillTrigger::Keyword(text) => {
            WeakKeyword::of(text).map_or(Ok(key), |weak| Err(TriggerRefusal::Weak(weak)))
        }
        _ => Ok(key),
    }
}

pub(super) fn folded(text: &str) -> String {
    Folded::of(text).text.trim().to_owned()
}

pub(super) fn command(text: &str) -> String {
    folded(text.trim_start_matches('/'))
}

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
            TriggerRefusal::Empty => f.write_str("it is empty"),
            TriggerRefusal::Weak(weak) => weak.fmt(f),
            TriggerRefusal::TooLong => write!(
                f,
                "expected at most {LONGEST} bytes, or {LONGEST_REGEX} of a `regex`"
            ),
            TriggerRefusal::TooMany => write!(f, "expected at most {MOST} triggers"),
            TriggerRefusal::Invalid(why) => f.write_str(why),
        }
    }
}
