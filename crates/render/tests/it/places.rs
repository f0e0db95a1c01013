//! The parts of a body in which placeholders are found.

use repertoire_render::{Context, Dialect, Plan, Syntax};

use crate::{named, plain, with};

#[test]
fn code_and_comments_remain_unchanged() {
    let body = "`$ARGUMENTS` <!-- $ARGUMENTS -->\n\n```sh\necho $ARGUMENTS ${SESSION_ID} \\$ARGUMENTS\n```\n\n    $ARGUMENTS\n";
    assert_eq!(plain(body, ""), body);
}

#[test]
fn tags_and_links_are_text() {
    assert_eq!(
        plain(
            "<task>\n$ARGUMENTS\n</task>\n\n[how](${SKILL_DIR}/how.md) <$ARGUMENTS>\n",
            "x"
        ),
        "<task>\nx\n</task>\n\n[how](/skills/it/how.md) <x>\n"
    );
}

#[test]
fn a_block_of_html_runs_nothing() {
    let body = "<pre>\n!{script: a.sh}\n!`date`\n</pre>\n";
    assert_eq!(plain(body, ""), body);
}

#[test]
fn the_scope_of_code_has_no_commands() {
    let body = "`$ARGUMENTS` <!-- $ARGUMENTS -->\n\n```sh\n!`echo $0` ${SKILL_DIR}\n```\n";
    let plan = Plan::new(body, &Syntax::default().in_code());
    assert_eq!(plan.directives(), []);
    let syntax = Syntax::default().in_code();
    assert_eq!(
        with(&syntax, body, "x"),
        "`x` <!-- $ARGUMENTS -->\n\n```sh\n!`echo $0` /skills/it\n```\n"
    );
}

#[test]
fn a_body_without_a_placeholder_is_not_copied() {
    let body = "# Title\n\nIt costs $ 5, wow! See `a!` and $(date) and ${x:-y}.\n";
    let rendered = Plan::new(body, &Syntax::default())
        .render(&Context::new(), [])
        .expect("nothing aborts");
    assert!(matches!(rendered.text, std::borrow::Cow::Borrowed(text) if std::ptr::eq(text, body)));
}

#[test]
fn only_documented_forms_are_placeholders() {
    let body =
        "Use $HOME, ${PATH}, $(date), ${x:-y}, $name, $? and $#. $ $$ $- ${} ${ ${a ${a-b} $é";
    assert_eq!(named(Dialect::Claude, body, ""), body);
}

#[test]
fn without_a_dialect_a_body_is_text() {
    let body = "$ARGUMENTS ${SKILL_DIR} $0 !`date` !{script: a.sh} \\$0\n";
    assert_eq!(named(Dialect::PlainText, body, ""), body);
    assert_eq!(
        named(Dialect::PlainText, body, "x"),
        format!("{body}\nARGUMENTS: x\n")
    );
    assert_eq!(
        Plan::new(body, &Syntax::new(Dialect::PlainText)).directives(),
        []
    );
}

#[test]
fn the_last_place_of_opencode_takes_the_rest() {
    assert_eq!(
        named(Dialect::OpenCode, "$1: $2", "a b \"c d\" e"),
        "a: b c d e"
    );
    assert_eq!(named(Dialect::OpenCode, "$2 $1 $2", "a b c"), "b c a b c");
    assert_eq!(named(Dialect::OneBased, "$1: $2", "a b c"), "a: b");
}

#[test]
fn openclaw_has_one_placeholder() {
    let body = "Run {baseDir}/a.sh $1 ${SKILL_DIR} !`date`.\n\n```sh\nuv run {baseDir}/b.py {basedir}\n```\n";
    assert_eq!(
        named(Dialect::OpenClaw, body, ""),
        "Run /skills/it/a.sh $1 ${SKILL_DIR} !`date`.\n\n```sh\nuv run /skills/it/b.py {basedir}\n```\n"
    );
    let plan = Plan::new(body, &Syntax::new(Dialect::OpenClaw));
    assert_eq!(plan.directives(), []);
    let rendered = plan.render(&Context::new(), []).expect("nothing aborts");
    assert_eq!(rendered.text, body);
    let warnings: Vec<_> = rendered.warnings.iter().map(ToString::to_string).collect();
    let message = "there is no value for `{baseDir}` here";
    assert_eq!(
        warnings,
        [format!("line 1: {message}"), format!("line 4: {message}")]
    );
    // Everywhere else it is text.
    assert_eq!(named(Dialect::Claude, "{baseDir}", ""), "{baseDir}");
}
