//! The built-in skills of the demo's agent, as a kind of source that its configuration file names.

use std::sync::Arc;

use repertoire::registry::{ConfigError, SourceKind, inventory};
use repertoire::source::statics::{StaticList, StaticSkill};
use repertoire::{StaticSource, SurfaceMode};

/// Every built-in skill.
static SKILLS: StaticList = StaticList::new(&[
    StaticSkill::new(
        "code-review",
        "Reviews a change: tests first, then from the outside in. Use before merging.",
        include_str!("../../demo/builtin/code-review.md"),
    ),
    StaticSkill::new(
        "commit-message",
        "Writes a commit message that says why. Use when committing.",
        include_str!("../../demo/builtin/commit-message.md"),
    )
    .on_surface(SurfaceMode::ToolOnly),
    StaticSkill::new(
        "find-the-cause",
        "Finds the cause of a failure before anybody fixes it. Use when a test fails or something broke.",
        include_str!("../../demo/builtin/find-the-cause.md"),
    ),
    StaticSkill::new(
        "release-notes",
        "Writes release notes from what was merged, in the user's words. Use before a release.",
        include_str!("../../demo/builtin/release-notes.md"),
    ),
]);

const NAME: &str = "builtin";

inventory::submit! {
    SourceKind::new("demo", "skills compiled into this task", |config| {
        if config.name != NAME {
            return Err(ConfigError::in_option("name", format!("a source of this kind is called `{NAME}`")));
        }
        config.options::<Options>()?;
        Ok(Arc::new(StaticSource::named(NAME, SKILLS)))
    })
}

/// There are none.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {}
