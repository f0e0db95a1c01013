//! The surface cascade on a registry of skills.

use repertoire_core::{DecidedBy, Model, Skill, SurfaceMode, SurfacePolicy, SurfaceRules};
use repertoire_registry::{Builder, SkillRegistry};

async fn resolved(
    builder: Builder<Skill>,
    declared: Option<SurfaceMode>,
    model: Model,
) -> (SurfaceMode, String) {
    let registry = builder.load().await.unwrap();
    let mut skill = Skill::new("tidy".parse().unwrap(), "Sorts.");
    skill.surface = declared;
    registry.register(skill).unwrap();
    let surface = registry.surface_of(registry.get("tidy").unwrap().item(), &model);
    assert_eq!(surface, registry.surface_policy().resolve(declared, &model));
    (surface.mode, surface.decided_by.to_string())
}

fn policy(change: impl FnOnce(&mut SurfacePolicy)) -> Builder<Skill> {
    let mut policy = SurfacePolicy::default();
    change(&mut policy);
    SkillRegistry::builder().surface_policy(policy)
}

#[tokio::test]
async fn skill_then_registry_then_rule_then_fallback() {
    let new = SkillRegistry::builder;
    let claude = Model::from("anthropic/claude-sonnet-4-5");
    let (both, tool, prompt) = (
        SurfaceMode::Both,
        SurfaceMode::ToolOnly,
        SurfaceMode::SystemPrompt,
    );
    let by = |name: &str| name.to_owned();
    let tool_policy = policy(|policy| policy.default = Some(tool));
    assert_eq!(
        resolved(tool_policy, Some(both), claude.clone()).await,
        (both, by("skill"))
    );
    let prompt_policy = policy(|policy| policy.default = Some(prompt));
    assert_eq!(
        resolved(prompt_policy, None, claude.clone()).await,
        (prompt, by("registry"))
    );
    assert_eq!(
        resolved(new(), None, claude).await,
        (both, by("rule claude-3.5-or-later"))
    );
    assert_eq!(
        resolved(new(), None, Model::from("openai/gpt-4o")).await,
        (tool, by("fallback"))
    );
    assert_eq!(
        resolved(new(), None, Model::unknown()).await,
        (tool, by("fallback"))
    );
}

#[tokio::test]
async fn hints_replace_blank_providers() {
    let new = || policy(|policy| policy.hint = Some("anthropic".to_owned()));
    let name = "claude-sonnet-4-5";
    assert_eq!(
        resolved(new(), None, Model::new(name)).await.0,
        SurfaceMode::Both
    );
    assert_eq!(
        resolved(new(), None, Model::new(name).with_provider(" "))
            .await
            .0,
        SurfaceMode::Both
    );
    assert_eq!(
        resolved(new(), None, Model::from("openai/gpt-4o")).await.0,
        SurfaceMode::ToolOnly
    );
}

#[tokio::test]
async fn the_rules_can_be_exchanged() {
    let new = || policy(|policy| policy.rules = SurfaceRules::new([]));
    let model = Model::from("anthropic/claude-3-7-sonnet-20250219");
    assert_eq!(
        resolved(new(), None, model.clone()).await.0,
        SurfaceMode::ToolOnly
    );
    assert_eq!(
        resolved(SkillRegistry::builder(), None, model).await.0,
        SurfaceMode::Both
    );
}

#[tokio::test]
async fn any_skill_has_a_surface() {
    let registry = SkillRegistry::builder().load().await.unwrap();
    let stranger = Skill::new("tidy".parse().unwrap(), "Sorts.");
    assert_eq!(
        registry.surface_of(&stranger, &Model::unknown()).decided_by,
        DecidedBy::Fallback
    );
}
