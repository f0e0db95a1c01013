//! Texts with facts of the turn in them: the vectors of agentfootprint's templates.

use super::*;

fn template(text: &str) -> Injection {
    injection(
        "left",
        Flavor::Instructions,
        Trigger::Always,
        Content::system_prompt(text),
    )
}

async fn composed(text: &str, turn: &Turn) -> (String, Vec<NoticeReason>) {
    let world = TestEnv::of(&[]).await;
    let mut session = world.session(plain().inject_template(template(text)).unwrap());
    let evaluation = session.evaluate(turn);
    assert_each_once(&evaluation);
    let skipped = evaluation
        .skipped
        .iter()
        .map(|skipped| skipped.why.clone())
        .collect();
    (
        session
            .compose(&evaluation, &claude())
            .unwrap()
            .system_prompt,
        skipped,
    )
}

#[tokio::test]
async fn templates_replace_placeholders_with_turn_facts() {
    let text = "Call {{action}} of {{ actionBudget }}: {{actionsRemaining}} remain.";
    let of = |number, most| Turn::new("").number(number).at_most(most);
    assert_eq!(
        composed(text, &of(25, 30)).await,
        ("Call 25 of 30: 5 remain.".to_owned(), vec![])
    );
    assert_eq!(
        composed(text, &of(31, 30)).await,
        ("Call 31 of 30: 0 remain.".to_owned(), vec![])
    );
    // An unknown fact leaves no gap.
    let unknown = vec![NoticeReason::Invalid(
        "the turn does not have `actionBudget`, which its text names".into(),
    )];
    assert_eq!(
        composed(text, &Turn::new("").number(2)).await,
        (String::new(), unknown)
    );
    assert_eq!(
        composed("Call {{action}}.", &Turn::new("").number(2)).await,
        ("Call 2.".to_owned(), vec![])
    );
    for plain in ["No facts.", "{ {action} }", "{{action", "}} {{"] {
        assert_eq!(
            composed(plain, &Turn::new("")).await,
            (plain.to_owned(), vec![])
        );
    }
}

#[test]
fn invalid_templates_are_rejected() {
    let error = |injection| plain().inject_template(injection).unwrap_err().to_string();
    assert_eq!(
        error(template("{{action}} and {{ Budget }}")),
        "instructions `left` is not valid: its text has the unknown name `Budget`: expected `action`, `actionBudget` or `actionsRemaining`"
    );
    assert!(error(template("{{}}")).contains("the unknown name ``: "));
    let none = "instructions `left` is not valid: a template is a text for the system prompt, without messages";
    let mut both = Content::system_prompt("{{action}}");
    both.messages.push(Message::new(Role::User, "{{action}}"));
    for content in [Content::message(Role::User, "{{action}}"), both] {
        assert_eq!(
            error(injection(
                "left",
                Flavor::Instructions,
                Trigger::Always,
                content
            )),
            none
        );
    }
    let options = plain().inject(template("{{action}}")).unwrap();
    assert!(
        options.inject_template(template("{{action}}")).is_err(),
        "one id is given once"
    );
}
