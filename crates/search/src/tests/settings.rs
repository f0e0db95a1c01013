//! Synonyms and example prompts of an operator.

use std::sync::Arc;

use repertoire_registry::{MemorySource, Registered, SkillRegistry};

use super::*;

fn synonyms(text: &str) -> Synonyms {
    Synonyms::parse(text).expect("lines of synonyms")
}

#[test]
fn synonyms_are_found_and_named() {
    let index = index([
        skill("reviews", "Looks at a pull request."),
        skill("cluster", "Starts kubernetes."),
        skill("k8s-tools", "Lists pods."),
    ]);
    let index = index.with_synonyms(synonyms(
        "# ours\npr, pull request\n\nk8s => kubernetes, the orchestrator\n",
    ));
    let why = |query: &str| -> Vec<String> {
        let hits = index.search(&Query::new(query)).into_iter();
        hits.map(|hit| format!("{}: {}", hit.entry.id, hit.why))
            .collect()
    };
    assert_eq!(why("pr"), ["reviews: description: `pull` for `pr`"]);
    assert_eq!(
        why("k8s"),
        [
            "k8s-tools: name prefix",
            "cluster: description: `kubernetes` for `k8s`",
        ]
    );
    assert_eq!(why("kubernetes"), ["cluster: description: `kubernetes`"]);
}

#[test]
fn synonyms_stay_with_texts_and_updates() {
    let first = merge(&[layer(
        Tier::User,
        "home",
        0,
        [skill("reviews", "Reads merges.")],
    )]);
    let second = merge(&[layer(
        Tier::User,
        "home",
        0,
        [skill("reviews", "Reads merges."), skill("other", "Merges.")],
    )]);
    let index = SearchIndex::new(&first).with_synonyms(synonyms("pr, merge"));
    let found = |index: &SearchIndex| index.search(&Query::new("pr")).len();
    let texts = [("reviews".parse().unwrap(), SkillText::new())];
    let with_texts = index.with_texts(texts.iter().map(|(id, text)| (id, text)));
    assert_eq!(
        [
            found(&index),
            found(&with_texts),
            found(&with_texts.updated(&second))
        ],
        [1, 1, 2]
    );
}

#[test]
fn a_line_without_synonyms_is_an_error() {
    for (text, line) in [("pr", 1), ("a, b\n=> c", 2), ("a =>", 1), ("a, ,", 1)] {
        let error = Synonyms::parse(text).expect_err(text);
        let found = text.lines().nth(line - 1).expect(text).to_owned();
        assert_eq!(error, SearchFileError::Synonyms { line, found });
    }
}

#[tokio::test]
async fn examples_count_for_the_skill_that_they_expect() {
    let home = MemorySource::new("home");
    for (id, about) in [("tidy", "Sorts."), ("mail", "Writes letters.")] {
        home.register(Registered::new(skill(id, about), "Do it."))
            .unwrap();
    }
    let registry = SkillRegistry::builder()
        .user(Arc::new(home))
        .load()
        .await
        .unwrap();
    let prompts = [
        ExpectedPrompt::new("my desktop is a mess", "tidy"),
        ExpectedPrompt::new("messy desktop", "home:tidy"),
        ExpectedPrompt::new("desktop", "unheard-of"),
    ];
    let found = async |settings: IndexSettings| {
        let live = LiveIndex::with_settings(registry.clone(), settings);
        live.read_bodies().await;
        let hits = live.search(&Query::new("a mess")).into_iter();
        hits.map(|hit| format!("{}: {}", hit.entry.id, hit.why))
            .collect::<Vec<_>>()
    };
    let settings = IndexSettings::new().examples(&prompts);
    assert_eq!(
        found(settings.clone()).await,
        ["tidy: an example prompt: `mess`"]
    );
    assert_eq!(found(settings.omit(&prompts[..1])).await, [""; 0]);
}

#[test]
fn expected_prompts_round_trip_through_lines() {
    let prompts = [
        ExpectedPrompt::new("sort \"it\"\nnow", "tidy"),
        ExpectedPrompt {
            prompt: "sing".into(),
            goal: PromptGoal::NoneOf(vec!["tidy".into()]),
        },
        ExpectedPrompt {
            prompt: "dance".into(),
            goal: PromptGoal::Nothing,
        },
    ];
    let file: String = prompts.iter().map(ExpectedPrompt::to_line).collect();
    assert_eq!(
        ExpectedPrompt::parse("log.jsonl", &file).as_deref(),
        Ok(&prompts[..])
    );
}
