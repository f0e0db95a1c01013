use std::path::PathBuf;

use repertoire_profiles::{AgentPlace, AgentProfiles};

use super::*;

/// Returns the entry that hides the skill `tidy` of an empty home from an agent.
fn setting(agent: &str) -> HidingSetting {
    let home = tempfile::tempdir().unwrap();
    for root in [".claude", ".agents"] {
        let folder = home.path().join(root).join("skills/tidy");
        std::fs::create_dir_all(&folder).unwrap();
        let text = "---\nname: tidy\ndescription: Tidies.\n---\n";
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
    }
    let place = AgentPlace::new(home.path(), home.path().join("work"));
    let profiles = AgentProfiles::built_in();
    let view = profiles.survey(&place).view(agent).unwrap();
    let skill = view.loaded().next().unwrap();
    let profile = profiles.get(agent).unwrap();
    let setting = profile.hiding_setting(&place, skill).unwrap();
    let file = PathBuf::from(setting.file.file_name().unwrap());
    let mut fixed = setting;
    fixed.file = file;
    if let Some(item) = fixed.entry.get_mut(0)
        && item.get("path").is_some()
    {
        item["path"] = "/skills/tidy/SKILL.md".into();
    }
    fixed
}

#[track_caller]
fn check(agent: &str, before: &str, after: &str) {
    let found = with_entry(before, &setting(agent));
    assert_eq!(found.as_deref(), Ok(after), "{agent}");
}

#[test]
fn an_entry_leaves_all_other_text() {
    check(
        "claude-code",
        "",
        "{\n  \"skillOverrides\": {\n    \"tidy\": \"off\"\n  }\n}\n",
    );
    check(
        "claude-code",
        "{\n  // mine\n  \"skillOverrides\": {\n    \"tidy\": \"on\",\n    \"lint\": \"off\", // no\n  },\n}\n",
        "{\n  // mine\n  \"skillOverrides\": {\n    \"lint\": \"off\", // no\n    \"tidy\": \"off\",\n  },\n}\n",
    );
    check(
        "gemini-cli",
        "{\"skills\": {\"disabled\": [\"lint\"]}}",
        "{\"skills\": {\"disabled\": [\"lint\", \"tidy\"]}}",
    );
    check(
        "codex",
        "model = \"o\" # mine\n",
        "model = \"o\" # mine\n\n[[skills.config]]\npath = \"/skills/tidy/SKILL.md\"\nenabled = false\n",
    );
    check(
        "codex",
        "[[skills.config]]\npath = \"/a\"\nenabled = false\n\n[tui]\nx = 1\n",
        "[[skills.config]]\npath = \"/a\"\nenabled = false\n\n[[skills.config]]\npath = \"/skills/tidy/SKILL.md\"\nenabled = false\n\n[tui]\nx = 1\n",
    );
}

#[test]
fn a_file_of_another_form_is_refused() {
    let refused = |agent: &str, before: &str| with_entry(before, &setting(agent)).unwrap_err();
    assert_eq!(
        refused("claude-code", "{\"skillOverrides\": []}"),
        "expected a map in `skillOverrides`"
    );
    assert_eq!(
        refused("gemini-cli", "{\"skills\": {\"disabled\": {}}}"),
        "expected a list in `skills.disabled`"
    );
    assert_eq!(
        refused("codex", "skills = 1\n"),
        "expected a list in `skills.config`"
    );
}
