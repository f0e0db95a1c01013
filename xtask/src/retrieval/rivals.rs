//! Other programs on the same questions, from PyPI.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::json;

use super::Row;
use super::figures::Figures;
use super::set::{Answer, Question, Set};
use crate::{Failure, step, venv, workspace};

/// The output of `rivals.py` for each program.
#[derive(Debug, Deserialize)]
struct Ranked {
    search: String,
    /// For each question: the ids of the best ten, the best score, and microseconds.
    answers: Vec<(Vec<String>, f64, f64)>,
}

/// The searches that `rivals.py` knows.
const NAMES: [&str; 4] = [
    "bm25s",
    "bm25s, with bodies",
    "tantivy",
    "agentskills-retrieval",
];

/// Returns the rows of each program that can be installed here.
pub(super) fn rows(set: &Set) -> Result<Vec<Row>, Failure> {
    let scripts = workspace::root().join("xtask/src/retrieval");
    let scratch = workspace::root().join("target/retrieval");
    fs::create_dir_all(&scratch)?;
    let programs = match venv::venv(&scratch, &scripts.join("requirements.txt")) {
        Ok(programs) => programs,
        Err(failure) => {
            step::skipped("other searches", &failure.to_string());
            return Ok(Vec::new());
        }
    };
    let groups = set.groups();
    let questions: Vec<&Question> = groups
        .iter()
        .flat_map(|(_, questions)| questions.iter().copied())
        .collect();
    let mut rows = Vec::new();
    for ranked in ask(
        set,
        &questions,
        programs.join("python"),
        scripts.join("rivals.py"),
        &scratch,
    )? {
        let Some(search) = NAMES.into_iter().find(|name| *name == ranked.search) else {
            return Err(format!("`rivals.py` names the unknown search `{}`", ranked.search).into());
        };
        let mut answers =
            questions
                .iter()
                .zip(ranked.answers)
                .map(|(question, (found, score, micros))| Answer {
                    found,
                    gold: question.gold.clone(),
                    score: Some(score),
                    micros: Some(micros),
                    abstained: false,
                });
        for (name, questions) in &groups {
            let answers: Vec<Answer> = answers.by_ref().take(questions.len()).collect();
            let figures = Figures::of(&answers);
            rows.push(Row {
                set: name.clone(),
                search: search.into(),
                figures,
                build_ms: None,
                texts_ms: None,
                bytes_a_skill: None,
            });
        }
    }
    Ok(rows)
}

fn ask(
    set: &Set,
    questions: &[&Question],
    python: PathBuf,
    script: PathBuf,
    scratch: &std::path::Path,
) -> Result<Vec<Ranked>, Failure> {
    let docs: Vec<_> = set
        .docs
        .iter()
        .map(|doc| json!({ "id": doc.id, "text": doc.text }))
        .collect();
    let questions: Vec<_> = questions.iter().map(|question| &question.q).collect();
    let input = scratch.join("input.json");
    fs::write(
        &input,
        serde_json::to_vec(&json!({ "docs": docs, "questions": questions }))?,
    )?;
    let output = Command::new(python)
        .arg(script)
        .arg(&input)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("`rivals.py` failed with {}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
