//! Who chooses the dialect.

use repertoire_core::{Skill, skill_md};
use repertoire_render::{Context, Dialect, DialectBy, Plan, Syntax, Warning};

fn skill(fields: &str) -> Skill {
    let text = format!("---\nname: it\ndescription: Does it.\n{fields}---\n");
    skill_md::parse(text.as_bytes(), skill_md::FileContext::new("it/SKILL.md").in_directory("it"))
        .skill
        .expect("a skill")
}

#[test]
fn source_then_skill_then_host_decide_the_dialect() {
    let (opencode, cortex) = (Some(Dialect::OPENCODE), Some(Dialect::CORTEX));
    let says = skill("argument-dialect: none\n");
    let nested = skill("metadata:\n  argument-dialect: none\n");
    let silent = skill("");
    for (syntax, dialect, by) in [
        (Syntax::of(&says, opencode, cortex), Dialect::OPENCODE, DialectBy::Source),
        (Syntax::of(&says, None, cortex), Dialect::NONE, DialectBy::FrontMatter),
        (Syntax::of(&nested, None, cortex), Dialect::NONE, DialectBy::FrontMatter),
        (Syntax::of(&silent, None, cortex), Dialect::CORTEX, DialectBy::Host),
        (Syntax::of(&silent, None, None), Dialect::CLAUDE, DialectBy::Default),
    ] {
        assert_eq!(syntax.dialect(), (dialect, by));
    }
}

#[test]
fn an_unknown_dialect_is_skipped_with_a_warning() {
    let syntax = Syntax::of(&skill("argument-dialect: zsh\n"), None, Some(Dialect::CORTEX));
    assert_eq!(syntax.dialect(), (Dialect::CORTEX, DialectBy::Host));
    let rendered = Plan::new("x", &syntax).render(&Context::new(), []).expect("nothing aborts");
    let unknown = Dialect::named("zsh").expect_err("there is none");
    assert_eq!(rendered.warnings, [Warning::UnknownDialect(unknown)]);
}

#[test]
fn bare_numbers_need_a_declaration() {
    for (syntax, means) in [
        (Syntax::of(&skill(""), None, None), false),
        (Syntax::of(&skill("arguments: [a]\n"), None, None), true),
        (Syntax::of(&skill("argument-dialect: claude\n"), None, None), true),
        (Syntax::of(&skill(""), None, Some(Dialect::CLAUDE)), true),
        (Syntax::of(&skill(""), Some(Dialect::CORTEX), None), true),
        (Syntax::default(), false),
    ] {
        assert_eq!(syntax.has_bare_numbers(), means, "{syntax:?}");
    }
}

#[test]
fn every_dialect_is_found_by_its_name() {
    for dialect in Dialect::ALL {
        assert_eq!(Dialect::named(dialect.name), Ok(dialect));
    }
    let unknown = Dialect::named("Claude").expect_err("names are lower case");
    assert_eq!(
        unknown.to_string(),
        "unknown dialect `Claude`: expected `claude`, `opencode`, `cortex`, `openclaw`, `none`"
    );
}
