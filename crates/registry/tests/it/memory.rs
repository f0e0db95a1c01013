//! Items registered in code: the verbs and their exact refusals.

use std::sync::Arc;

use futures_util::FutureExt;
use proptest::prelude::*;
use repertoire_core::{
    ChangedParts, Content, Flavor, Id, Injection, Message, Role, Skill, Source, SourceErrorKind,
    ToolSpec, Trigger, Value,
};
use repertoire_registry::{MemorySource, Registered, RegistryError};

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

fn skill(name: &str) -> Registered<Skill> {
    Registered::new(
        Skill::new(id(name), format!("About {name}.")),
        format!("Body of {name}."),
    )
}

fn with(names: &[&str]) -> MemorySource<Skill> {
    let source = MemorySource::new("mine");
    names.iter().for_each(|name| {
        source.register(skill(name)).unwrap();
    });
    source
}

fn skills(source: &MemorySource<Skill>) -> Vec<Arc<Skill>> {
    let listing = source.list().now_or_never().unwrap().unwrap();
    listing.iter().map(|row| Arc::clone(&row.item)).collect()
}

fn names(source: &MemorySource<Skill>) -> Vec<String> {
    skills(source)
        .iter()
        .map(|skill| skill.id.to_string())
        .collect()
}

#[test]
fn a_new_source_is_empty() {
    let source = with(&[]);
    assert_eq!(names(&source), [""; 0]);
}

#[test]
fn order_is_the_order_of_registration() {
    assert_eq!(names(&with(&["z", "m", "a", "q"])), ["z", "m", "a", "q"]);
}

#[test]
fn registering_twice_is_refused() {
    let error = with(&["a"]).register(skill("a")).unwrap_err();
    assert_eq!(error, already("a"));
    assert_eq!(
        error.to_string(),
        "skill `a` is already registered; use `replace` to change it"
    );
}

fn already(name: &str) -> RegistryError {
    let source = with(&[name]);
    source.register(skill(name)).unwrap_err()
}

#[test]
fn registering_another_flavor_is_refused_and_names_it() {
    let content = Content::message(Role::User, "Be brief.");
    let steering = Injection::new(
        id("brief"),
        Flavor::Steering,
        Trigger::Always,
        "Keeps it short.",
        content,
    )
    .unwrap();
    let refused = Registered::try_from(steering).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "expected a skill, but `brief` has the flavor `steering`"
    );
}

#[test]
fn a_delivered_skill_registers_with_its_body() {
    let content = Content::system_prompt("Sort it.");
    let injection = Injection::new(
        id("tidy"),
        Flavor::Skill,
        Trigger::Activated,
        "Sorts.",
        content,
    )
    .unwrap();
    let registered = Registered::try_from(injection).unwrap();
    assert_eq!(
        registered,
        Registered::new(Skill::new(id("tidy"), "Sorts."), "Sort it.")
    );
}

#[test]
fn injections_unfit_for_registration_are_rejected() {
    let tool = ToolSpec::new("sort", "Sorts.", serde_json::json!({"type": "object"})).unwrap();
    let text = || Content::system_prompt("Sort it.");
    let mut with_message = text();
    with_message
        .messages
        .push(Message::new(Role::User, "Sort."));
    for (trigger, content, lost) in [
        (
            Trigger::Activated,
            text().with_tools([tool.clone()]),
            "tools",
        ),
        (Trigger::Activated, with_message, "messages"),
        (Trigger::Always, text(), "a trigger but `activated`"),
        (
            Trigger::AfterTool("run".into()),
            text().with_tools([tool]),
            "tools and a trigger but `activated`",
        ),
    ] {
        let injection =
            Injection::new(id("tidy"), Flavor::Skill, trigger, "Sorts.", content).unwrap();
        let error = Registered::try_from(injection).unwrap_err().to_string();
        let expected = format!(
            "skill `tidy` cannot be registered with {lost}; give the injection to the session instead"
        );
        assert_eq!(error, expected);
    }
}

proptest! {
    #[test]
    fn a_registered_injection_is_kept_whole(body in "[a-z*]{1,9}", value in "[a-z ]{0,9}", about in "[a-z ]{0,9}") {
        let injection = Injection::new(id("tidy"), Flavor::Skill, Trigger::Activated, about, Content::system_prompt(body));
        let injection = injection.unwrap().with_metadata([("license".into(), Value::text(value))]);
        let source = MemorySource::new("mine");
        source.register(Registered::try_from(injection.clone()).unwrap()).unwrap();
        let item = skills(&source).remove(0);
        let text = source.body(&item.id).now_or_never().unwrap().unwrap().text;
        let content = Content::system_prompt(text);
        let again =
            Injection::new(item.id.clone(), Flavor::Skill, Trigger::Activated, item.description.clone(), content);
        prop_assert_eq!(again.unwrap().with_metadata(item.fields.iter().cloned()), injection);
    }
}

/// Returns the ids and descriptions of a listing.
fn rows(source: &MemorySource<Skill>) -> Vec<(String, String)> {
    let row = |skill: &Arc<Skill>| (skill.id.to_string(), skill.description.to_string());
    skills(source).iter().map(row).collect()
}

proptest! {
    #[test]
    fn listings_follow_every_change(
        changes in prop::collection::vec((0..60_usize, 0..5_u8, any::<bool>()), 0..200),
    ) {
        let source = MemorySource::new("mine");
        let mut expected: Vec<(String, String)> = Vec::new();
        for number in 0..40 {
            source.register(skill(&format!("s{number}"))).unwrap();
            expected.push((format!("s{number}"), format!("About s{number}.")));
        }
        for (step, (number, verb, is_listed)) in changes.into_iter().enumerate() {
            let (name, about) = (format!("s{number}"), format!("Step {step}."));
            let new = Registered::new(Skill::new(id(&name), about.as_str()), "-");
            let known = expected.iter().position(|(other, _)| *other == name);
            match (known, verb) {
                (Some(at), 0) => {
                    source.unregister(&name);
                    expected.remove(at);
                }
                (Some(at), _) => {
                    source.replace(&id(&name), new).unwrap();
                    expected[at].1 = about;
                }
                (None, _) => {
                    source.register(new).unwrap();
                    expected.push((name, about));
                }
            }
            if is_listed {
                prop_assert_eq!(rows(&source), expected.clone());
            }
        }
        prop_assert_eq!(rows(&source), expected);
    }
}

#[test]
fn listings_share_what_did_not_change() {
    let source = MemorySource::new("mine");
    for number in 0..2_000 {
        source.register(skill(&format!("s{number}"))).unwrap();
    }
    let before = source.list().now_or_never().unwrap().unwrap();
    source.replace(&id("s1000"), skill("s1000")).unwrap();
    let after = source.list().now_or_never().unwrap().unwrap();
    let unshared = before.rows().unshared(after.rows());
    let [(gone, added)] = &unshared[..] else {
        panic!("one chunk differs: {unshared:?}");
    };
    assert!(gone.contains(&1_000) && gone == added && gone.len() < 600);
}

#[test]
fn replacing_retains_the_position() {
    let source = with(&["a", "b", "c"]);
    source
        .replace(
            &id("b"),
            Registered::new(Skill::new(id("b"), "New."), "New body."),
        )
        .unwrap();
    assert_eq!(names(&source), ["a", "b", "c"]);
    assert_eq!(skills(&source)[1].description.as_ref(), "New.");
}

#[test]
fn replacing_checks_the_id_first() {
    let source = with(&["a"]);
    let unknown = source.replace(&id("x"), skill("b")).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "no skill `x` is registered; use `register` to add it"
    );
    let mismatch = source.replace(&id("a"), skill("b")).unwrap_err();
    assert_eq!(
        mismatch.to_string(),
        "skill `a` cannot be replaced by `b`: the ids differ"
    );
    assert_eq!(names(&source), ["a"]);
}

#[test]
fn unregistered_items_come_back_last() {
    let source = with(&["a", "b"]);
    source.unregister("a").unregister("nope");
    assert_eq!(names(&source), ["b"]);
    source.register(skill("a")).unwrap();
    assert_eq!(names(&source), ["b", "a"]);
}

#[test]
fn clearing_drops_everything() {
    let source = with(&["a", "b"]);
    source.clear();
    assert_eq!(names(&source), [""; 0]);
}

#[tokio::test]
async fn resources_are_read_by_their_exact_path() {
    let source = MemorySource::new("mine");
    source
        .register(skill("a").with_resource("notes/x.md".parse().unwrap(), "hello"))
        .unwrap();
    let listed = source.resources(&id("a")).await.unwrap();
    assert_eq!(
        listed
            .iter()
            .map(|file| (file.path.as_str(), file.size))
            .collect::<Vec<_>>(),
        [("notes/x.md", 5)]
    );
    assert_eq!(
        source
            .resource(&id("a"), &"notes/x.md".parse().unwrap())
            .await
            .unwrap(),
        "hello"
    );
    let missing = source
        .resource(&id("a"), &"x.md".parse().unwrap())
        .await
        .unwrap_err();
    assert_eq!(missing.kind(), SourceErrorKind::NotFound);
}

#[tokio::test]
async fn items_without_a_body_return_an_error() {
    let source = MemorySource::new("mine");
    source.register(Skill::new(id("bare"), "No body.")).unwrap();
    let error = source.body(&id("bare")).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string()),
        (
            SourceErrorKind::Unsupported,
            "the source of skill `bare` has no body".to_owned()
        )
    );
}

#[tokio::test]
async fn changed_files_change_only_resources() {
    let with_file = |text: &'static str| skill("a").with_resource("run.sh".parse().unwrap(), text);
    let registry = repertoire_registry::SkillRegistry::builder()
        .load()
        .await
        .unwrap();
    let before = registry.register(with_file("ls\n")).unwrap().snapshot();
    let after = registry
        .replace(&id("a"), with_file("ls -l\n"))
        .unwrap()
        .snapshot();
    let change = after.changes_since(&before);
    let moved: Vec<_> = change
        .modified
        .iter()
        .map(|modified| modified.changed_parts())
        .collect();
    assert_eq!(
        moved,
        [ChangedParts {
            resources: true,
            ..ChangedParts::default()
        }]
    );
}

#[tokio::test]
async fn a_file_is_found_in_other_composed_letters() {
    let registry = repertoire_registry::SkillRegistry::builder()
        .load()
        .await
        .unwrap();
    registry
        .register(
            skill("a").with_resource("references/\u{d559}\u{c810}.md".parse().unwrap(), "hello"),
        )
        .unwrap();
    let candidate = registry.get("a").unwrap().candidate.clone();
    let decomposed = "references/\u{1112}\u{1161}\u{11a8}\u{110c}\u{1165}\u{11b7}.md"
        .parse()
        .unwrap();
    assert_eq!(
        registry.resource(&candidate, &decomposed).await.unwrap(),
        "hello"
    );
}
