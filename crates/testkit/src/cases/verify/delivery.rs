//! The content that models and users get.

use repertoire_engine::tools::Toolset;
use serde_json::Value;

use super::verify;
use crate::cases::check::{Activation, ActivationWant, Check, RequestedSkill, SessionLine};
use crate::cases::test_env::TestEnv;
use crate::cases::verdict::Verdict;

pub(super) fn activate(Activation { by, asked, want }: &Activation, env: &TestEnv) -> Verdict {
    let name = match asked {
        RequestedSkill::Name(name) => name.clone(),
        RequestedSkill::PathOf(path) => env.absolute(path),
    };
    let answer = env.activate(*by, &name);
    // A hidden skill is reported as unknown; the reason is only in the note for the operator.
    let with_note = format!(
        "{}\n{}",
        answer.text,
        answer.operator_note.as_deref().unwrap_or_default()
    );
    let holds = match want {
        ActivationWant::Ok => !answer.is_error,
        ActivationWant::Error => answer.is_error,
        ActivationWant::ErrorText(want) => answer.is_error && want.holds(&with_note.into()),
        ActivationWant::Text(want) => !answer.is_error && want.holds(&answer.text.as_str().into()),
        ActivationWant::PathOf(path) => {
            !answer.is_error && answer.text.contains(&env.absolute(path))
        }
        ActivationWant::AtMost(most) => !answer.is_error && answer.text.len() <= *most,
    };
    Verdict::of(
        holds,
        format_args!("{want:?}"),
        format_args!("{:?}: {}", answer.code, answer.text),
    )
}

pub(super) fn tools(names: &Vec<String>, env: &TestEnv) -> Verdict {
    let tools = env.tools();
    Verdict::same(
        names,
        &tools
            .tools()
            .iter()
            .map(|tool| tool.name.to_string())
            .collect(),
    )
}

pub(super) fn tools_enum(names: &[String], env: &TestEnv) -> Verdict {
    let tools: Toolset = env.tools();
    let enums = tools
        .tools()
        .iter()
        .filter_map(|tool| tool.input_schema.pointer("/properties/id/enum"));
    let enums: Vec<&Value> = enums.collect();
    let expected = Value::from(names);
    let holds = !enums.is_empty() && enums.iter().all(|found| **found == expected);
    Verdict::of(holds, expected, format_args!("{enums:?}"))
}

pub(super) fn disabled(names: &[String], check: &Check, env: &TestEnv) -> Verdict {
    env.with_disabled(names, || verify(check, env))
}

pub(super) fn session(line: &SessionLine, env: &TestEnv) -> Verdict {
    match line {
        SessionLine::Active(names) => Verdict::same(names, &env.active()),
        SessionLine::Calls(calls, want) => {
            let outputs = calls
                .iter()
                .map(|call| env.call_in_session(call))
                .collect::<Vec<_>>();
            outputs
                .into_iter()
                .flatten()
                .next_back()
                .map_or_else(|| Verdict::fails("a call", "none"), |text| want.check(text))
        }
    }
}
