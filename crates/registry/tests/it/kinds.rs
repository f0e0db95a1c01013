//! Kinds of sources in configuration files.

use std::path::Path;
use std::sync::Arc;

use repertoire_core::{Skill, Source};
use repertoire_registry::{
    ConfigError, MemorySource, SourceConfig, SourceKind, SourceKinds, inventory,
};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    skills: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    description: String,
}

inventory::submit! {
    SourceKind::new("inline", "skills written into the configuration", |config| {
        let source = MemorySource::new(config.name.as_str());
        for (at, row) in config.options::<Options>()?.skills.into_iter().enumerate() {
            let id = row.id.parse().map_err(|error| ConfigError::in_option(format!("skills[{at}].id"), format!("{error}")))?;
            source.register(Skill::new(id, row.description)).map_err(|error| ConfigError::new(error.to_string()))?;
        }
        Ok(Arc::new(source))
    })
}

fn build(options: serde_json::Value) -> Result<Arc<dyn Source<Skill>>, ConfigError> {
    let serde_json::Value::Object(options) = options else {
        panic!("options are a table")
    };
    let mut built = SourceKind::find("inline")
        .unwrap()
        .build(&SourceConfig::new("mine", "/base", options))?;
    assert_eq!(built.len(), 1);
    Ok(built.remove(0))
}

#[test]
fn kinds_have_defaults_for_composition() {
    let one = |_: &SourceConfig| Err(ConfigError::new("none"));
    let kinds = [
        SourceKind::new("a", "", one),
        SourceKind::foreign("b", "", one),
        SourceKind::foreign("c", "", one).namespaced(),
        SourceKind::several("d", "", |_| Ok(Vec::new())),
    ];
    let says = kinds
        .clone()
        .map(|kind| (kind.name(), kind.is_foreign(), kind.is_namespaced()));
    assert_eq!(
        says,
        [
            ("a", false, false),
            ("b", true, false),
            ("c", true, true),
            ("d", true, true)
        ]
    );
    assert!(
        kinds[3]
            .build(&SourceConfig::new("mine", "/base", serde_json::Map::new()))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn hosts_add_kinds_of_their_own() {
    let source = MemorySource::new("own");
    let own = || {
        let source = source.clone();
        SourceKind::from_fn("own", "made by a closure", move |_| {
            Ok(Arc::new(source.clone()))
        })
    };
    let kinds = SourceKinds::linked().unwrap().with(own()).unwrap();
    let config = SourceConfig::new("own", "/base", serde_json::Map::new());
    let names = ["own", "inline"].map(|name| kinds.find(name).unwrap().name());
    assert_eq!(
        (
            names,
            kinds.find("own").unwrap().build(&config).unwrap().len()
        ),
        (["own", "inline"], 1)
    );
    let twice = kinds.clone().with(own()).unwrap_err();
    let message = "two source kinds are called `own`: made by a closure and made by a closure; link one of them";
    assert_eq!(twice.to_string(), message);
    assert_eq!(
        kinds.find("owm").unwrap_err().to_string(),
        "unknown source kind `owm`; known: inline, own"
    );
}

#[test]
#[should_panic = "the name of a kind has lower-case letters, digits and hyphens"]
fn names_of_kinds_are_plain() {
    let _ = SourceKind::<Skill>::from_fn("Bad Name:x", "", |_| Err(ConfigError::new("none")));
}

#[tokio::test]
async fn a_linked_kind_builds_its_source_from_options() {
    let source = build(json!({ "skills": [{ "id": "tidy", "description": "Sorts." }] })).unwrap();
    let listing = source.list().await.unwrap();
    assert_eq!(source.name(), "mine");
    assert_eq!(
        listing
            .iter()
            .map(|row| row.item.id.to_string())
            .collect::<Vec<_>>(),
        ["tidy"]
    );
}

#[test]
fn an_option_that_does_not_fit_is_named() {
    let key = |options| build(options).map(|_| ()).unwrap_err().key;
    assert_eq!(
        key(json!({ "skills": [{ "id": "tidy", "description": 7 }] })).as_deref(),
        Some("skills[0].description")
    );
    assert_eq!(
        key(json!({ "skills": [{ "id": "../x", "description": "d" }] })).as_deref(),
        Some("skills[0].id")
    );
    assert_eq!(key(json!({ "skils": [] })).as_deref(), Some("skils"));
    assert_eq!(key(json!({})), None);
}

#[test]
fn an_unknown_kind_lists_the_known_ones() {
    let error = SourceKind::find("inlin").unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown source kind `inlin`; known: inline"
    );
    assert_eq!(
        SourceKind::all()
            .unwrap()
            .iter()
            .map(|kind| (kind.name(), kind.about()))
            .collect::<Vec<_>>(),
        [("inline", "skills written into the configuration")]
    );
}

#[test]
fn relative_paths_are_meant_from_the_base() {
    let config = SourceConfig::new("mine", "/base", serde_json::Map::new());
    assert_eq!(config.path("skills"), Path::new("/base/skills"));
    assert_eq!(config.path("/skills"), Path::new("/skills"));
}
