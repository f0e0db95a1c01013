//! The skills of a house.

use repertoire_source_static::{StaticSkill, declare_skill};

declare_skill! {
    /// Sorts new issues.
    pub const TRIAGE: StaticSkill = StaticSkill::new("triage", "Sorts new issues.", "Label them.\n");
}

declare_skill! {
    /// Answers questions.
    pub const ANSWER: StaticSkill = StaticSkill::new("answer", "Answers questions.", "Answer.\n");
}
