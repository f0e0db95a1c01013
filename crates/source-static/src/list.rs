//! The visible list of what is compiled in.

use crate::StaticSkill;
use crate::message::Message;
use crate::rule;

/// Skills in the order in which they were written down, no id twice. Cheap to copy.
///
/// The compiler compares every id with every other; past about two thousand skills its lint
/// `long_running_const_eval` asks to be allowed on the constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaticList(&'static [StaticSkill]);

impl StaticList {
    /// A list of `skills`.
    ///
    /// # Panics
    /// When an id comes twice; in a constant that is a compile error.
    #[track_caller]
    pub const fn new(skills: &'static [StaticSkill]) -> StaticList {
        let mut at = 0;
        while at < skills.len() {
            let mut earlier = 0;
            while earlier < at {
                if skills[earlier].id_hash == skills[at].id_hash && rule::is_same(skills[earlier].id(), skills[at].id())
                {
                    panic!("{}", Message::of(&["two skills have the id `", skills[at].id(), "`"]).as_str());
                }
                earlier += 1;
            }
            at += 1;
        }
        StaticList(skills)
    }

    /// The skills in their order.
    pub fn iter(&self) -> std::slice::Iter<'static, StaticSkill> {
        self.0.iter()
    }

    /// The skills that have `query` in their id or their description, in any letter case, in the order of the list. All
    /// of them have the empty text in it.
    ///
    /// One pass over the texts, without words or ranks: enough for a list that somebody wrote by hand.
    pub fn find(&self, query: &str) -> impl Iterator<Item = &'static StaticSkill> {
        let query = query.to_lowercase();
        let has = move |text: &str| text.to_lowercase().contains(&query);
        self.iter().filter(move |skill| has(skill.id()) || has(skill.description()))
    }

    /// The same skills as a slice, for constants.
    pub const fn as_slice(&self) -> &'static [StaticSkill] {
        self.0
    }
}
