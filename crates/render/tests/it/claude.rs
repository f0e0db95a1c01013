//! Vectors A-1 to A-11: what Claude Code documents, with its dialect named.

use repertoire_core::Skill;
use repertoire_render::{Dialect, DirectiveAction, Plan, Syntax};

use crate::laws::law::declaring;
use crate::{directives, named, plain, with};

const CLAUDE: Dialect = Dialect::Claude;

#[track_caller]
fn check(body: &str, typed: &str, text: &str) {
    assert_eq!(named(CLAUDE, body, typed), text, "{body:?} with {typed:?}");
}

#[test]
fn case_1_arguments_are_inserted_as_typed() {
    check("Do $ARGUMENTS now", r#"a  "b c""#, r#"Do a  "b c" now"#);
    check(
        "$ARGUMENTSX $ARGUMENTS_2 ${ARGUMENTS}",
        "v",
        "$ARGUMENTSX $ARGUMENTS_2 v",
    );
}

#[test]
fn case_2_positions_count_from_zero() {
    check(
        "a $0 b $1",
        r#""hello world" second"#,
        "a hello world b second",
    );
    check(
        "$ARGUMENTS[0] $ARGUMENTS[1] $ARGUMENTS[2]",
        "SearchBar React Vue",
        "SearchBar React Vue",
    );
    check("${0}-${1}", "x y", "x-y");
    check("$10 $1", "0 1 2 3 4 5 6 7 8 9 ten", "ten 1");
}

#[test]
fn a_3_declared_names_resolve_to_positions() {
    let syntax = declaring(&["issue", "branch"], None);
    assert_eq!(
        with(&syntax, "Fix $issue on $branch, not $issues.", "7 main"),
        "Fix 7 on main, not $issues."
    );
    let longest = declaring(&["issue", "issue-number"], None);
    assert_eq!(with(&longest, "$issue-number $issue-x", "a b"), "b a-x");
}

#[test]
fn case_4_missing_arguments_by_number_and_name() {
    check(
        "a $2 b ${3} c $ARGUMENTS[4]",
        "one",
        "a $2 b ${3} c $ARGUMENTS[4]\n\nARGUMENTS: one\n",
    );
    let syntax = declaring(&["issue", "branch"], None);
    assert_eq!(with(&syntax, "<$issue> <$branch>", "7"), "<7> <>");
    assert_eq!(with(&syntax, "<$issue> <$branch>", ""), "<> <>");
}

#[test]
fn case_5_unused_arguments_are_appended() {
    check("Do it.\n", "for red", "Do it.\n\nARGUMENTS: for red\n");
    check("Do it.", "for red", "Do it.\n\nARGUMENTS: for red\n");
    check("", "for red", "ARGUMENTS: for red\n");
    check("Do it.\n", "  ", "Do it.\n");
    // Any placeholder that took one is a place.
    check("Do $0.\n", "it", "Do it.\n");
    check("Do $ARGUMENTS[0].\n", "it", "Do it.\n");
    check("Do ${ARGUMENTS}.\n", "it", "Do it.\n");
    assert_eq!(
        with(&declaring(&["what"], None), "Do $what.\n", "it"),
        "Do it.\n"
    );
}

#[test]
fn a_6_inserted_text_is_never_expanded() {
    check(
        "$ARGUMENTS $0",
        "$0 $ARGUMENTS ${SKILL_DIR}",
        "$0 $ARGUMENTS ${SKILL_DIR} $0",
    );
    // A backslash does not keep a variable from being one.
    check(r"\${CLAUDE_SKILL_DIR}", "", r"\/skills/it");
}

#[test]
fn a_7_one_backslash_makes_a_placeholder_text() {
    check(
        r"\$1.00 and \$ARGUMENTS",
        "x y",
        "$1.00 and $ARGUMENTS\n\nARGUMENTS: x y\n",
    );
    check(r"\\$1", "x y", r"\\y");
    check(r"\\\$1", "x y", "\\\\$1\n\nARGUMENTS: x y\n");
    check(r"\$x \$HOME \n $0", "v", r"\$x \$HOME \n v");
    assert_eq!(with(&declaring(&["x"], None), r"\$x $x", "v"), "$x v");
    check("\\!`date` a", "", "!`date` a");
    check("\\!{script: a.sh} a", "", "!{script: a.sh} a");
    assert_eq!(directives("\\!`date`\n\\!{script: a.sh}\n"), []);
    // Without a placeholder after it, the backslash is plain text.
    assert_eq!(plain(r"\$1", ""), r"\$1");
}

#[test]
fn case_8_variables_have_two_spellings() {
    let body = "${SKILL_DIR} ${CLAUDE_SKILL_DIR} ${CLAUDE_SESSION_ID} ${SESSION_ID} ${PROJECT_DIR} ${CLAUDE_PROJECT_DIR}";
    let context = repertoire_render::Context::new()
        .skill_dir("/s")
        .session_id("id")
        .project_dir("/p");
    let rendered = Plan::new(body, &Syntax::new(CLAUDE))
        .render(&context, [])
        .expect("nothing aborts");
    assert_eq!(rendered.text, "/s /s id id /p /p");
    assert_eq!(rendered.warnings, []);
}

#[test]
fn folder_variables_are_replaced_in_code() {
    // The example of the documentation: a skill that runs its own script.
    let visualize = "Run it:\n\n```bash\npython3 ${CLAUDE_SKILL_DIR}/scripts/visualize.py .\n```\n";
    check(
        visualize,
        "",
        &visualize.replace("${CLAUDE_SKILL_DIR}", "/skills/it"),
    );
    let span = "Then `sh ${SKILL_DIR}/deploy.sh $1 $ARGUMENTS ${HOME} ${SESSION_ID}`.\n\n    ls ${SKILL_DIR}\n";
    check(span, "", &span.replace("${SKILL_DIR}", "/skills/it"));
    let comment = "<!-- ${SKILL_DIR} -->\n";
    check(comment, "", comment);
    assert_eq!(
        named(Dialect::OneBased, span, ""),
        span,
        "another dialect documents nothing of the kind"
    );
    assert_eq!(
        plain(visualize, ""),
        visualize.replace("${CLAUDE_SKILL_DIR}", "/skills/it"),
        "it is the default"
    );
}

#[test]
fn case_9_commands_begin_a_line_word_or_block() {
    let commands = |body| {
        let found = directives(body)
            .into_iter()
            .map(|directive| match directive.action {
                DirectiveAction::Command { command } => (directive.line, command),
                _ => panic!("no script is in it"),
            });
        found.collect::<Vec<_>>()
    };
    let body = "!`one`\n- !`two`\n\tx !`three`, format!`no`\n\n(!`no`)\n```!\nfour\n  five\n```\n~~~~ !\nsix\n~~~~\n";
    let found = [
        (1, "one"),
        (2, "two"),
        (3, "three"),
        (6, "four\n  five"),
        (10, "six"),
    ];
    assert_eq!(
        commands(body),
        found.map(|(line, command)| (line, command.to_owned()))
    );
    assert_eq!(
        commands("```!bash\nno\n```\n``` x!\nno\n```\n!``no``\n!` `\n"),
        []
    );
}

#[test]
fn case_10_a_failed_command_leaves_the_body() {
    // Here Claude Code aborts; see `output`.
    let failed = crate::ended(repertoire_render::RunEnd::Exit(1), "", "");
    let plan = Plan::new("A !`false` B", &Syntax::new(CLAUDE));
    let rendered = plan
        .render(&repertoire_render::Context::new(), [failed])
        .expect("nothing aborts");
    assert_eq!(rendered.text, "A [command failed with exit code 1] B");
}

#[test]
fn case_11_disabled_commands_leave_the_usual_note() {
    check(
        "X: !`date`\n",
        "",
        "X: !`date` [shell command execution disabled by policy]\n",
    );
    check(
        "```!\ndate\n```\nEnd\n",
        "",
        "```!\ndate\n```\n[shell command execution disabled by policy]\nEnd\n",
    );
    check(
        "!{script: a.sh}\n",
        "",
        "!{script: a.sh} [script execution disabled by policy]\n",
    );
}

#[test]
fn a_skill_that_declares_arguments_means_its_numbers() {
    let body = "---\nname: a\ndescription: d\narguments: [issue]\n---\n";
    let site = repertoire_core::skill_md::FileContext::new("a/SKILL.md").in_directory("a");
    let skill: Skill = repertoire_core::skill_md::parse(body.as_bytes(), site)
        .skill
        .expect("it is a skill");
    assert_eq!(
        with(&Syntax::from_skill(&skill, None, None), "$0 $issue", "7"),
        "7 7"
    );
    // Others mean money.
    assert_eq!(
        plain("It is $0, or -$0.06, or $5 for $ARGUMENTS", "x"),
        "It is $0, or -$0.06, or $5 for x"
    );
    assert_eq!(plain("${0} and $ARGUMENTS[0]", "x"), "x and x");
}
