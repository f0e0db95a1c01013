//! A registry of descriptors, by the vectors of the system that had it first. V-8 is
//! `ui/descriptor_assigned.rs`, V-10 is in `collected.rs`.

use repertoire_core::{Attachable, Skill, Source, SourceErrorKind, ToolPolicies, ToolPolicy};
use repertoire_registry::SkillRegistry;
use repertoire_source_static::StaticValue::{List, Text};
use repertoire_source_static::{StaticList, StaticSkill, StaticSource};

const FIND: StaticSkill = StaticSkill::new(
    "find-skills",
    "Finds skills for a task.",
    "List, then load.\n",
)
.with_fields(&[
    ("category", Text("standard")),
    ("import_path", Text("mirai.discovery.SkillDiscovery")),
    (
        "tools",
        List(&["list_skills", "search_skills", "load_skill_instructions"]),
    ),
]);

const RAG: StaticSkill = StaticSkill::new(
    "knowledge",
    "Answers with retrieval (rag).",
    "Search, then cite.\n",
)
.with_resources(&[("references/citing.md", b"Name the page.\n")]);

const EXECUTION: StaticSkill = StaticSkill::new(
    "execution",
    "Runs code in a sandbox.",
    "Run the smallest thing.\n",
)
.with_fields(&[
    ("category", Text("raw")),
    (
        "tools",
        List(&["run_python", "read_output", "install_package"]),
    ),
]);

static SKILLS: StaticList = StaticList::new(&[
    FIND,
    RAG,
    EXECUTION,
    StaticSkill::new("planning", "Plans work.", "Plan.\n"),
    StaticSkill::new("mail", "Writes mail.", "Write.\n"),
    StaticSkill::new("calendar", "Finds a date.", "Ask.\n"),
    StaticSkill::new("browsing", "Reads pages.", "Read.\n"),
    StaticSkill::new("database", "Reads tables.", "Read.\n")
        .with_fields(&[("category", Text("raw"))]),
]);

async fn registry() -> SkillRegistry {
    SkillRegistry::builder()
        .builtin(StaticSource::new("builtin", SKILLS))
        .load()
        .await
        .expect("one source composes")
}

#[tokio::test]
async fn v1_registered_skills_are_found() {
    let registry = SkillRegistry::builder().load().await.unwrap();
    registry
        .register(Skill::new("fake".parse().unwrap(), "Is a fake."))
        .unwrap();
    registry.refresh().await.unwrap();
    assert_eq!(
        registry.get("fake").unwrap().item().description.as_ref(),
        "Is a fake."
    );
}

#[tokio::test]
async fn v4_a_second_registration_is_an_error() {
    let registry = SkillRegistry::builder().load().await.unwrap();
    registry
        .register(Skill::new("fake".parse().unwrap(), "Is the first."))
        .unwrap();
    let error = registry
        .register(Skill::new("fake".parse().unwrap(), "Is the second."))
        .unwrap_err();
    assert!(error.to_string().contains("`fake`"), "{error}");
    registry.refresh().await.unwrap();
    assert_eq!(registry.list().len(), 1);
    assert_eq!(
        registry.get("fake").unwrap().item().description.as_ref(),
        "Is the first."
    );
}

#[tokio::test]
async fn v5_an_unknown_name_is_not_found() {
    assert!(registry().await.get("nope").is_none());
    let error = StaticSource::new("builtin", SKILLS)
        .body(&"nope".parse().unwrap())
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (SourceErrorKind::NotFound, "no skill `nope`")
    );
}

#[tokio::test]
async fn v6_eight_skills_retain_their_order() {
    let snapshot = registry().await.snapshot();
    let ids: Vec<_> = snapshot
        .entries()
        .iter()
        .map(|entry| entry.id.as_str())
        .collect();
    assert_eq!(ids.len(), 8);
    assert_eq!(ids, SKILLS.iter().map(StaticSkill::id).collect::<Vec<_>>());
}

#[tokio::test]
async fn v7_a_view_stays_as_it_was() {
    let registry = SkillRegistry::builder().load().await.unwrap();
    let view = registry.snapshot();
    registry
        .register(Skill::new("fake".parse().unwrap(), "Is a fake."))
        .unwrap();
    registry.refresh().await.unwrap();
    // It gives its entries as a shared slice, so no other code can change it either.
    assert_eq!(
        (view.entries().len(), registry.snapshot().entries().len()),
        (0, 1)
    );
}

#[tokio::test]
async fn v9_a_reference_outside_the_list_is_refused() {
    let source = StaticSource::new("builtin", SKILLS);
    let id = "knowledge".parse().unwrap();
    let refused = "../../etc/passwd".parse::<repertoire_core::ResourcePath>();
    assert!(refused.is_err());
    let unknown = source
        .resource(&id, &"references/other.md".parse().unwrap())
        .await
        .unwrap_err();
    assert_eq!(unknown.kind(), SourceErrorKind::NotFound);
    let known = source
        .resource(&id, &"references/citing.md".parse().unwrap())
        .await
        .unwrap();
    assert_eq!(known.as_ref(), b"Name the page.\n");
}

#[tokio::test]
async fn a_descriptor_has_all_declared_fields() {
    let registry = registry().await;
    let find = registry.get("find-skills").unwrap();
    assert!(!find.item().is_raw());
    assert_eq!(
        find.item().tools(),
        ["list_skills", "search_skills", "load_skill_instructions"]
    );
    assert_eq!(
        find.item().text("import_path"),
        Some("mirai.discovery.SkillDiscovery")
    );
    assert_eq!(
        registry.get("knowledge").unwrap().item().references(),
        ["references/citing.md"]
    );
}

#[tokio::test]
async fn a_raw_skill_needs_a_gate() {
    let registry = registry().await;
    let skill = |id| registry.get(id).unwrap().item().clone();
    assert!(Attachable::new(skill("find-skills")).is_ok());
    let raw = Attachable::new(skill("execution")).unwrap_err();
    let gate = ToolPolicies::new()
        .with("read_output", ToolPolicy::Safe)
        .with("run_python", ToolPolicy::RequiresApproval);
    let skill = raw.with_policies(gate);
    let tools: Vec<_> = skill.tools().collect();
    assert_eq!(
        tools,
        [
            ("run_python", ToolPolicy::RequiresApproval),
            ("read_output", ToolPolicy::Safe)
        ]
    );
    assert_eq!(skill.policy("format_disk"), ToolPolicy::Blocked);
}
