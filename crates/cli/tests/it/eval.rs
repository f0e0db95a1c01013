//! `match`, `eval` and `check --overlap`.

use repertoire_cli::Exit;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

const OPTIONS: [&str; 3] = ["--root", "root", "--no-defaults"];

fn skills() -> TestEnv {
    let env = TestEnv::new();
    env.skill("root", "crop", "Cuts pictures to size.")
        .skill("root", "resize", "Makes pictures smaller.")
        .skill("root", "idle", "Composes music for a string quartet.");
    env.file(
        "root/notes/SKILL.md",
        "---\nname: notes\ndescription: Writes release notes.\ntriggers: [keyword:changelog]\n---\nA.\n",
    );
    env.file(
        "prompts.jsonl",
        "{\"prompt\": \"cut my pictures\", \"expected_skill\": \"crop\"}\n\
         {\"prompt\": \"newsletter pictures smaller\", \"expected_skill\": \"crop\"}\n\
         {\"prompt\": \"bake a cake\", \"expected_skill\": \"\"}\n",
    );
    env
}

fn run(env: &TestEnv, arguments: &[&str]) -> (Exit, String) {
    let ran = env.run(&[arguments, &OPTIONS].concat());
    assert_eq!(ran.stderr, "", "{arguments:?}");
    (ran.exit, ran.stdout)
}

fn json(env: &TestEnv, arguments: &[&str]) -> Value {
    let (_, text) = run(env, &[arguments, &["--json"]].concat());
    serde_json::from_str(&text).expect("one JSON document")
}

#[test]
fn match_shows_scores_catalog_and_triggers() {
    let ran = skills().run(
        &[
            &[
                "match",
                "make my pictures smaller for $crop and the changelog",
                "--tokens",
                "60",
            ][..],
            &OPTIONS,
        ]
        .concat(),
    );
    assert_data_eq!(
        ran.stdout,
        str![[r#"
name    score  margin  catalog    match
crop    20.42    3.70  name only  name: `crop`; description: `pictures`; body: `crop`
resize  16.72    9.84  omitted    description: `make`, `pictures`, `smaller`
notes    6.89          omitted    trigger: `changelog`
trigger: mention activates crop
trigger: keyword changelog activates notes

"#]]
    );
    assert_eq!(ran.stderr, "note: the first skill fits well\n");
}

#[test]
fn eval_reports_rates_thieves_and_idle_skills() {
    let (exit, text) = run(&skills(), &["eval", "prompts.jsonl"]);
    assert_eq!(exit, Exit::Success);
    assert_data_eq!(
        text,
        str![[r#"
skill  prompts  first  in five  words that the description lacks
crop         2      1        2  newsletter, smaller

expected  found first  prompts  such as
crop      resize             1  newsletter pictures smaller

never first  prompts  tokens
idle               0      11
notes              0       7

2 prompts: 50.0 % find a right skill first, 100.0 % among five, 0.0 % get "nothing fits"; prompts that it is wrong to answer: 1 of 1 are not

"#]]
    );
}

#[test]
fn eval_fails_below_the_least_share() {
    let env = skills();
    let eval = |arguments: &[&str]| run(&env, &[&["eval", "prompts.jsonl"], arguments].concat()).0;
    assert_eq!(eval(&["--min-hit", "0.5"]), Exit::Success);
    assert_eq!(eval(&["--min-hit", "0.8"]), Exit::Problems);
    let sarif = run(&env, &["eval", "prompts.jsonl", "--format", "sarif"]).1;
    let log: Value = serde_json::from_str(&sarif).expect("one JSON document");
    let results = log["runs"][0]["results"].as_array().expect("a list");
    let found: Vec<_> = results
        .iter()
        .map(|result| {
            (
                &result["ruleId"],
                &result["level"],
                &result["message"]["text"],
            )
        })
        .collect();
    assert_eq!(
        json!(found),
        json!([
            [
                "missed-prompts",
                "warning",
                "1 of 2 prompts do not find `crop` first; they find `resize` (1)\n\nhelp: the missed prompts say `newsletter`, `smaller`, and the description does not"
            ],
            [
                "never-first",
                "note",
                "`idle` costs 11 tokens and no prompt finds it first"
            ],
            [
                "never-first",
                "note",
                "`notes` costs 7 tokens and no prompt finds it first"
            ],
        ])
    );
}

#[test]
fn without_files_the_prompts_beside_skills_are_asked() {
    let env = skills();
    env.file(
        "root/resize/evals/evals.json",
        "{\"skill_name\": \"resize\", \"evals\": [{\"id\": 1, \"prompt\": \"smaller pictures\"}]}",
    );
    env.file(
        "root/idle/evals/trigger-evals.json",
        "[{\"query\": \"smaller pictures\", \"expected_skill\": \"crop\"}, {\"query\": \"sing\", \"should_trigger\": false}]",
    );
    let report = json(&env, &["eval"]);
    let figures =
        ["prompts", "first", "negatives", "right_negatives"].map(|key| report[key].as_u64());
    assert_eq!(figures, [Some(1), Some(1), Some(1), Some(1)]);
}

#[test]
fn folders_and_yaml_files_are_read() {
    let env = skills();
    let text = "scenarios:\n  - prompt: |\n      Make smaller\n      pictures.\n";
    env.file("tests/resize/eval.yaml", text);
    let report = json(&env, &["eval", "tests/resize"]);
    assert_eq!(
        report["skills"],
        json!([{ "id": "resize", "prompts": 1, "first": 1, "among_five": 1, "tokens": 8, "proposed": [] }])
    );
}

#[test]
fn eval_without_prompts_fails() {
    let ran = skills().run(&[&["eval"][..], &OPTIONS].concat());
    assert_data_eq!(
        ran.failure(),
        str![[r#"
error: there are no prompts to ask
 |
 = help: name a file of prompts, or put one beside a skill, as `evals/evals.json`

"#]]
    );
}

#[test]
fn check_names_descriptions_that_compete() {
    let env = TestEnv::new();
    env.skill("root", "forms", "Fills in PDF forms.")
        .skill("root", "paper", "Fills in PDF forms and letters.")
        .skill("root", "music", "Composes for a string quartet.");
    assert_eq!(
        run(&env, &["check"]),
        (Exit::Success, "3 skills checked: no problems\n".to_owned())
    );
    assert_data_eq!(
        run(&env, &["check", "--overlap"]).1,
        str![[r#"
warning[overlapping-descriptions]: the descriptions of `paper` and `forms` compete: a search for the first one gives the second 84 % of its score
--> root/paper/SKILL.md
::: root/forms/SKILL.md
 = help: say what only this skill does, or merge them; both say `fills`, `pdf`, `forms`

3 skills checked: 1 warning

"#]]
    );
}

#[test]
fn a_recall_budget_retains_descriptions_of_example_prompts() {
    let env = skills();
    let text = "{\"evals\": [{\"prompt\": \"smaller pictures\"}]}";
    env.file("root/resize/evals/evals.json", text);
    let catalog = |arguments: &[&str]| {
        let arguments = [
            &["catalog", "--tokens", "75", "--json"],
            arguments,
            &OPTIONS,
        ]
        .concat();
        let document: Value =
            serde_json::from_str(&env.run(&arguments).stdout).expect("a document");
        document["text"]
            .as_str()
            .expect("a text")
            .contains("Makes pictures smaller.")
    };
    assert_eq!(
        [catalog(&[]), catalog(&["--budget-by", "recall"])],
        [false, true]
    );
}
