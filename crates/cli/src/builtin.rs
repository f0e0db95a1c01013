//! The skills that come with the program.

use repertoire::{Mount, Skill, StaticList, StaticSource, embed_skills};

static SKILLS: StaticList = embed_skills!("skills");

/// The name of their source.
pub(crate) const NAME: &str = "builtin";

pub(crate) fn mount() -> Mount<Skill> {
    Mount::builtin(StaticSource::named(NAME, SKILLS))
}

/// The code in the skills is compiled and run with the documentation.
#[cfg(doctest)]
mod examples {
    #[doc = include_str!("../skills/write-a-source/SKILL.md")]
    struct WriteASource;

    #[doc = include_str!("../skills/write-a-source/references/kind-and-fixture.md")]
    struct KindAndFixture;
}
