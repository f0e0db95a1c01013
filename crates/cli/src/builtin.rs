//! The built-in skills.

use repertoire::source::statics::{StaticList, embed_skills};
use repertoire::{Mount, Skill, StaticSource};

static SKILLS: StaticList = embed_skills!("skills");

pub(crate) const NAME: &str = "builtin";

pub(crate) fn mount() -> Mount<Skill> {
    Mount::builtin(StaticSource::new(NAME, SKILLS))
}

/// Compiles and runs the code in the skills with the documentation.
#[cfg(doctest)]
mod examples {
    #[doc = include_str!("../skills/write-a-source/SKILL.md")]
    struct WriteASource;

    #[doc = include_str!("../skills/write-a-source/references/kind-and-fixture.md")]
    struct KindAndFixture;
}
