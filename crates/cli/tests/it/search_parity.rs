//! The command line, the tools and the server search alike.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use repertoire::SkillRegistry;
use repertoire::config::{Configuration, HostSettings};
use repertoire::search::{ExpectedPrompt, IndexSettings, LiveIndex, Synonyms};
use repertoire::tools::{LiveTools, ToolOptions};
use repertoire_cli::Exit;
use serde_json::{Value, json};

use crate::serve::{Serving, introduction};
use crate::test_env::TestEnv;

const CONFIGURATION: &str = "[search]\nexamples = \"examples\"\nsynonyms = \"synonyms.txt\"\n\n\
    [[source]]\nkind = \"fs\"\nname = \"ours\"\nroots = [\"ours\"]\n\n\
    [[source]]\nkind = \"fs\"\nname = \"theirs\"\nroots = [\"theirs\"]\ntrust = \"restricted\"\n";

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.file("repertoire.toml", CONFIGURATION)
        .skill("ours", "notes", "Writes what is new for users.")
        .skill("ours", "review", "Reads a change before it is merged.")
        .file(
            "ours/burndown/SKILL.md",
            "---\nname: burndown\ndescription: Plans projects.\n---\nDraw the gantt chart.\n",
        )
        .file(
            "ours/secret/SKILL.md",
            "---\nname: secret\ndescription: Draws a gantt chart of the changelog.\ndisable-model-invocation: true\n---\nA.\n",
        )
        .file(
            "ours/review/evals/evals.json",
            "{\"skill_name\": \"review\", \"evals\": [{\"prompt\": \"does this diff look fine\"}]}",
        )
        .skill("theirs", "spam", "Sells things.")
        .file(
            "theirs/spam/evals/evals.json",
            "{\"evals\": [{\"prompt\": \"changelog changelog\", \"expected_skill\": \"notes\"}, {\"prompt\": \"buy it\"}]}",
        )
        .file(
            "examples/accepted.jsonl",
            "{\"prompt\": \"a changelog for version two\", \"expected_skill\": \"notes\"}\n",
        )
        .file("synonyms.txt", "# ours\npr => change\n");
    env
}

/// Many times what reading six bodies takes.
const PATIENCE: Duration = Duration::from_secs(60);

const QUERIES: [&str; 7] = [
    "changelog",
    "pr",
    "projects as a gantt chart",
    "is this diff fine",
    "buy",
    "notse",
    "users, projects and things",
];

#[test]
fn every_door_finds_the_same() {
    let env = env();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let by_tool = runtime.block_on(with_tools(&env.here()));
    let expected: Vec<(&str, Vec<String>)> = QUERIES
        .iter()
        .map(|query| (*query, by_command(&env, query)))
        .collect();
    let found = |index: usize| expected[index].1.join(" ");
    assert_eq!(
        [0, 1, 2, 3, 4].map(found),
        ["notes", "review", "burndown", "review", "spam"].map(str::to_owned)
    );
    assert_eq!(
        by_tool,
        expected
            .iter()
            .map(|(_, ids)| ids.clone())
            .collect::<Vec<_>>()
    );
    let mut server = Asked::start(&env);
    // The bodies and examples are read in the background.
    let begun = Instant::now();
    while server.search("changelog").is_empty() {
        assert!(begun.elapsed() < PATIENCE, "the server reads no bodies");
    }
    for (query, ids) in &expected {
        assert_eq!(server.search(query), *ids, "{query}");
    }
}

fn by_command(env: &TestEnv, query: &str) -> Vec<String> {
    let arguments = [
        "search",
        query,
        "--config",
        "repertoire.toml",
        "--seen-by",
        "model",
        "--json",
    ];
    let ran = env.run(&arguments);
    assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::Success, ""));
    let document: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
    let hits = document["hits"].as_array().expect("a list");
    if hits
        .first()
        .is_some_and(|hit| hit["why"]["confidence"] == "nothing-fits")
    {
        return Vec::new();
    }
    hits.iter()
        .map(|hit| hit["skill"]["id"].as_str().expect("a text").to_owned())
        .collect()
}

/// The answers of the tools in a host of its own, which reads the files that the configuration names.
async fn with_tools(folder: &Path) -> Vec<Vec<String>> {
    let configuration =
        Configuration::read("repertoire.toml", &HostSettings::new(folder)).expect("it is valid");
    let registry = configuration
        .compose(SkillRegistry::builder())
        .expect("sources")
        .load()
        .await
        .expect("skills");
    let text = |path: &Path| std::fs::read_to_string(path).expect("a text");
    let files = configuration.search();
    let examples = files
        .examples
        .as_ref()
        .expect("a folder")
        .join("accepted.jsonl");
    let prompts = ExpectedPrompt::parse("accepted.jsonl", &text(&examples)).expect("prompts");
    let synonyms =
        Synonyms::parse(&text(files.synonyms.as_ref().expect("a file"))).expect("synonyms");
    let index = LiveIndex::with_settings(
        registry,
        IndexSettings::new().examples(&prompts).synonyms(synonyms),
    );
    index.read_bodies().await;
    let tools = LiveTools::from_index(index, ToolOptions::default());
    let mut answers = Vec::new();
    for query in QUERIES {
        let answer = tools
            .call("search_skills", &json!({ "query": query }))
            .await
            .expect("our tool");
        answers.push(matches(&answer.text));
    }
    answers
}

fn matches(answer: &str) -> Vec<String> {
    let answer: Value = serde_json::from_str(answer).expect("a document");
    let matches = answer["matches"].as_array().expect("a list");
    matches
        .iter()
        .map(|row| row["id"].as_str().expect("a text").to_owned())
        .collect()
}

/// A server, asked over its streams.
struct Asked {
    serving: Serving,
    answers: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Asked {
    fn start(env: &TestEnv) -> Asked {
        let mut serving = Serving::start(env, &["--config", "repertoire.toml"], &[]);
        let answers = BufReader::new(serving.0.stdout.take().expect("it is piped")).lines();
        let mut asked = Asked { serving, answers };
        asked.ask(&introduction());
        asked
    }

    fn ask(&mut self, question: &Value) -> Value {
        let ask = self.serving.0.stdin.as_mut().expect("it is piped");
        writeln!(ask, "{question}").expect("heard");
        let answers = self.answers.by_ref();
        let mut answers =
            answers.map(|line| serde_json::from_str(&line.expect("text")).expect("a document"));
        answers
            .find(|answer: &Value| answer["id"] == question["id"])
            .expect("an answer")
    }

    fn search(&mut self, query: &str) -> Vec<String> {
        let answer = self.ask(&json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "search_skills", "arguments": {"query": query}},
        }));
        matches(
            answer["result"]["content"][0]["text"]
                .as_str()
                .expect("a text"),
        )
    }
}

#[test]
fn broken_search_files_are_failures() {
    let env = env();
    env.file("synonyms.txt", "# ours\nalone\n");
    let search = ["search", "pr", "--config", "repertoire.toml"];
    assert_eq!(
        env.run(&search).failure(),
        "error: `synonyms.txt`: line 2: expected `word, other word` or `word => other word`, found `alone`\n"
    );
    env.file("synonyms.txt", "")
        .file("examples/more.jsonl", "{\n");
    let said = env.run(&search).failure();
    assert!(
        said.starts_with("error: `examples/more.jsonl`: line 1: "),
        "{said}"
    );
}
