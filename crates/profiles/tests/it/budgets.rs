//! The budget of the list for the model, and what it cuts.

use repertoire_profiles::{AgentProfiles, BudgetUnit, ListedAs, SkillOutcome, UnseenReason};

use crate::tree::Tree;

fn forms(tree: &Tree, agent: &str) -> Vec<&'static str> {
    let view = tree.view(agent);
    let form = |outcome: &SkillOutcome| match outcome {
        SkillOutcome::Loaded {
            listed: ListedAs::Full,
            ..
        } => "full",
        SkillOutcome::Loaded {
            listed: ListedAs::Shortened,
            because: Some(UnseenReason::Budget),
        } => "shortened",
        SkillOutcome::Loaded {
            listed: ListedAs::NameOnly,
            because: Some(UnseenReason::Budget),
        } => "name",
        SkillOutcome::Omitted {
            reason: UnseenReason::Budget,
        } => "omitted",
        SkillOutcome::Unknown { .. } => "unknown",
        _ => "different",
    };
    view.skills
        .iter()
        .map(|skill| form(&skill.outcome))
        .collect()
}

#[test]
fn names_stay_and_the_rest_depends_on_use() {
    let mut tree = Tree::new();
    for at in 0..60 {
        // A line of 1,000 characters: `- s00: …`.
        tree.described(&format!("H/.claude/skills/s{at:02}"), &"d".repeat(993));
    }
    let budget = tree.view("claude-code").budget;
    assert_eq!(
        (budget.unit, budget.used, budget.limit),
        (BudgetUnit::Characters, 60 * 1001, Some(8000))
    );
    // 60 bare lines need 360 characters, and each description 995 more: 7 fit.
    assert_eq!(budget.cut, 53);
    assert_eq!(forms(&tree, "claude-code"), ["unknown"; 60]);
    tree.place.window = Some(1_000_000);
    assert_eq!(tree.view("claude-code").budget.limit, Some(40_000));
    tree.place
        .environment
        .insert("SLASH_COMMAND_TOOL_CHAR_BUDGET".into(), "20".into());
    assert_eq!(forms(&tree, "claude-code"), ["name"; 60]);
}

#[test]
fn a_long_entry_ends_in_an_ellipsis() {
    let tree = Tree::new();
    tree.described("H/.claude/skills/long", &"d".repeat(5000));
    let view = tree.view("claude-code");
    let text = view.skills[0].description.clone().unwrap();
    assert_eq!((text.chars().count(), text.ends_with("d…")), (1536, true));
    assert_eq!(forms(&tree, "claude-code"), ["shortened"]);
}

#[test]
fn characters_are_dealt_in_turn_by_codex() {
    let tree = Tree::new();
    tree.described("H/.agents/skills/a", &"d".repeat(10));
    tree.described("H/.agents/skills/b", &"d".repeat(10));
    for at in 0..9 {
        tree.described(&format!("H/.agents/skills/long{at}"), &"d".repeat(1000));
    }
    let budget = tree.view("codex").budget;
    assert_eq!(
        (budget.unit, budget.limit, budget.cut),
        (BudgetUnit::Characters, Some(8000), 9)
    );
    let mut expected = vec!["full"; 2];
    expected.extend(["shortened"; 9]);
    assert_eq!(forms(&tree, "codex"), expected);
}

#[test]
fn zed_omits_skills_from_the_first_overflow() {
    let tree = Tree::new();
    for at in 0..60 {
        tree.described(&format!("R/.agents/skills/s{at:02}"), &"d".repeat(1000));
    }
    tree.skill("H/.agents/skills/z");
    let budget = tree.view("zed").budget;
    // 12 bytes of the personal skill come first, then 51 times 1,003.
    assert_eq!(
        (budget.unit, budget.limit, budget.cut),
        (BudgetUnit::Bytes, Some(51_200), 9)
    );
    let mut expected = vec!["full"; 51];
    expected.extend(["omitted"; 9]);
    expected.push("full");
    assert_eq!(forms(&tree, "zed"), expected);
}

#[test]
fn a_limit_that_no_source_states_stays_unknown() {
    let tree = Tree::golden();
    let limits = ["copilot-cli", "cursor", "goose"].map(|agent| {
        let budget = tree.view(agent).budget;
        (budget.limit, budget.is_limit_unknown, budget.cut)
    });
    assert_eq!(limits, [(None, true, 0), (None, true, 0), (None, false, 0)]);
}

#[test]
fn agents_share_one_survey_of_many_skills() {
    let tree = Tree::new();
    for at in 0..3000 {
        let root = ["H/.agents/skills", "H/.claude/skills", "R/.agents/skills"][at % 3];
        tree.skill(&format!("{root}/skill-{at:04}"));
    }
    let profiles = AgentProfiles::built_in();
    let mut survey = profiles.survey(&tree.place);
    let agents = [
        "claude-code",
        "gemini-cli",
        "cursor",
        "copilot-vscode",
        "opencode",
        "goose",
        "zed",
    ];
    let seen = agents.map(|agent| {
        let view = survey.view(agent).unwrap();
        (
            view.skills.len(),
            view.skills
                .iter()
                .filter(|skill| skill.outcome.may_load())
                .count(),
        )
    });
    let expected = [1000, 2000, 3000, 3000, 3000, 3000, 2000].map(|loaded| (3000, loaded));
    assert_eq!(seen, expected);
    // Not even the names of 2,000 skills fit into the list of Codex.
    let codex = survey.view("codex").unwrap();
    assert_eq!((codex.skills.len(), codex.budget.cut), (3000, 2000));
}
