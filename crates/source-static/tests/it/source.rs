//! What the source answers, and the conformance suite over it.

use std::sync::Arc;

use repertoire_core::{Digest, Id, Listing, Revision, Skill, Source, SurfaceMode};
use repertoire_source_static::{StaticList, StaticSkill, StaticSource};
use repertoire_testkit::{Fixture, Unsupported};

const TRIAGE_BODY: &str = "Ask for what is missing, then label.\n";

static SKILLS: StaticList =
    StaticList::new(&[
        StaticSkill::new("triage", "Sorts new issues.", TRIAGE_BODY).on_surface(SurfaceMode::ToolOnly).with_resources(
            &[("references/labels.md", b"Labels.\n"), ("references-2.md", b""), ("logo.bin", &[0, 159, 146, 150])],
        ),
        StaticSkill::new("deploy", "Ships the service.", "\nBuild, push, watch.\n")
            .hidden_from_model()
            .with_resources(&[("checklist.md", b"- tag\n")]),
        StaticSkill::new("answer", "Answers questions.", "Answer.\n"),
    ]);

static NOTHING: StaticList = StaticList::new(&[]);

struct StaticFixture(Arc<StaticSource>);

impl StaticFixture {
    fn over(list: StaticList) -> StaticFixture {
        StaticFixture(Arc::new(StaticSource::new(list)))
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
    let listing = listed(&StaticSource::new(SKILLS)).await;
    let rows: Vec<_> = listing.iter().map(|row| (row.item.id.as_str(), row.item.description.as_ref())).collect();
    assert_eq!(
        rows,
        [("triage", "Sorts new issues."), ("deploy", "Ships the service."), ("answer", "Answers questions.")]
    );
}

#[tokio::test]
async fn a_row_knows_its_digest_from_the_start() {
    let listing = listed(&StaticSource::new(SKILLS)).await;
    assert_eq!(listing.iter().next().unwrap().digest, Some(Digest::of(TRIAGE_BODY.as_bytes())));
}

#[tokio::test]
async fn two_listings_share_their_rows() {
    let source = StaticSource::new(SKILLS);
    let (first, second) = (listed(&source).await, listed(&source).await);
    assert!(first.iter().zip(second.iter()).all(|(a, b)| Arc::ptr_eq(&a.item, &b.item)));
}

#[tokio::test]
async fn nothing_ever_changes() {
    let source = StaticSource::new(SKILLS);
    let listing = listed(&source).await;
    assert_eq!(source.list_since(Revision(0)).await.unwrap(), listing);
}

#[tokio::test]
async fn the_instructions_start_with_their_first_line() {
    let source = StaticSource::new(SKILLS);
    let body = source.body(&"deploy".parse().unwrap()).await.unwrap();
    assert_eq!(body.text.as_ref(), "Build, push, watch.\n");
}

#[tokio::test]
async fn a_missing_resource_is_named() {
    let source = StaticSource::new(SKILLS);
    let error = source.resource(&"answer".parse().unwrap(), &"labels.md".parse().unwrap()).await.unwrap_err();
    assert_eq!(error.to_string(), "skill `answer` has no resource `labels.md`");
}

#[test]
fn a_source_has_its_name() {
    static HOUSE: StaticSource = StaticSource::named("house", NOTHING);
    assert_eq!(StaticSource::new(NOTHING).name(), "builtin");
    assert_eq!(HOUSE.name(), "house");
}
