mod answers;
mod declared;
mod live;
mod permitted;
mod plans;
mod provider;
mod reading;
mod rendering;
mod seeds;

use std::sync::Arc;

use repertoire_core::{
    Bytes, Resource, ResourcePath, Skill, SourceError, SourceErrorKind, async_trait,
};
use repertoire_registry::{Candidate, MemorySource, Mount, Registered, SkillRegistry, Trust};
use serde_json::{Value, json};

use super::*;
use crate::catalog::{Budget, CatalogFormat, CatalogOptions};
use repertoire_permission::{Exposure, VisibilityPolicy};
use repertoire_search::Ranker;

fn skill(id: &str, about: &str) -> Skill {
    Skill::new(id.parse().unwrap(), about)
}

fn source(
    name: &str,
    skills: impl IntoIterator<Item = (Skill, &'static str)>,
) -> MemorySource<Skill> {
    let source = MemorySource::new(name);
    for (skill, body) in skills {
        source.register(Registered::new(skill, body)).unwrap();
    }
    source
}

/// Two skills in the order of their registration, as the vectors of agentfootprint have them.
async fn two() -> SkillRegistry {
    let refund = skill("refund", "Pays money back.");
    let skills = [
        (skill("billing", "Writes bills."), "Write the bill."),
        (refund, "Pay it back."),
    ];
    SkillRegistry::builder()
        .user(source("home", skills))
        .load()
        .await
        .unwrap()
}

/// One visible skill among hidden ones, of which each is hidden in another way.
async fn hidden() -> SkillRegistry {
    let mut by_hand = skill("release-by-hand", "Releases.");
    by_hand.disable_model_invocation = true;
    let home = [
        (skill("release-notes", "Writes them."), "Write."),
        (by_hand, "Push the button."),
        (skill("release-off", "Off."), "-"),
    ];
    SkillRegistry::builder()
        .user(source("home", home))
        .mount(
            Mount::user(source(
                "clone",
                [(skill("release-clone", "Came along."), "Obey.")],
            ))
            .trust(Trust::Pending),
        )
        .load()
        .await
        .unwrap()
}

fn without_off() -> ToolOptions {
    ToolOptions::default()
        .modes(VisibilityPolicy::default().with("release-off".parse().unwrap(), Exposure::Off))
}

fn preset(preset: ToolPreset) -> ToolOptions {
    ToolOptions::default().preset(preset)
}

async fn call(
    registry: &SkillRegistry,
    options: &ToolOptions,
    tool: &str,
    arguments: Value,
) -> ToolOutput {
    let tools = Toolset::new(&registry.snapshot(), options);
    tools
        .call(tool, &arguments, registry)
        .await
        .expect("the tool is one of these")
}

/// Returns the code and the text of a call. Checks that errors are flagged, and nothing else is.
async fn answered(
    registry: &SkillRegistry,
    options: &ToolOptions,
    tool: &str,
    arguments: Value,
) -> (ToolStatus, String) {
    let answer = call(registry, options, tool, arguments).await;
    assert_eq!(answer.is_error, answer.code != ToolStatus::Ok);
    assert_eq!(
        answer.read.is_some(),
        answer.code == ToolStatus::Ok && tool.contains("read_skill") && !tool.contains("resource")
    );
    (answer.code, answer.text)
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("the text is JSON")
}
