//! Lists of compiled-in skills.

use crate::StaticSkill;
use crate::rule::{self, RuleMessage};

/// A list of skills in their written order, without a repeated id. Cheap to copy.
///
/// The compiler compares every pair of ids. From about 2,000 skills on, allow its lint `long_running_const_eval` on the constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaticList(&'static [StaticSkill]);

impl StaticList {
    /// Creates a list of `skills`.
    ///
    /// # Panics
    /// If an id is repeated. In a constant that is a compile error.
    #[track_caller]
    pub const fn new(skills: &'static [StaticSkill]) -> StaticList {
        let mut at = 0;
        while at < skills.len() {
            let mut earlier = 0;
            while earlier < at {
                if skills[earlier].id_hash == skills[at].id_hash
                    && rule::is_same(skills[earlier].id(), skills[at].id())
                {
                    panic!(
                        "{}",
                        RuleMessage::of(&["two skills have the id `", skills[at].id(), "`"])
                            .as_str()
                    );
                }
                earlier += 1;
            }
            at += 1;
        }
        StaticList(skills)
    }

    /// Returns the skills in their order.
    pub fn iter(&self) -> std::slice::Iter<'static, StaticSkill> {
        self.0.iter()
    }

    #[doc(hidden)]
    pub const fn __skills(&self) -> &'static [StaticSkill] {
        self.0
    }
}
