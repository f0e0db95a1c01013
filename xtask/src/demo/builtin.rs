//! The built-in skills of the demo's agent, which its configuration file names.

use repertoire::source::statics::{StaticList, StaticSkill, StaticValue, declare_skill};

declare_skill! {
    /// Every built-in skill.
    static DEMO_SKILLS: StaticList = StaticList::new(&[
        StaticSkill::new(
            "code-review",
            "Reviews a change: tests first, then from the outside in. Use before merging.",
            include_str!("../../demo/builtin/code-review.md"),
        ),
        StaticSkill::new(
            "commit-message",
            "Writes a commit message with the reason for the change. Use when committing.",
            include_str!("../../demo/builtin/commit-message.md"),
        )
        .with_fields(&[("surface", StaticValue::Text("tool-only"))]),
        StaticSkill::new(
            "find-the-cause",
            "Finds the cause of a failure before it is fixed. Use when a test fails or something broke.",
            include_str!("../../demo/builtin/find-the-cause.md"),
        ),
        StaticSkill::new(
            "release-notes",
            "Writes release notes from what was merged, in the user's words. Use before a release.",
            include_str!("../../demo/builtin/release-notes.md"),
        ),
    ]);
}
