use proptest::prelude::*;

use super::SurfaceMode::{Both, SystemPrompt, ToolOnly};
use super::*;
use crate::{ModelPattern, SurfaceRule};

fn policy(default: Option<SurfaceMode>, hint: Option<&str>) -> SurfacePolicy {
    SurfacePolicy {
        default,
        hint: hint.map(str::to_owned),
        rules: SurfaceRules::shipped(),
    }
}

/// Every name with its answer by the shipped rules, on `anthropic`.
#[track_caller]
fn check(mode: SurfaceMode, names: &[&str]) {
    for name in names {
        let surface =
            SurfacePolicy::default().resolve(None, &Model::new(name).with_provider("anthropic"));
        assert_eq!(surface.mode, mode, "{name}");
        let fell_back = surface.decided_by == DecidedBy::Fallback;
        assert_eq!(
            fell_back,
            mode == ToolOnly,
            "{name}: {}",
            surface.decided_by
        );
    }
}

#[test]
fn the_built_in_table_matches_the_stated_threshold() {
    check(
        Both,
        &[
            "claude-3-5-sonnet-20240620",
            "claude-3.5-sonnet",
            "claude-3-5-haiku-20241022",
            "claude-3-5-sonnet-latest",
            "claude-3-5-sonnet@20240620",
            "claude-sonnet-4-20250514",
            "claude-opus-4",
            "claude-opus-4-1",
            "claude-4-sonnet",
            "claude-sonnet-4-0",
            "claude-40",
            "claude-sonnet-4-5-20250929",
            "claude-haiku-4-5-20251001",
            "claude-opus-4.6",
            "claude-opus-4-5-thinking",
            "claude-sonnet-4-5[1m]",
            "CLAUDE-SONNET-4-5",
            "us.anthropic.claude-sonnet-4-20250514-v1:0",
            "global.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "anthropic/claude-sonnet-4.5",
            "claude-3-7-sonnet-20250219",
            "claude-3-7-sonnet-latest",
            "claude-3.7-sonnet",
            "claude-opus-10",
            "claude-sonnet-10-1",
            "claude-10",
            "claude-fable-5",
            "claude-mythos-5",
        ],
    );
    check(
        ToolOnly,
        &[
            "",
            "  ",
            "claude-2",
            "claude-2.1",
            "claude-instant-1.2",
            "claude-3-opus-20240229",
            "claude-3-haiku-20240307",
            "claude-3-opus-latest",
            "claude-3-20240229",
            "claude-opus-latest",
            "claude-v4",
            "gpt-4o",
            "my-claude-3-50-x",
        ],
    );
}

#[test]
fn resellers_resolve_to_the_maker() {
    for (model, mode) in [
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", Both),
        (
            "amazon-bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0",
            Both,
        ),
        ("bedrock/anthropic.claude-3-haiku-20240307-v1:0", ToolOnly),
        ("vertex/claude-sonnet-4-5@20250929", Both),
        ("openrouter/anthropic/claude-sonnet-4.5", Both),
        ("openrouter/openai/gpt-4o", ToolOnly),
        ("azure/claude-sonnet-4-5", Both),
        ("azure/our-assistant", ToolOnly),
    ] {
        assert_eq!(
            SurfacePolicy::default()
                .resolve(None, &Model::from(model))
                .mode,
            mode,
            "{model}"
        );
    }
}

#[test]
fn other_providers_fall_back() {
    let resolve = |model: &str| {
        SurfacePolicy::default()
            .resolve(None, &Model::from(model))
            .mode
    };
    for provider in ["browser-anthropic", "openai", "ollama", "mock", "vendor-x"] {
        for name in ["", "claude-sonnet-4-5", "gpt-4o", "llama3.1"] {
            assert_eq!(
                resolve(&format!("{provider}/{name}")),
                ToolOnly,
                "{provider} {name}"
            );
        }
    }
    assert_eq!(resolve(""), ToolOnly);
    assert_eq!(
        resolve("claude-sonnet-4-5"),
        ToolOnly,
        "a name alone decides nothing"
    );
    assert_eq!(resolve("anthropic/"), ToolOnly);
    for provider in ["Anthropic", "ANTHROPIC", " anthropic"] {
        assert_eq!(
            resolve(&format!("{provider}/claude-sonnet-4-5")),
            Both,
            "{provider}"
        );
    }
}

#[test]
fn the_first_concrete_mode_wins_and_is_named() {
    let (claude, gpt) = ("anthropic/claude-sonnet-4-5", "openai/gpt-4o");
    let rule = || DecidedBy::Rule("claude-3.5-or-later".to_owned());
    #[rustfmt::skip]
    let rows = [
        ("C1", Some(Both), Some(ToolOnly), None, claude, Both, DecidedBy::Skill),
        ("C2", None, Some(SystemPrompt), None, claude, SystemPrompt, DecidedBy::Registry),
        ("C3", None, None, None, claude, Both, rule()),
        ("C4", None, None, None, gpt, ToolOnly, DecidedBy::Fallback),
        ("C5", None, None, None, claude, Both, rule()),
        ("C7", None, None, Some("anthropic"), gpt, ToolOnly, DecidedBy::Fallback),
        ("C8", None, None, None, "", ToolOnly, DecidedBy::Fallback),
        ("C9", None, None, Some("mock"), "", ToolOnly, DecidedBy::Fallback),
        ("C10", None, Some(Both), None, "", Both, DecidedBy::Registry),
        ("C11", Some(ToolOnly), Some(Both), None, "", ToolOnly, DecidedBy::Skill),
        ("C14", None, Some(Both), None, "", Both, DecidedBy::Registry),
    ];
    for (label, declared, default, hint, known, mode, decided_by) in rows {
        assert_eq!(
            policy(default, hint).resolve(declared, &Model::from(known)),
            Surface { mode, decided_by },
            "{label}"
        );
    }
}

#[test]
fn hints_replace_missing_providers() {
    let policy = policy(None, Some("anthropic"));
    let rule = DecidedBy::Rule("claude-3.5-or-later".to_owned());
    let both = Surface {
        mode: Both,
        decided_by: rule,
    };
    assert_eq!(
        policy.resolve(None, &Model::new("claude-sonnet-4-5")),
        both,
        "C6"
    );
    // The seed takes "" for a provider; we take it for none.
    assert_eq!(
        policy.resolve(None, &Model::from("/claude-sonnet-4-5")),
        both,
        "C18"
    );
    assert_eq!(
        policy.resolve(None, &Model::from(" \t/claude-sonnet-4-5")),
        both,
        "C18, blanks"
    );
    assert_eq!(
        policy.resolve(None, &Model::from("anthropic/")).mode,
        ToolOnly
    );
    let blank_hint = SurfacePolicy {
        hint: Some(" ".to_owned()),
        ..SurfacePolicy::default()
    };
    assert_eq!(
        blank_hint
            .resolve(None, &Model::new("claude-sonnet-4-5"))
            .decided_by,
        DecidedBy::Fallback
    );
}

#[test]
fn a_mode_is_read_at_one_door() {
    for mode in [SystemPrompt, ToolOnly, Both] {
        assert_eq!(SurfaceMode::declared(mode.as_str()), Ok(Some(mode)));
        assert_eq!(serde_json::to_value(mode).unwrap(), mode.as_str());
    }
    assert_eq!(
        SurfaceMode::declared("auto"),
        Ok(None),
        "C3, C9: auto declares nothing"
    );
    for text in ["bogus", "", "Both", "system_prompt"] {
        let message = format!(
            "unknown surface mode `{text}`: expected `system-prompt`, `tool-only`, `both` or `auto`"
        );
        assert_eq!(
            SurfaceMode::declared(text).map_err(|error| error.to_string()),
            Err(message),
            "C16"
        );
    }
    assert_eq!(
        SurfaceMode::declared("bogus").unwrap_err().to_string(),
        "unknown surface mode `bogus`: expected `system-prompt`, `tool-only`, `both` or `auto`"
    );
}

#[test]
fn first_matching_surface_rule_wins() {
    let quiet = ModelPattern::Prefix("claude-haiku".to_owned());
    let quiet = SurfaceRule::new("quiet-haiku", ToolOnly)
        .provider("anthropic")
        .model(quiet);
    let local = SurfaceRule::new("local", SystemPrompt);
    let table = SurfaceRules::new([local]).with(quiet);
    let policy = SurfacePolicy {
        rules: table,
        ..SurfacePolicy::default()
    };
    let resolve = |known: Model| policy.resolve(None, &known);
    let decided = |mode, id: &str| Surface {
        mode,
        decided_by: DecidedBy::Rule(id.to_owned()),
    };
    assert_eq!(
        resolve(Model::from("anthropic/Claude-Haiku-4-5")),
        decided(ToolOnly, "quiet-haiku")
    );
    assert_eq!(
        resolve(Model::from("anthropic/claude-sonnet-4-5")),
        decided(SystemPrompt, "local")
    );
    assert_eq!(resolve(Model::unknown()), decided(SystemPrompt, "local"));
}

proptest! {
    #[test]
    fn a_later_claude_never_gets_less(
        family in "([a-z]{1,8}-)?",
        dot in any::<bool>(),
        (low, high) in (0_u16..20, 0_u16..20, 0_u16..20, 0_u16..20)
            .prop_map(|(a, b, c, d)| ((a, b).min((c, d)), (a, b).max((c, d)))),
    ) {
        let resolve = |(major, minor): (u16, u16)| {
            let name = format!("claude-{family}{major}{}{minor}", if dot { '.' } else { '-' });
            SurfacePolicy::default().resolve(None, &Model::from(format!("anthropic/{name}"))).mode
        };
        prop_assert!(resolve(low) != Both || resolve(high) == Both);
        prop_assert_eq!(resolve(low) == Both, low >= (3, 5));
    }

    #[test]
    fn declarations_win_in_the_cascade(
        provider in any::<String>(),
        name in any::<String>(),
        hint in any::<Option<String>>(),
    ) {
        let policy = SurfacePolicy { hint, ..SurfacePolicy::default() };
        let known = Model::new(&name).with_provider(&provider);
        let first = policy.resolve(None, &known);
        prop_assert_eq!(policy.resolve(None, &known), first, "C17: the same every time");
        let declared = policy.resolve(Some(SystemPrompt), &known);
        prop_assert_eq!(declared, Surface { mode: SystemPrompt, decided_by: DecidedBy::Skill });
    }
}
