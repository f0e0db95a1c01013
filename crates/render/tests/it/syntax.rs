//! The party that chooses the dialect.

use crate::with;
use repertoire_core::{Skill, skill_md};
use repertoire_render::{Context, Dialect, DialectBy, Plan, Syntax};

fn skill(fields: &str) -> Skill {
    let text = format!("---\nname: it\ndescription: Does it.\n{fields}---\n");
    skill_md::parse(
        text.as_bytes(),
        skill_md::FileContext::new("it/SKILL.md").in_directory("it"),
    )
    .skill
    .expect("a skill")
}

#[test]
fn source_then_skill_then_host_decide_the_dialect() {
    let (opencode, cortex) = (Some(Dialect::OpenCode), Some(Dialect::OneBased));
    let says = skill("argument-dialect: none\n");
    let nested = skill("metadata:\n  argument-dialect: none\n");
    let silent = skill("");
    for (syntax, dialect, by) in [
        (
            Syntax::from_skill(&says, opencode, cortex),
            Dialect::OpenCode,
            DialectBy::Source,
        ),
        (
            Syntax::from_skill(&says, None, cortex),
            Dialect::PlainText,
            DialectBy::FrontMatter,
        ),
        (
            Syntax::from_skill(&nested, None, cortex),
            Dialect::PlainText,
            DialectBy::FrontMatter,
        ),
        (
            Syntax::from_skill(&silent, None, cortex),
            Dialect::OneBased,
            DialectBy::Host,
        ),
        (
            Syntax::from_skill(&silent, None, None),
            Dialect::Claude,
            DialectBy::Default,
        ),
    ] {
        assert_eq!(syntax.dialect(), (dialect, by));
    }
}

#[test]
fn an_unknown_dialect_is_skipped_with_a_warning() {
    let syntax = Syntax::from_skill(
        &skill("argument-dialect: zsh\n"),
        None,
        Some(Dialect::OneBased),
    );
    assert_eq!(syntax.dialect(), (Dialect::OneBased, DialectBy::Host));
    let rendered = Plan::new("x", &syntax)
        .render(&Context::new(), [])
        .expect("nothing aborts");
    let [warning] = &rendered.warnings[..] else {
        panic!("{:?}", rendered.warnings)
    };
    let unknown = "zsh".parse::<Dialect>().expect_err("there is none");
    assert_eq!(
        warning.to_string(),
        format!("`argument-dialect`: {unknown}")
    );
}

#[test]
fn bare_numbers_need_a_declaration() {
    for (syntax, means) in [
        (Syntax::from_skill(&skill(""), None, None), false),
        (
            Syntax::from_skill(&skill("arguments: [a]\n"), None, None),
            true,
        ),
        (
            Syntax::from_skill(&skill("argument-dialect: claude\n"), None, None),
            true,
        ),
        (
            Syntax::from_skill(&skill(""), None, Some(Dialect::Claude)),
            true,
        ),
        (
            Syntax::from_skill(&skill(""), Some(Dialect::OneBased), None),
            true,
        ),
        (Syntax::default(), false),
    ] {
        assert_eq!(
            with(&syntax, "$1", "a b") == "$1\n\nARGUMENTS: a b\n",
            !means,
            "{syntax:?}"
        );
    }
}

#[test]
fn every_dialect_is_found_by_its_name() {
    for dialect in Dialect::ALL {
        assert_eq!(dialect.name().parse(), Ok(dialect));
    }
    let unknown = "Claude"
        .parse::<Dialect>()
        .expect_err("names are lower case");
    assert_eq!(
        unknown.to_string(),
        "unknown dialect `Claude`: expected `claude`, `opencode`, `cortex`, `openclaw`, `none`"
    );
}
