//! Who gets a skill, and what a model is told of the ways to it.

use repertoire_engine::Toolset;
use serde_json::Value;

use super::verify;
use crate::cases::check::{Activation, ActivationWant, Asked, Check, Want};
use crate::cases::verdict::Verdict;
use crate::cases::world::World;

pub(super) fn activate(Activation { by, asked, want }: &Activation, world: &World) -> Verdict {
    let absolute = |path: &str| world.fixture().path().join(path).display().to_string();
    let name = match asked {
        Asked::Name(name) => name.clone(),
        Asked::PathOf(path) => absolute(path),
    };
    let answer = world.activate(*by, &name);
    let told = format!("{:?}: {}", answer.code, answer.text);
    let text = |want: &Want| want.holds(&answer.text.as_str().into());
    // The answer for a hidden skill is that for an unknown one: the reason is with the operator.
    let told_to_all = format!("{}\n{}", answer.text, answer.trouble.as_deref().unwrap_or_default());
    let error = |want: &Want| want.holds(&told_to_all.as_str().into());
    let holds = match want {
        ActivationWant::Ok => !answer.is_error,
        ActivationWant::Error => answer.is_error,
        ActivationWant::ErrorText(want) => answer.is_error && error(want),
        ActivationWant::Text(want) => !answer.is_error && text(want),
        ActivationWant::PathOf(path) => !answer.is_error && answer.text.contains(&absolute(path)),
        ActivationWant::AtMost(most) => !answer.is_error && answer.text.len() <= *most,
    };
    Verdict::of(holds, format_args!("{want:?}"), told)
}

pub(super) fn tools(names: &Vec<String>, world: &World) -> Verdict {
    let tools = world.tools();
    Verdict::same(names, &tools.tools().iter().map(|tool| tool.name.to_string()).collect())
}

/// Whatever tool takes the name of a skill takes one of these.
pub(super) fn tools_enum(names: &[String], world: &World) -> Verdict {
    let tools: Toolset = world.tools();
    let enums = tools.tools().iter().filter_map(|tool| tool.input_schema.pointer("/properties/id/enum"));
    let enums: Vec<&Value> = enums.collect();
    let expected = Value::from(names);
    let holds = !enums.is_empty() && enums.iter().all(|found| **found == expected);
    Verdict::of(holds, expected, format_args!("{enums:?}"))
}

pub(super) fn disabled(names: &[String], check: &Check, world: &World) -> Verdict {
    world.with_disabled(names, || verify(check, world))
}
