//! Skills of a folder, embedded: the same as from the folder.

use std::sync::Arc;

use repertoire_core::{Body, Id, Resource, Skill, Source, SourceErrorKind, Stamp};
use repertoire_source_fs::FsSource;
use repertoire_source_static::{StaticList, StaticSource, embed_skills};
use repertoire_testkit::{Fixture, Unsupported};

static SKILLS: StaticList = embed_skills!("tests/skills");

fn folder() -> FsSource {
    FsSource::new(
        "folder",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/skills"),
    )
}

struct EmbeddedFixture(Arc<StaticSource>);

impl Fixture for EmbeddedFixture {
    type Source = StaticSource;

    fn source(&self) -> Arc<StaticSource> {
        self.0.clone()
    }

    fn watches(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because("what is compiled in never changes"))
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        Ok(match id.as_str() {
            "report" => include_bytes!("../skills/report/SKILL.md").to_vec(),
            "table" => include_bytes!("../skills/data/table/SKILL.md").to_vec(),
            other => panic!("`{other}` is not in the folder"),
        })
    }
}

repertoire_testkit::conformance!(EmbeddedFixture(Arc::new(StaticSource::new(
    "builtin", SKILLS
))));

/// Returns everything that a source lists and reads, without locations and stamps.
async fn contents_of(
    source: &dyn Source<Skill>,
) -> Vec<(Skill, Body, Vec<Resource>, Vec<Vec<u8>>)> {
    let listing = source.list().await.expect("it lists");
    let mut contents = Vec::new();
    for row in listing.iter() {
        let id = &row.item.id;
        let mut skill = row.item.as_ref().clone().from_real_location("");
        skill.location = None;
        let read = source.body(id).await.expect("it has bodies");
        let body = Body::new(read.text, read.digest, Stamp::of(""));
        let resources = source.resources(id).await.expect("it has resources");
        let mut bytes = Vec::new();
        for resource in &resources {
            bytes.push(
                source
                    .resource(id, &resource.path)
                    .await
                    .expect("it was listed")
                    .to_vec(),
            );
        }
        contents.push((skill, body, resources, bytes));
    }
    contents
}

#[tokio::test]
async fn an_embedded_folder_equals_its_original() {
    let embedded = contents_of(&StaticSource::new("builtin", SKILLS)).await;
    let ids: Vec<_> = embedded
        .iter()
        .map(|(skill, ..)| skill.id.as_str())
        .collect();
    assert_eq!(ids, ["table", "report"]);
    assert_eq!(embedded, contents_of(&folder()).await);
}

#[tokio::test]
async fn every_field_of_the_file_is_there() {
    let listing = StaticSource::new("builtin", SKILLS).list().await.unwrap();
    let report = listing.iter().last().unwrap();
    assert_eq!(report.item.text("metadata.version"), Some("1.10"));
    assert!(report.item.is_raw());
    assert_eq!(report.item.tools(), ["read_ledger", "send_mail"]);
}

#[tokio::test]
async fn foreign_files_are_not_found() {
    let source = StaticSource::new("builtin", SKILLS);
    let error = source
        .resource(&"report".parse().unwrap(), &"SKILL.md".parse().unwrap())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::NotFound);
}

#[test]
fn static_lists_include_ids_and_descriptions() {
    let rows: Vec<_> = SKILLS
        .iter()
        .map(|skill| (skill.id(), skill.description()))
        .collect();
    assert_eq!(
        rows,
        [
            ("table", "Lays out a table. Use for more than three rows."),
            (
                "report",
                "Writes the weekly report. Use at the end of a week."
            ),
        ]
    );
}

#[test]
fn debug_output_spares_the_reader_the_bytes() {
    let shown = format!("{SKILLS:?}");
    assert_eq!(
        shown,
        r#"StaticList([StaticSkill { id: "table", .. }, StaticSkill { id: "report", .. }])"#
    );
}
