//! The answers of the source, and the conformance suite over it.

use std::sync::Arc;

use repertoire_core::{Digest, Id, Listing, Revision, Skill, Source};
use repertoire_source_static::StaticValue::{Flag, Text};
use repertoire_source_static::{StaticList, StaticSkill, StaticSource, embed_skill};
use repertoire_testkit::{Fixture, Unsupported};

const TRIAGE_BODY: &str = "Ask for what is missing, then label.\n";

static SKILLS: StaticList = StaticList::new(&[
    StaticSkill::new("triage", "Sorts new issues.", TRIAGE_BODY)
        .with_fields(&[("surface", Text("tool-only"))])
        .with_resources(&[
            ("references/labels.md", b"Labels.\n"),
            ("references-2.md", b""),
            ("logo.bin", &[0, 159, 146, 150]),
        ]),
    StaticSkill::new("deploy", "Ships the service.", "\nBuild, push, watch.\n")
        .with_fields(&[("disable-model-invocation", Flag(true))])
        .with_resources(&[("checklist.md", b"- tag\n")]),
    StaticSkill::new("answer", "Answers questions.", "Answer.\n"),
]);

static NOTHING: StaticList = StaticList::new(&[]);

struct StaticFixture(Arc<StaticSource>);

impl StaticFixture {
    fn over(list: StaticList) -> StaticFixture {
        StaticFixture(Arc::new(StaticSource::new("builtin", list)))
    }
}

impl Fixture for StaticFixture {
    type Source = StaticSource;

    fn source(&self) -> Arc<StaticSource> {
        self.0.clone()
    }

    fn watches(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because("what is compiled in never changes"))
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        let body = match id.as_str() {
            "triage" => TRIAGE_BODY,
            "deploy" => "\nBuild, push, watch.\n",
            "answer" => "Answer.\n",
            other => panic!("`{other}` is not in the list"),
        };
        Ok(body.into())
    }
}

mod three_skills {
    use super::*;

    repertoire_testkit::conformance!(StaticFixture::over(SKILLS));
}

mod no_skills {
    use super::*;

    repertoire_testkit::conformance!(StaticFixture::over(NOTHING));
}

async fn listed(source: &StaticSource) -> Listing<Skill> {
    source.list().await.expect("a static list can be listed")
}

#[tokio::test]
async fn rows_come_in_the_order_of_the_list() {
    let listing = listed(&StaticSource::new("builtin", SKILLS)).await;
    let rows: Vec<_> = listing
        .iter()
        .map(|row| (row.item.id.as_str(), row.item.description.as_ref()))
        .collect();
    assert_eq!(
        rows,
        [
            ("triage", "Sorts new issues."),
            ("deploy", "Ships the service."),
            ("answer", "Answers questions.")
        ]
    );
}

#[tokio::test]
async fn a_row_knows_its_digest_from_the_start() {
    let listing = listed(&StaticSource::new("builtin", SKILLS)).await;
    assert_eq!(
        listing.iter().next().unwrap().digest,
        Some(Digest::of(TRIAGE_BODY.as_bytes()))
    );
}

#[tokio::test]
async fn two_listings_share_their_rows() {
    let source = StaticSource::new("builtin", SKILLS);
    let (first, second) = (listed(&source).await, listed(&source).await);
    assert!(
        first
            .iter()
            .zip(second.iter())
            .all(|(a, b)| Arc::ptr_eq(&a.item, &b.item))
    );
}

#[tokio::test]
async fn nothing_ever_changes() {
    let source = StaticSource::new("builtin", SKILLS);
    let listing = listed(&source).await;
    assert_eq!(source.list_since(Revision(0)).await.unwrap(), listing);
}

#[tokio::test]
async fn the_instructions_start_with_their_first_line() {
    let source = StaticSource::new("builtin", SKILLS);
    let body = source.body(&"deploy".parse().unwrap()).await.unwrap();
    assert_eq!(body.text.as_ref(), "Build, push, watch.\n");
}

#[tokio::test]
async fn a_missing_resource_is_named() {
    let source = StaticSource::new("builtin", SKILLS);
    let error = source
        .resource(&"answer".parse().unwrap(), &"labels.md".parse().unwrap())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "skill `answer` has no resource `labels.md`"
    );
}

#[test]
fn a_source_has_its_name() {
    static HOUSE: StaticSource = StaticSource::new("house", NOTHING);
    assert_eq!(HOUSE.name(), "house");
    assert_eq!(
        StaticSource::new("builtin", NOTHING)
            .with_name("ours")
            .name(),
        "ours"
    );
}

#[tokio::test]
async fn a_file_of_any_name_has_variables() {
    const ROTATE: StaticSkill =
        embed_skill!("tests/prompts/rotate.md").with_variables(&[("TEAM", "Platform")]);
    static LIST: StaticList = StaticList::new(&[ROTATE]);
    let source = StaticSource::new("builtin", LIST);
    let row = listed(&source)
        .await
        .iter()
        .next()
        .cloned()
        .expect("the list has a skill");
    let file = "---\nname: rotate-keys\ndescription: Rotates the keys of ${TEAM}.\n---\nAsk Platform first, then ${OTHER}.\n";
    assert_eq!(
        (row.item.id.as_str(), &*row.item.description),
        ("rotate-keys", "Rotates the keys of ${TEAM}.")
    );
    let body = source
        .body(&row.item.id)
        .await
        .expect("the skill has a body");
    let read = (body.text.as_ref(), Some(body.digest), body.stamp);
    assert_eq!(
        read,
        (
            "Ask Platform first, then ${OTHER}.\n",
            Some(Digest::of(file.as_bytes())),
            row.stamp
        )
    );
    assert_eq!(row.digest, Some(body.digest));
}
