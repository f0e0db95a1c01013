use clap::CommandFactory;

use super::*;

#[test]
fn clap_accepts_the_definitions() {
    CommandLine::command().debug_assert();
}

#[test]
fn a_model_is_split_at_the_first_slash() {
    for (text, expected) in [
        (
            "anthropic/claude-sonnet-4-5",
            (Some("anthropic"), Some("claude-sonnet-4-5")),
        ),
        (
            "openrouter/anthropic/claude-3.5-sonnet",
            (Some("openrouter"), Some("anthropic/claude-3.5-sonnet")),
        ),
        ("anthropic/", (Some("anthropic"), None)),
        ("gpt-5", (None, Some("gpt-5"))),
    ] {
        let arguments = CommandLine::try_parse_from(["repertoire", "kinds", "--model", text])
            .expect("it parses");
        let model = arguments.model();
        assert_eq!((model.provider(), model.name()), expected, "{text}");
    }
}
