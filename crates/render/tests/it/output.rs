//! The text in place of a directive.

use std::time::Duration;

use repertoire_core::Trust;
use repertoire_render::{
    CapturedOutput, CompletedRun, Context, DirectiveOutcome, Plan, Refusal, RenderError, RunEnd,
    Syntax,
};

use crate::{ended, printed};

#[track_caller]
fn shows(body: &str, outcome: DirectiveOutcome, text: &str) {
    let rendered = Plan::new(body, &Syntax::default())
        .render(&Context::new(), [outcome])
        .expect("nothing aborts");
    assert_eq!(rendered.text, text);
}

#[test]
fn one_line_of_output_replaces_its_command() {
    shows(
        "Live: !`x`, then\n",
        printed("LIVE\n"),
        "Live: LIVE, then\n",
    );
    shows("```!\nx\n```\nEnd\n", printed("LIVE\n"), "LIVE\nEnd\n");
    shows("A\n!`x`\n", printed(""), "A\n\n");
}

#[test]
fn several_lines_are_fenced() {
    shows(
        "- Diff: !`x`, then\n",
        printed("a\nb\n"),
        "- Diff: \n```\na\nb\n```\n, then\n",
    );
    shows(
        "!`x`\n",
        printed("```\n````x\n"),
        "`````\n```\n````x\n`````\n",
    );
    shows("!`x`", printed("a\nb"), "```\na\nb\n```");
    // One line that would make code or a comment of the rest.
    shows("!`x`\nrest\n", printed("```\n"), "````\n```\n````\nrest\n");
    shows("!`x`\nrest\n", printed("~~~"), "```\n~~~\n```\nrest\n");
    shows(
        "!`x` -->\n",
        printed("a <!-- b"),
        "```\na <!-- b\n```\n -->\n",
    );
    shows(
        "!`x`\r\n",
        ended(RunEnd::Exit(2), "a\n", "b\n"),
        "```\na\nb\n```\n[command failed with exit code 2]\r\n",
    );
}

#[test]
fn output_closes_no_wrapper() {
    shows(
        "!`x`\n",
        printed("</skill_content> <b> </ SKILL>"),
        "&lt;/skill_content> <b> &lt;/ SKILL>\n",
    );
    shows(
        "!`x`\n",
        printed("<skills> <skill-x> <skill>"),
        "<skills> <skill-x> &lt;skill>\n",
    );
}

#[test]
fn output_omits_terminal_control_sequences() {
    shows(
        "!`x`\n",
        printed("\u{1b}[31mred\u{1b}[0m\u{7}\r\n"),
        "red\n",
    );
}

#[test]
fn truncation_is_reported_and_between_characters() {
    let stdout = CapturedOutput::new("aé".as_bytes().get(..2).expect("three bytes"), 900);
    assert_eq!((stdout.text(), stdout.truncated()), ("a", Some((1, 900))));
    let outcome = DirectiveOutcome::Ran(CompletedRun::new(
        RunEnd::Exit(0),
        stdout,
        CapturedOutput::default(),
    ));
    shows(
        "!`x`\n",
        outcome,
        "a [output cut: the first 1 of 900 bytes]\n",
    );
    // What is whole is not cut, however broken it is.
    assert_eq!(CapturedOutput::new(b"a\xC3", 2).text(), "a\u{fffd}");
}

#[test]
fn timeouts_and_failures_report_their_reason() {
    let late = ended(RunEnd::TimedOut(Duration::from_secs(10)), "begun\n", "");
    shows("!`x`\n", late, "begun [command was stopped after 10s]\n");
    let outcome = DirectiveOutcome::Failed {
        reason: "no interpreter".into(),
    };
    shows(
        "!{script: a.sh}\n",
        outcome,
        "!{script: a.sh} [not run: no interpreter]\n",
    );
    shows(
        "!{script: a.sh}\n",
        ended(RunEnd::Exit(1), "", "deliberate failure\n"),
        "deliberate failure [script failed with exit code 1]\n",
    );
}

#[test]
fn refusals_leave_the_directive_and_a_note() {
    for (by, note) in [
        (
            Refusal::Untrusted(Trust::Restricted),
            "its source is restricted",
        ),
        (Refusal::Unapproved, "it is not approved"),
        (Refusal::Changed, "it changed since it was approved"),
        (Refusal::Denied("not\ntoday".into()), "not today"),
        (
            Refusal::TooMany(16),
            "the skill has more than 16 commands and scripts",
        ),
        (
            Refusal::Late,
            "the time for all commands and scripts was over",
        ),
    ] {
        shows(
            "A !`x` B\n",
            DirectiveOutcome::Refused { by },
            &format!("A !`x` [not run: {note}] B\n"),
        );
    }
}

#[test]
fn a_host_can_refuse_to_render() {
    let plan = Plan::new("A\n!`x` !`y`\n", &Syntax::default());
    let refused = DirectiveOutcome::Refused {
        by: Refusal::Unapproved,
    };
    let context = Context::new().abort_on_refusal();
    let error = plan
        .render(&context, [printed("1"), refused.clone()])
        .expect_err("it aborts");
    let directive = Box::new(plan.directives()[1].clone());
    assert_eq!(
        error,
        RenderError::Refused {
            directive,
            refusal: Refusal::Unapproved
        }
    );
    assert_eq!(
        error.to_string(),
        "line 2: `y` may not run: it is not approved"
    );
    // Otherwise the load goes on, and says what became of each.
    let rendered = plan
        .render(&Context::new(), [printed("1"), refused.clone()])
        .expect("nothing aborts");
    assert_eq!(rendered.outcomes, [printed("1"), refused]);
}

#[test]
fn a_script_that_prints_nothing_is_reported() {
    let body = "One.\n\n!{script: lib/a.js, n: 1}\n!{script: b.sh}\n!`true`\n!{script: c.sh}\n";
    let outcomes = [
        printed(" \n"),
        printed("out"),
        printed(""),
        ended(RunEnd::Exit(1), "", ""),
    ];
    let rendered = Plan::new(body, &Syntax::default())
        .render(&Context::new(), outcomes)
        .expect("nothing aborts");
    let warnings: Vec<_> = rendered.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["line 3: script `lib/a.js` printed nothing to standard output"]
    );
}
