//! The measured behaviour of Cortex, row by row: the default answer where it differs, and theirs in compatibility mode.

use repertoire_render::{
    Arguments, Context, Dialect, Plan, RenderError, RunEnd, Syntax, Unknown, Warning,
};

use crate::{directives, ended, named, plain, printed};

const CORTEX: Dialect = Dialect::OneBased;

/// A body with variables in the dialect of Cortex.
fn variables(body: &str, variables: &[(&str, &str)]) -> String {
    let context = variables
        .iter()
        .fold(Context::new(), |context, (name, value)| {
            context.variable(*name, *value)
        });
    let plan = Plan::new(body, &Syntax::new(CORTEX));
    plan.render(&context, [])
        .expect("nothing aborts")
        .text
        .into_owned()
}

fn messages(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn its_own_vectors_hold() {
    assert_eq!(
        variables(
            "Hello ${NAME}, welcome to ${PLACE}.",
            &[("NAME", "Craig"), ("PLACE", "Animus")]
        ),
        "Hello Craig, welcome to Animus."
    );
    assert_eq!(
        named(CORTEX, "Args: $ARGUMENTS", "hello world"),
        "Args: hello world"
    );
    assert_eq!(
        named(CORTEX, "First: $1, Second: $2, Third: $3", "a b c"),
        "First: a, Second: b, Third: c"
    );
    assert_eq!(
        variables("${X} and ${X} again", &[("X", "test")]),
        "test and test again"
    );
    let context = Context::new().unknown(Unknown::Empty);
    let rendered = Plan::new("A\nValue: ${MISSING}", &Syntax::new(CORTEX)).render(&context, []);
    let rendered = rendered.expect("nothing aborts");
    assert_eq!(rendered.text, "A\nValue: ");
    assert_eq!(
        messages(&rendered.warnings),
        ["line 2: unknown variable `MISSING`"]
    );
    let body = "## Status\n!`echo \"ok\"`\n\n## Done\n";
    let rendered = Plan::new(body, &Syntax::new(CORTEX)).render(&context, [printed("ok\n")]);
    assert_eq!(
        rendered.expect("nothing aborts").text,
        "## Status\nok\n\n## Done\n"
    );
}

#[test]
fn numbers_are_taken_whole() {
    assert_eq!(named(CORTEX, "$10", "a"), "$10\n\nARGUMENTS: a\n");
    assert_eq!(
        named(CORTEX, "$10 $0 $ARGUMENTS[0]", "1 2 3 4 5 6 7 8 9 ten"),
        "ten $0 $ARGUMENTS[0]"
    );
    assert_eq!(named(CORTEX, r"\$1", "a"), "$1\n\nARGUMENTS: a\n");
}

#[test]
fn prices_and_fields_of_awk_survive() {
    assert_eq!(plain("price $5 and $12.50", ""), "price $5 and $12.50");
    assert_eq!(
        plain("`awk '{print $1}'` or awk '{print $1}'", "x"),
        "`awk '{print $1}'` or awk '{print $1}'\n\nARGUMENTS: x\n"
    );
}

#[test]
fn inserted_text_is_only_text() {
    let context = |typed| {
        Context::new()
            .variable("SECRET", "s3cr3t")
            .arguments(Arguments::new(typed))
    };
    let plan = Plan::new("Args: $ARGUMENTS", &Syntax::new(CORTEX));
    for typed in ["${SECRET}", "$1", "x\n!`rm -r x`\n", "!{script: a.sh}"] {
        let rendered = plan.render(&context(typed), []).expect("nothing aborts");
        assert_eq!(rendered.text, format!("Args: {typed}"));
        assert_eq!(rendered.outcomes, []);
    }
    assert_eq!(variables("${A}", &[("A", "${B}"), ("B", "no")]), "${B}");
    assert_eq!(variables("${A}", &[("A", "!`rm -r x`")]), "!`rm -r x`");
}

#[test]
fn host_language_names_are_not_variables() {
    assert_eq!(
        plain("${constructor} ${__proto__} ${toString}", ""),
        "${constructor} ${__proto__} ${toString}"
    );
}

#[test]
fn the_shells_own_variables_reach_the_shell() {
    let found = directives("!`echo ${HOME} $1 \"$ARGUMENTS\" \\$x`\n");
    assert_eq!(
        found.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["echo ${HOME} $1 \"$ARGUMENTS\" \\$x"]
    );
}

#[test]
fn commands_are_found_in_all_text() {
    for none in [
        "```\n!`x`\n```\n",
        "````\n```\n!`x`\n````\n",
        "~~~\n!`x`\n~~~\n",
        "```\nopen to the end\n!`x`\n",
        "    !`indented code`\n",
        "<!--\n!`x`\n-->\n",
        "a <!-- !`x` --> b\n",
        "a <!-- b\n\n!`x`\n\n--> c\n",
        "<div>\n<!--\n\n!`x`\n\n-->\n</div>\n",
        "``!`x` ``\n",
        "a `!` b `!`\n",
    ] {
        assert_eq!(directives(none), [], "{none:?}");
    }
    for one in [
        "!`x`\r\n",
        "Status: !`x`\n",
        "- !`x`\n",
        "  !`x` \n",
        "> !`x`\n",
        "# !`x`\n",
        "a\n\n<!-- c -->\n!`x`\n",
        "`<!--` !`x`\n",
        "\\<!-- !`x` -->\n",
    ] {
        assert_eq!(directives(one).len(), 1, "{one:?}");
    }
}

#[test]
fn two_stray_backticks_are_no_command() {
    assert_eq!(directives("!`This is\n\nprose`.\n"), []);
    let plan = Plan::new("!`one\ntwo`\n", &Syntax::default());
    assert_eq!(plan.directives(), []);
    let rendered = plan.render(&Context::new(), []).expect("nothing aborts");
    let message =
        "line 1: a command in backticks spans several lines; use a fence with the info string `!`";
    assert_eq!(messages(&rendered.warnings), [message]);
}

#[test]
fn outputs_replace_their_commands_without_reparsing() {
    let plan = Plan::new("!`one`\n!`two`\n", &Syntax::default());
    let outcomes = [printed("!`two`\n"), printed("2\n")];
    assert_eq!(
        plan.render(&Context::new(), outcomes)
            .expect("nothing aborts")
            .text,
        "!`two`\n2\n"
    );
}

#[test]
fn failures_retain_printed_output() {
    for (outcome, text) in [
        (
            ended(RunEnd::Exit(3), "", "oops\n"),
            "oops [command failed with exit code 3]",
        ),
        (
            ended(RunEnd::Exit(1), "some\n", ""),
            "some [command failed with exit code 1]",
        ),
        (
            ended(RunEnd::Signal(9), "", ""),
            "[command was killed by signal 9]",
        ),
        (ended(RunEnd::Exit(0), "", "only this\n"), ""),
    ] {
        let rendered = Plan::new("!`x`\n", &Syntax::default()).render(&Context::new(), [outcome]);
        assert_eq!(rendered.expect("nothing aborts").text, format!("{text}\n"));
    }
}

#[test]
fn built_in_variables_cannot_be_overridden() {
    let context = Context::new()
        .skill_dir("/real")
        .skill_variable("SKILL_DIR", "/skill")
        .variable("SKILL_DIR", "/host")
        .variable("ARGUMENTS", "forged")
        .variable("1", "forged")
        .variable("SESSION_ID", "forged")
        .skill_variable("X", "skill")
        .variable("X", "host")
        .skill_variable("Y", "skill");
    let body = "${SKILL_DIR} ${ARGUMENTS} ${1} ${X} ${Y} ${SESSION_ID}";
    let rendered = Plan::new(body, &Syntax::new(CORTEX))
        .render(&context, [])
        .expect("nothing aborts");
    assert_eq!(rendered.text, "/real  ${1} host skill ${SESSION_ID}");
    assert_eq!(
        messages(&rendered.warnings),
        [
            "line 1: there is no argument for `${1}`",
            "line 1: there is no value for `SESSION_ID` here"
        ]
    );
}

#[test]
fn an_unknown_variable_can_be_an_error() {
    let context = Context::new().unknown(Unknown::Error);
    let rendered = Plan::new("a\n\n${MISSING}", &Syntax::default()).render(&context, []);
    assert_eq!(
        rendered,
        Err(RenderError::UnknownVariable {
            line: 3,
            name: "MISSING".to_owned()
        })
    );
}
