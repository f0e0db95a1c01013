//! Prompt files, hit rates and overlaps.

use super::*;

fn goals(path: &str, text: &str) -> Vec<(String, PromptGoal)> {
    let prompts = ExpectedPrompt::parse(path, text).expect("a file of prompts");
    let rows = prompts.into_iter();
    rows.map(|row| (row.prompt.to_string(), row.goal)).collect()
}

fn any_of(prompt: &str, skills: &[&str]) -> (String, PromptGoal) {
    let skills = skills.iter().map(|skill| (*skill).into()).collect();
    (prompt.to_owned(), PromptGoal::AnyOf(skills))
}

fn none_of(prompt: &str, skill: &str) -> (String, PromptGoal) {
    (prompt.to_owned(), PromptGoal::NoneOf(vec![skill.into()]))
}

#[test]
fn prompt_files_of_the_wild_are_read() {
    let nothing = |prompt: &str| (prompt.to_owned(), PromptGoal::Nothing);
    for (path, text, expected) in [
        (
            "skills/webinar/evals/evals.json",
            r#"{"skill_name": "webinar", "evals": [{"id": 1, "prompt": "Host one", "expected_output": "A plan"}]}"#,
            vec![any_of("Host one", &["webinar"])],
        ),
        (
            "docs-sync/evals/trigger-evals.json",
            r#"{"should_trigger": {"train": ["A flag is new"], "val": ["A verb is new"]}, "should_not_trigger": {"train": ["A typo"]}, "notes": ["none"]}"#,
            vec![
                any_of("A flag is new", &["docs-sync"]),
                any_of("A verb is new", &["docs-sync"]),
                none_of("A typo", "docs-sync"),
            ],
        ),
        (
            "pdf/evals/trigger-evals.json",
            r#"[{"query": "Fill it", "should_trigger": true}, {"query": "Eat it", "should_trigger": false}]"#,
            vec![any_of("Fill it", &["pdf"]), none_of("Eat it", "pdf")],
        ),
        (
            "tests/ilspy/eval.json",
            r#"{"scenarios": [{"name": "Inspect", "prompt": "Decompile this.\n", "rubric": ["Good"]}]}"#,
            vec![any_of("Decompile this.", &["ilspy"])],
        ),
        (
            "activation/negative.jsonl",
            "{\"id\": 1, \"prompt\": \"Sing\", \"expected_skill\": \"\"}\n\n{\"q\": \"Sort\", \"gold\": [\"a\", \"b\"]}\n",
            vec![nothing("Sing"), any_of("Sort", &["a", "b"])],
        ),
        (
            "query-variants.json",
            r#"{"variants": [{"expected_skill": "apex/batch", "queries": ["Batch", "Bulk"]}]}"#,
            vec![any_of("Batch", &["batch"]), any_of("Bulk", &["batch"])],
        ),
    ] {
        assert_eq!(goals(path, text), expected, "{path}");
    }
}

#[test]
fn a_file_without_prompts_is_an_error() {
    for (path, text, error) in [
        ("a.json", "{\"name\": \"a\"}", SearchFileError::Shape),
        ("a.json", "[\"Sort\"]", SearchFileError::NoSkill(1)),
        (
            "a.jsonl",
            "{\"q\": \"a\", \"gold\": []}\n{",
            SearchFileError::Syntax(
                "line 2: EOF while parsing an object at line 1 column 1".into(),
            ),
        ),
    ] {
        assert_eq!(
            ExpectedPrompt::parse(path, text),
            Err(error),
            "{path}: {text}"
        );
    }
}

#[test]
fn an_evaluation_names_misses_thieves_and_words() {
    let index = index([
        skill("crop", "Cuts pictures to size."),
        skill("resize", "Makes pictures smaller."),
        skill("idle", "Composes music for a string quartet."),
    ]);
    let prompts = [
        ExpectedPrompt::new("cut my pictures", "crop"),
        ExpectedPrompt::new("shrink pictures for the newsletter, make smaller", "crop"),
        ExpectedPrompt::new("newsletter pictures smaller", "crop"),
        ExpectedPrompt::new("make smaller", "resize"),
        ExpectedPrompt::new("fly", "unheard-of"),
        ExpectedPrompt {
            prompt: "bake a cake".into(),
            goal: PromptGoal::Nothing,
        },
    ];
    let report = index.evaluate(&Query::new(""), &prompts, str::len);
    assert_eq!(
        serde_json::to_value(&report).expect("a report is JSON"),
        serde_json::json!({
            "prompts": 4, "first": 2, "among_five": 4, "abstained": 0, "negatives": 1, "right_negatives": 1,
            "skills": [
                { "id": "crop", "prompts": 3, "first": 1, "among_five": 3, "tokens": 28, "proposed": ["newsletter", "smaller"] },
                { "id": "resize", "prompts": 1, "first": 1, "among_five": 1, "tokens": 31, "proposed": [] },
            ],
            "confusions": [
                { "expected": "crop", "found": "resize", "prompts": 2, "example": "shrink pictures for the newsletter, make smaller" },
            ],
            "never_first": [
                { "id": "idle", "prompts": 0, "first": 0, "among_five": 0, "tokens": 42, "proposed": [] },
            ],
            "missed": [
                { "prompt": "shrink pictures for the newsletter, make smaller", "expected": ["crop"], "found": "resize", "place": 2 },
                { "prompt": "newsletter pictures smaller", "expected": ["crop"], "found": "resize", "place": 2 },
            ],
            "unknown": ["unheard-of"],
        })
    );
}

#[test]
fn overlaps_name_each_pair_once_without_hidden_skills() {
    let hidden = written(
        "hidden",
        "description: Fills in PDF forms.\ndisable-model-invocation: true",
    );
    let index = index([
        skill("forms", "Fills in PDF forms."),
        skill("paper", "Fills in PDF forms and letters."),
        skill("music", "Composes for a string quartet."),
        hidden,
    ]);
    let pairs = |query: &Query| -> Vec<(String, String, Vec<String>)> {
        let overlaps = index.overlaps(query, 0.7);
        overlaps
            .into_iter()
            .map(|pair| {
                (
                    pair.entry.id.to_string(),
                    pair.other.id.to_string(),
                    pair.words,
                )
            })
            .collect()
    };
    let words = ["fills", "pdf", "forms"].map(str::to_owned).to_vec();
    let pair = ("paper".to_owned(), "forms".to_owned(), words);
    assert_eq!(pairs(&Query::new("")), [pair]);
    assert_eq!(pairs(&Query::new("").for_operator()).len(), 3);
}
