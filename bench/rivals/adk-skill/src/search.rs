//! Its search, among skills in memory.

use std::collections::HashMap;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;

use adk_skill::{SelectionPolicy, SkillDocument, SkillIndex, select_skills};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Known {
    name: String,
    description: String,
    question: Option<String>,
}

#[derive(Serialize)]
struct Asked {
    middle: f64,
    found: f64,
}

/// Each takes a second among ten thousand.
const QUESTIONS: usize = 20;

pub(crate) fn run(file: &Path) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let known = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<Vec<Known>, _>>()?;
    let index = SkillIndex::new(known.iter().map(document).collect());
    let policy = SelectionPolicy {
        top_k: 10,
        min_score: 0.0,
        ..SelectionPolicy::default()
    };
    let asked: Vec<_> = known
        .iter()
        .filter_map(|skill| Some((skill, skill.question.as_ref()?)))
        .collect();
    let asked: Vec<_> = asked
        .iter()
        .step_by(asked.len().div_ceil(QUESTIONS).max(1))
        .collect();
    let (mut times, mut found) = (Vec::new(), 0.0);
    for (skill, question) in &asked {
        let begun = cpu();
        let hits = black_box(select_skills(&index, question, &policy));
        times.push(cpu() - begun);
        if let Some(place) = hits.iter().position(|hit| hit.skill.name == skill.name) {
            found += 1.0 / (place as f64 + 1.0);
        }
    }
    times.sort_by(f64::total_cmp);
    let asked = Asked {
        middle: times[times.len() / 2],
        found: found / asked.len() as f64,
    };
    println!("{}", serde_json::to_string(&asked)?);
    Ok(())
}

fn document(known: &Known) -> SkillDocument {
    SkillDocument {
        id: known.name.clone(),
        name: known.name.clone(),
        description: known.description.clone(),
        version: None,
        license: None,
        compatibility: None,
        tags: Vec::new(),
        allowed_tools: Vec::new(),
        references: Vec::new(),
        trigger: false,
        hint: None,
        metadata: HashMap::new(),
        body: String::new(),
        path: known.name.as_str().into(),
        hash: String::new(),
        last_modified: None,
        triggers: Vec::new(),
    }
}

/// Processor time of this thread, in seconds.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
