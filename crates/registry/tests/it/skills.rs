//! The surface cascade on a registry of skills.

use repertoire_core::{DecidedBy, Model, Skill, SurfaceMode, SurfaceRules};
use repertoire_registry::{Builder, SkillRegistry};

async fn resolved(builder: Builder<Skill>, declared: Option<SurfaceMode>, model: Model) -> (SurfaceMode, String) {
    let registry = builder.load().await.unwrap();
    let mut skill = Skill::new("tidy".parse().unwrap(), "Sorts.");
    skill.surface = declared;
    registry.register(skill).unwrap();
    let surface = registry.surface_for("tidy", &model).unwrap();
    assert_eq!(surface, registry.surface(&registry.get("tidy").unwrap(), &model));
    (surface.mode, surface.decided_by.to_string())
}

#[tokio::test]
async fn skill_then_registry_then_rule_then_fallback() {
    let new = SkillRegistry::builder;
    let claude = Model::from("anthropic/claude-sonnet-4-5");
    let (both, tool, prompt) = (SurfaceMode::Both, SurfaceMode::ToolOnly, SurfaceMode::SystemPrompt);
    let by = |name: &str| name.to_owned();
    assert_eq!(resolved(new().surface_mode(tool), Some(both), claude.clone()).await, (both, by("skill")));
    assert_eq!(resolved(new().surface_mode(prompt), None, claude.clone()).await, (prompt, by("registry")));
    assert_eq!(resolved(new(), None, claude).await, (both, by("rule claude-3.5-or-later")));
    assert_eq!(resolved(new(), None, Model::from("openai/gpt-4o")).await, (tool, by("fallback")));
    assert_eq!(resolved(new(), None, Model::unknown()).await, (tool, by("fallback")));
}

#[tokio::test]
async fn hints_replace_blank_providers() {
    let new = || SkillRegistry::builder().provider_hint("anthropic");
    let name = "claude-sonnet-4-5";
    assert_eq!(resolved(new(), None, Model::new(name)).await.0, SurfaceMode::Both);
    assert_eq!(resolved(new(), None, Model::new(name).with_provider(" ")).await.0, SurfaceMode::Both);
    assert_eq!(resolved(new(), None, Model::from("openai/gpt-4o")).await.0, SurfaceMode::ToolOnly);
}

#[tokio::test]
async fn the_rules_can_be_exchanged() {
    let new = || SkillRegistry::builder().surface_rules(SurfaceRules::new([]));
    let model = Model::from("anthropic/claude-3-7-sonnet-20250219");
    assert_eq!(resolved(new(), None, model.clone()).await.0, SurfaceMode::ToolOnly);
    assert_eq!(resolved(SkillRegistry::builder(), None, model).await.0, SurfaceMode::Both);
}

#[tokio::test]
async fn surface_options_can_be_read_back() {
    let plain = SkillRegistry::builder().load().await.unwrap();
    assert_eq!((plain.surface_mode(), plain.provider_hint()), (None, None));
    let builder = SkillRegistry::builder().surface_mode(SurfaceMode::ToolOnly).provider_hint("openai");
    let set = builder.load().await.unwrap();
    assert_eq!((set.surface_mode(), set.provider_hint()), (Some(SurfaceMode::ToolOnly), Some("openai".to_owned())));
}

#[tokio::test]
async fn unknown_skills_have_no_surface() {
    let registry = SkillRegistry::builder().load().await.unwrap();
    let error = registry.surface_for("tydi", &Model::unknown()).unwrap_err();
    assert_eq!(error.to_string(), "no skill `tydi`");
    let stranger = Skill::new("tidy".parse().unwrap(), "Sorts.");
    assert_eq!(registry.surface_of(&stranger, &Model::unknown()).decided_by, DecidedBy::Fallback);
}
