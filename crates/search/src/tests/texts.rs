//! Bodies, example prompts, long queries and queries that nothing fits.

use std::sync::Arc;

use repertoire_core::{
    Body, Bytes, ContentDigests, Digest, Manifest, Resource, ResourcePath, Source, SourceError,
    async_trait,
};
use repertoire_registry::{MemorySource, Registered, SkillRegistry};
use tokio::sync::Barrier;

use super::*;

fn texts(texts: &[(&str, SkillText)]) -> Vec<(Id, SkillText)> {
    texts
        .iter()
        .map(|(id, text)| (id.parse().unwrap(), text.clone()))
        .collect()
}

fn with(index: &SearchIndex, added: &[(&str, SkillText)]) -> SearchIndex {
    index.with_texts(texts(added).iter().map(|(id, text)| (id, text)))
}

#[test]
fn body_matches_rank_below_description_matches() {
    let index = index([
        skill("charts", "Draws gantt charts."),
        skill("plans", "Plans projects."),
    ]);
    let index = with(
        &index,
        &[(
            "plans",
            SkillText::new().body("# Steps\nDraw the Gantt chart, then the burndown."),
        )],
    );
    check(&index, "gantt", &["charts", "plans"]);
    let hits = index.search(&Query::new("burndown of projects"));
    assert_eq!(
        (ids(&hits), hits[0].why.to_string()),
        (
            vec!["plans"],
            "description: `projects`; body: `burndown`".to_owned()
        )
    );
}

#[test]
fn an_example_prompt_is_named_as_the_reason() {
    let index = index([
        skill("charts", "Draws diagrams."),
        skill("plans", "Plans projects."),
    ]);
    let index = with(
        &index,
        &[(
            "plans",
            SkillText::new()
                .example("when can we ship")
                .example("who does what"),
        )],
    );
    let hits = index.search(&Query::new("ship it"));
    assert_eq!(
        (ids(&hits), hits[0].why.to_string()),
        (vec!["plans"], "an example prompt: `ship`".to_owned())
    );
}

#[test]
fn of_a_long_query_the_rarest_words_count() {
    let index = index([
        skill("gantt", "Draws it."),
        skill(
            "create-files",
            "Creates files, data and code for a project.",
        ),
    ]);
    let padding: String = (0..40)
        .map(|number| format!("create data code file project step{number} "))
        .collect();
    let hits = index.search(&Query::new(format!("{padding} then a gantt")));
    assert!(
        hits.iter().any(|hit| hit.entry.id.as_str() == "gantt"),
        "{:?}",
        ids(&hits)
    );
}

#[test]
fn negated_uses_match_no_query() {
    let index = index([
        skill("forms", "Fills PDF forms. Do NOT use for invoices."),
        skill("pay", "Pays invoices."),
    ]);
    check(&index, "invoices", &["pay"]);
}

#[test]
fn common_words_alone_fit_nothing() {
    let index = index([
        skill(
            "flowcharts",
            "Creates flowcharts for Maestro, and runs them in the cloud.",
        ),
        skill("robots", "Builds robots that click through screens."),
    ]);
    let best = |query: &str| {
        index
            .search(&Query::new(query))
            .first()
            .map(|hit| hit.why.confidence)
    };
    assert_eq!(
        best("create a birthday card for my sister in watercolor style"),
        Some(MatchConfidence::NothingFits)
    );
    assert_eq!(best("flowcharts"), Some(MatchConfidence::FitsWell));
    assert_eq!(
        best("flowchart maestro cloud"),
        Some(MatchConfidence::FitsWell)
    );
    assert_eq!(best("zebra"), None);
}

#[test]
fn bodies_of_hidden_skills_do_not_affect_confidence() {
    let visible = [skill("flowcharts", "Creates flowcharts for Maestro.")];
    let secret = ["salaries", "bonuses"].map(|id| {
        let mut skill = skill(id, "Counts money.");
        skill.disable_model_invocation = true;
        skill
    });
    let text = SkillText::new().body("Read the payroll.");
    let secrets = secret.each_ref().map(|skill| skill.id.clone());
    let alone = index(visible.clone());
    let beside = index(visible.into_iter().chain(secret));
    let beside = beside.with_texts(secrets.iter().map(|id| (id, &text)));
    let query = "draw a flowchart about zebras, giraffes and okapis at the zoo";
    assert_eq!(
        alone.search(&Query::new(query))[0].why.confidence,
        MatchConfidence::MayFit
    );
    assert_eq!(shown(&beside, query), shown(&alone, query));
}

#[test]
fn results_ignore_the_order_of_added_texts() {
    let skills: Vec<Skill> = (0..40)
        .map(|number| skill(&format!("s{number}"), "Does one thing."))
        .collect();
    let texts: Vec<(String, SkillText)> = (0..40)
        .map(|number| {
            (
                format!("s{number}"),
                SkillText::new()
                    .body(format!("word{} shared", number % 7))
                    .example("one two"),
            )
        })
        .collect();
    let texts: Vec<(&str, SkillText)> = texts
        .iter()
        .map(|(id, text)| (id.as_str(), text.clone()))
        .collect();
    let at_once = with(&index(skills.clone()), &texts);
    let one_by_one = texts.iter().fold(index(skills.clone()), |index, text| {
        with(&index, std::slice::from_ref(text))
    });
    let mut changed = skills.clone();
    changed[3] = skill("s3", "Does something else.");
    let back = at_once
        .updated(&snapshot(&changed, &[]))
        .updated(&snapshot(&skills, &[]));
    let back = with(&back, &texts[3..4]);
    for query in ["word3", "shared word5", "one", "thing"] {
        assert_eq!(shown(&one_by_one, query), shown(&at_once, query), "{query}");
        assert_eq!(shown(&back, query), shown(&at_once, query), "{query}");
    }
}

/// Sixteen skills, whose bodies can be read eight at a time only.
#[derive(Debug)]
struct ReadTogether(Barrier);

#[async_trait]
impl Source<Skill> for ReadTogether {
    fn name(&self) -> &str {
        "home"
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let rows = (0..16).map(|number| {
            let skill = skill(&format!("skill-{number}"), "Sorts.");
            ListingEntry::new(skill, Stamp::of(&number.to_string()))
        });
        Ok(Listing::new(Revision(0), rows, []))
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        self.0.wait().await;
        let (text, number) = (format!("Body of {id}."), id.as_str().replace("skill-", ""));
        let digest = Digest::of(text.as_bytes());
        Ok(Body::new(text, digest, Stamp::of(&number)))
    }
}

#[tokio::test]
async fn eight_skills_are_read_at_a_time() {
    let home = ReadTogether(Barrier::new(8));
    let registry = SkillRegistry::builder().user(home).load().await.unwrap();
    let live = LiveIndex::new(registry);
    assert_eq!(live.read_bodies().await, 16);
    assert_eq!(live.search(&Query::new("body")).len(), 10);
}

/// Skills of which one is listed without files, one with a file, and one with neither. Records the files that are read.
#[derive(Debug, Clone, Default)]
struct ListedFiles(Arc<std::sync::Mutex<Vec<String>>>);

#[async_trait]
impl Source<Skill> for ListedFiles {
    fn name(&self) -> &str {
        "home"
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let row = |id: &str, files: Option<Vec<Resource>>| {
            let location = format!("/home/{id}/SKILL.md");
            let skill = skill(id, "Sorts.").from_location(location);
            let row = ListingEntry::new(skill, Stamp::of(id));
            match files {
                Some(files) => row.with_parts(ContentDigests::new(
                    "Sort.",
                    &Manifest::new(files).expect("one file"),
                )),
                None => row,
            }
        };
        let path = "evals/evals.json".parse().expect("a path");
        let file = Resource::new(path, 2, Digest::of(b"[]"));
        let rows = [
            row("alone", Some(Vec::new())),
            row("evaluated", Some(vec![file])),
            row("unknown", None),
        ];
        Ok(Listing::new(Revision(0), rows, []))
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        Ok(Body::new(
            "Sort.",
            Digest::of(b"Sort."),
            Stamp::of(id.as_str()),
        ))
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        self.0.lock().unwrap().push(format!("{id}/{path}"));
        Err(SourceError::not_found("skill", id))
    }
}

#[tokio::test]
async fn skills_without_files_are_not_read_for_prompts() {
    let home = ListedFiles::default();
    let registry = SkillRegistry::builder().user(home.clone());
    let live = LiveIndex::new(registry.load().await.unwrap());
    assert_eq!(live.read_bodies().await, 3);
    let mut read = home.0.lock().unwrap().clone();
    read.sort();
    let expected = [
        "evaluated/evals/evals.json",
        "evaluated/evals/trigger-evals.json",
        "unknown/evals/evals.json",
        "unknown/evals/trigger-evals.json",
    ];
    assert_eq!(read, expected);
}

#[tokio::test]
async fn live_indexes_read_only_changed_bodies() {
    let home = MemorySource::new("home");
    let registered = |body: &str| Registered::new(skill("tidy", "Sorts."), body.to_owned());
    home.register(registered("Use the broom.")).unwrap();
    let registry = SkillRegistry::builder()
        .user(Arc::new(home.clone()))
        .load()
        .await
        .unwrap();
    let live = LiveIndex::new(registry.clone());
    assert_eq!(ids(&live.search(&Query::new("broom"))), [""; 0]);
    assert_eq!((live.read_bodies().await, live.read_bodies().await), (1, 0));
    assert_eq!(ids(&live.search(&Query::new("broom"))), ["tidy"]);
    home.replace(&"tidy".parse().unwrap(), registered("Use the vacuum."))
        .unwrap();
    registry.refresh().await.unwrap();
    assert_eq!(live.read_bodies().await, 1);
    assert_eq!(ids(&live.search(&Query::new("vacuum"))), ["tidy"]);
    assert_eq!(ids(&live.search(&Query::new("broom"))), [""; 0]);
}

#[test]
fn pasted_code_and_paths_hide_no_question() {
    let index = index([
        skill(
            "flaky-tests",
            "Finds the cause of tests that fail now and then.",
        ),
        skill("release-notes", "Writes release notes for users."),
        skill("tables", "Edits spreadsheets and their formulas."),
    ]);
    let code = "fn main() {\n    let rows: Vec<u32> = std::fs::read(\"/home/me/src/rows.bin\")?;\n    for row in &rows { println!(\"{row}\"); }\n}\n";
    let question = "why does this test fail only now and then, what is the cause";
    let path = "C:\\work\\repo\\crates\\engine\\src\\lib.rs:120:7 ./target/debug/deps/it-38e2";
    let long = format!("{path}\n```rust\n{}```\n{question}", code.repeat(12));
    assert!(long.split_whitespace().count() > 200);
    let hits = index.search(&Query::new(long));
    assert_eq!(hits[0].entry.id.as_str(), "flaky-tests");
    let words: Vec<_> = hits[0].why.words.iter().map(|word| &*word.word).collect();
    assert_eq!(words, ["test", "fail", "now", "then", "cause"]);
}

#[test]
fn a_word_that_exists_is_never_corrected() {
    let index = index([
        skill("form-filler", "Fills them."),
        skill("paper", "Handles a from of letters."),
    ]);
    let instead = |query: &str| -> Vec<(String, Option<String>)> {
        let hits = index.search(&Query::new(query)).into_iter();
        let words = hits.flat_map(|hit| hit.why.words);
        words
            .map(|word| (word.word.to_string(), word.instead))
            .collect()
    };
    let corrected = ("fomr".to_owned(), Some("form".to_owned()));
    assert_eq!(instead("fomr in full sentences of many words"), [corrected]);
    assert_eq!(
        instead("letters in forms of it"),
        [("letters".to_owned(), None), ("forms".to_owned(), None)]
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn bodies_from_several_threads_equal_given_ones() {
    let body = |number: usize| format!("Step {number}: mix color{} with tone{number}.", number % 7);
    let skills: Vec<Skill> = (0..300)
        .map(|number| skill(&format!("s{number}"), "Paints walls."))
        .collect();
    let home = MemorySource::new("home");
    for (number, skill) in skills.iter().enumerate() {
        home.register(Registered::new(skill.clone(), body(number)))
            .unwrap();
    }
    let registry = SkillRegistry::builder()
        .user(Arc::new(home))
        .load()
        .await
        .unwrap();
    let live = LiveIndex::new(registry);
    assert_eq!(live.read_bodies().await, 300);
    let texts: Vec<(Id, SkillText)> = (0..300)
        .map(|number| (format!("s{number}"), SkillText::new().body(body(number))))
        .map(|(id, text)| (id.parse().unwrap(), text))
        .collect();
    let given = index(skills).with_texts(texts.iter().map(|(id, text)| (id, text)));
    for query in ["color3", "tone299 walls", "mix a tone17"] {
        assert_eq!(shown(&live.current(), query), shown(&given, query));
    }
}
