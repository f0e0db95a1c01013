use clap::CommandFactory;

use super::*;

#[test]
fn clap_accepts_the_definitions() {
    Arguments::command().debug_assert();
}

#[test]
fn a_model_is_split_at_the_first_slash() {
    for (text, expected) in [
        ("anthropic/claude-sonnet-4-5", Model::from("anthropic/claude-sonnet-4-5")),
        ("openrouter/anthropic/claude-3.5-sonnet", Model::from("openrouter/anthropic/claude-3.5-sonnet")),
        ("anthropic/", Model::from("anthropic/")),
        ("gpt-5", Model::new("gpt-5")),
    ] {
        let arguments = Arguments::try_parse_from(["repertoire", "kinds", "--model", text]).expect("it parses");
        assert_eq!(arguments.model(), expected, "{text}");
    }
}
