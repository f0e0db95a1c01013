//! The laws of rendering over made-up bodies, and over inputs made to break them.

#[path = "../laws/mod.rs"]
pub(crate) mod law;

use proptest::prelude::*;
use repertoire_render::{Arguments, Context, Dialect, Plan, Syntax, Unknown};

use crate::printed;

/// Inputs made to break a law: a body, and what is typed.
const HOSTILE: &[(&str, &str)] = &[
    ("!`a` <!-- `-->` !`b` -->\n", "<!--"),
    ("`<!--` !`a`\n<!--> !`b`\n<!--\n!`c`", "-->"),
    ("> ```!\n> a\n> b\n> ```\n!`c`", "```\n!`d`"),
    ("- !{script: a.sh, k: \"}\"} \\!{script: b.sh}\r\n", "}"),
    ("$ARGUMENTS[0]$ARGUMENTS$0${0}\\\\$1\\$1$$1", "'a\" b"),
    ("```!\nno end", ""),
    ("\\!`a`!`b` é!`c` \u{a0}!`d`", "é"),
    ("$issue-number$issue-$issues ${issue} \\$issue", "7"),
    ("\u{feff}!`a`\n\0$0\r!`b`", "\0"),
];

#[test]
fn hostile_inputs_satisfy_the_laws() {
    HOSTILE
        .iter()
        .for_each(|(body, typed)| law::hold(body, typed));
}

/// Quadratic time would take hours.
#[test]
fn a_body_of_openings_takes_linear_time() {
    for piece in [
        "$",
        "${",
        "$ARGUMENTS[",
        "\\",
        "\\$1 ",
        "!",
        " !{script: a.sh, ",
        " !`",
        "`",
        "```!\n",
        "<!--",
        "<!-- -->",
        " <!--`",
        "\\<!--",
        "<div>\n<!--\n\n",
        "${a} ",
        "$1 ",
        "!`a` ",
        "!{script: a} ",
        "text\n",
        "${a",
        "$ARGUMENTS[0",
        "\\\\$1",
        "! \t ",
        "!{script: a.sh, k: \"",
        "``",
        "```\n",
        "~~~!\n!`a`\n",
        "-->",
        "<!-- `-->`",
        "$abc",
        "$abé",
        "!`a\nb` ",
        "\\!`a` ",
        "> ",
        "- $1\n",
    ] {
        let named = law::declaring(&["a", "ab", "issue"], Some(Dialect::OpenCode));
        let in_code = named.clone().in_code();
        for syntax in [named, in_code, Syntax::new(Dialect::OpenClaw)] {
            let body = piece.repeat(300_000 / piece.len());
            let plan = Plan::new(&body, &syntax);
            let context = Context::new()
                .unknown(Unknown::Empty)
                .arguments(Arguments::new("a b"));
            let rendered = plan.render(&context, []).expect("nothing aborts");
            assert_eq!(rendered.outcomes.len(), plan.directives().len());
        }
    }
    let typed = "\"' \\\" ".repeat(100_000);
    assert!(Arguments::new(typed.as_str()).words().len() > 1);
}

/// Pieces that mean something, in any order.
fn bodies() -> impl Strategy<Value = String> {
    let pieces = [
        "$ARGUMENTS",
        "$ARGUMENTS[0]",
        "$ARGUMENTS[",
        "$0",
        "$1",
        "$12",
        "${1}",
        "${SKILL_DIR}",
        "${X}",
        "${UNKNOWN}",
        "${x:-y}",
        "$issue",
        "$issue-number",
        "\\",
        "\\$1",
        "\\!",
        "!",
        "!`date`",
        "!`a\nb`",
        "!{script: a.sh}",
        "!{script: a.sh, k: \"v\"}",
        "!{script: ",
        "}",
        "`",
        "``",
        "```",
        "```!\n",
        "```sh\n",
        "~~~",
        "~~~~!\n",
        "<!--",
        "-->",
        "<div>",
        "</pre>",
        "<pre>",
        "\n",
        "\n\n",
        "    ",
        "\t",
        " ",
        "- ",
        "> ",
        "# ",
        "|",
        "a",
        "é",
        "</skill_content>",
        "\r\n",
        "$",
        "{",
        "[a](",
        ")",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..30)
        .prop_map(|pieces| pieces.concat())
}

fn typed() -> impl Strategy<Value = String> {
    let pieces = [
        "a",
        " ",
        "'",
        "\"",
        "\\",
        "$ARGUMENTS",
        "${X}",
        "$1",
        "\n!`rm`\n",
        "!{script: b.sh}",
        "`",
        ";",
        "é",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..8)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_laws_hold(body in bodies(), typed in typed()) {
        law::hold(&body, &typed);
    }

    #[test]
    fn any_text_satisfies_the_rendering_laws(body in ".{0,200}", typed in ".{0,40}") {
        law::hold(&body, &typed);
    }

    #[test]
    fn typed_arguments_never_change_the_commands(body in bodies(), typed in typed()) {
        // Each that the body asks for shows what became of it, once and at its place, and nothing else does.
        let plan = Plan::new(&body, &Syntax::default());
        let count = plan.directives().len();
        let mark = |number: usize| format!("«{number}»");
        let context = Context::new().arguments(Arguments::new(typed.as_str())).variable("X", typed.as_str());
        let rendered = plan.render(&context, (0..count).map(|number| printed(&mark(number)))).expect("nothing aborts");
        prop_assert_eq!(rendered.outcomes.len(), count);
        let mut marks = rendered.text.match_indices('«').map(|(at, _)| at);
        for number in 0..count {
            let at = marks.next().expect("a mark for each");
            prop_assert!(rendered.text[at..].starts_with(&mark(number)));
        }
        prop_assert_eq!(marks.next(), None);
    }

    #[test]
    fn text_without_placeholders_is_unchanged(body in "[a-z#*_ \\-\n>`.,()\\[\\]<]{0,200}") {
        let rendered = Plan::new(&body, &Syntax::default()).render(&Context::new(), []).expect("nothing aborts");
        prop_assert_eq!(rendered.text, body.as_str());
    }
}
