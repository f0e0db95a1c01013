//! The files of the profiles.

use std::collections::BTreeSet;

use repertoire_profiles::{AgentPlace, AgentProfiles, InstallSign};
use repertoire_render::Dialect;

#[test]
fn every_fact_has_a_source_and_a_date() {
    let is_date = |date: &str| {
        let parts: Vec<_> = date.split('-').map(str::len).collect();
        parts == [4, 2, 2] && date.bytes().all(|b| b == b'-' || b.is_ascii_digit())
    };
    // Reading a file of the user also refuses a source that is not listed.
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/agents");
    let errors = AgentProfiles::built_in().add_folder(folder.as_ref());
    assert!(errors.is_empty(), "{errors:?}");
    for profile in AgentProfiles::built_in().iter() {
        let facts = profile.facts();
        assert!(
            facts.len() > 2,
            "{} has {} facts",
            profile.name(),
            facts.len()
        );
        for fact in facts {
            assert!(
                is_date(&fact.date) && !fact.source.is_empty(),
                "{}: {fact:?}",
                profile.name()
            );
            let may_be_empty = ["reading.ignore-rules", "flags.understood"].contains(&&*fact.key);
            assert!(
                may_be_empty || !fact.value.is_empty(),
                "{}: {fact:?}",
                profile.name()
            );
        }
    }
}

#[test]
fn the_agents_are_known_by_name_and_alias() {
    let profiles = AgentProfiles::built_in();
    let names: Vec<_> = profiles.iter().map(|profile| profile.name()).collect();
    let known = [
        "amp",
        "antigravity",
        "claude-code",
        "cline",
        "codex",
        "continue",
        "copilot-cli",
        "copilot-vscode",
        "crush",
        "cursor",
        "deepagents",
        "droid",
        "gemini-cli",
        "goose",
        "hermes",
        "junie",
        "kilo",
        "kiro",
        "letta",
        "openclaw",
        "opencode",
        "opencode-2",
        "openhands",
        "pi",
        "qwen-code",
        "roo",
        "trae",
        "windsurf",
        "zed",
    ];
    assert_eq!(names, known);
    let mut selectors = BTreeSet::new();
    for profile in profiles.iter() {
        for name in std::iter::once(profile.name()).chain(profile.aliases()) {
            assert!(
                selectors.insert(name.to_owned()),
                "{name} selects two agents"
            );
            assert_eq!(
                profiles.get(name).map(|found| found.name()),
                Some(profile.name())
            );
        }
    }
    assert!(profiles.get("nonsense").is_none());
}

#[test]
fn dialects_are_those_of_the_renderer() {
    let known: Vec<_> = Dialect::ALL
        .iter()
        .map(|dialect| dialect.to_string())
        .collect();
    for profile in AgentProfiles::built_in().iter() {
        if let Some(dialect) = profile.dialect() {
            assert!(
                known.iter().any(|known| known == dialect),
                "{dialect} of {}",
                profile.name()
            );
        }
    }
}

#[test]
fn a_file_of_the_user_replaces_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let zed = include_str!("../../agents/zed.toml");
    let mine = zed.replace("title = \"Zed\"", "title = \"My Zed\"");
    std::fs::write(folder.path().join("zed.toml"), mine).unwrap();
    let broken = zed.replace("[reading]", "[reading]\nspeed = 5");
    std::fs::write(folder.path().join("a.toml"), broken).unwrap();
    let unsourced = zed.replace("source = \"newer\"", "source = \"nowhere\"");
    std::fs::write(folder.path().join("b.toml"), unsourced).unwrap();
    let mut profiles = AgentProfiles::built_in();
    let errors = profiles.add_folder(folder.path());
    assert_eq!(profiles.get("zed").unwrap().title(), "My Zed");
    let known = AgentProfiles::built_in();
    assert_eq!(profiles.iter().count(), known.iter().count());
    let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(
        errors[0].contains("a.toml") && errors[0].contains("unknown field `speed`"),
        "{}",
        errors[0]
    );
    assert!(
        errors[1].contains("expected a source of `[sources]` for `roots`, found \"nowhere\""),
        "{}",
        errors[1]
    );
}

#[test]
fn installed_agents_report_their_strongest_sign() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    std::fs::create_dir_all(home.join("bin")).unwrap();
    std::fs::create_dir_all(home.join(".cursor")).unwrap();
    std::fs::write(home.join("bin/codex"), "").unwrap();
    std::fs::write(home.join(".claude.json"), "{}").unwrap();
    let mut place = AgentPlace::new(home, home);
    place.system = home.join("system");
    let path = home.join("bin").to_string_lossy().into_owned();
    place.environment.insert("PATH".to_owned(), path);
    let profiles = AgentProfiles::built_in();
    let found: Vec<_> = profiles
        .installed(&place)
        .into_iter()
        .map(|(profile, sign)| (profile.name(), sign))
        .collect();
    let expected = [
        ("claude-code", InstallSign::File),
        ("codex", InstallSign::Program),
        ("cursor", InstallSign::Folder),
    ];
    assert_eq!(found, expected);
}
