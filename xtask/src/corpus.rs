//! `cargo xtask corpus DIR`: real `SKILL.md` files against what PyYAML reads in them, formatted, rendered, and delivered.

mod conversation;
mod formatting;
mod rendering;

use std::collections::BTreeMap;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use repertoire_core::skill_md::{self, FileContext, Parsed};
use repertoire_core::{Diagnostic, Severity, Value};
use serde::Deserialize;

use self::conversation::Skills;
use self::formatting::Formatting;
use self::rendering::Rendering;
use crate::Failure;

/// Of the files that PyYAML rejects although they have a description, how many must still give a skill.
const RECOVERED_PERCENT: usize = 99;

/// The codes about extension fields, each with a part of the name of its field.
const EXTENSIONS: [(&str, &str); 9] = [
    ("bad-trigger", "trigger"),
    ("weak-keyword", "trigger"),
    ("bad-workflow", "workflow"),
    ("bad-verification", "verification"),
    ("unknown-tier", "tier"),
    ("unknown-level", "level"),
    ("unknown-category", "category"),
    ("unknown-surface", "surface"),
    ("unreadable-rule", "allowed"),
];

/// One line of `EXPECTED.jsonl`.
#[derive(Debug, Deserialize)]
struct Expected {
    path: String,
    /// `ok` if there is a fenced block, else what is wrong with it.
    kind: String,
    #[serde(default)]
    utf8: bool,
    /// `ok`, or why PyYAML rejects the block.
    pyyaml: Option<String>,
    frontmatter: Option<serde_json::Value>,
    /// Of everything behind the closing fence line.
    body_sha256: Option<String>,
}

/// The result for one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// The same name and description as PyYAML reads.
    Exact,
    /// A skill and a warning where PyYAML rejects.
    Recovered,
    /// No skill, and an error with the reason.
    Skipped,
    /// A skill from a file for which none is required: without a name, or with a name that is not text.
    Unasked,
    /// No skill or a different value, although PyYAML reads both.
    Wrong,
    /// Neither a skill nor an error, or a panic.
    Lost,
}

/// Parses every file that `EXPECTED.jsonl` in `dir` lists, and counts how well.
pub(crate) fn run(dir: &Path) -> Result<(), Failure> {
    let list = dir.join("EXPECTED.jsonl");
    let lines = fs::read_to_string(&list)
        .map_err(|error| format!("cannot read `{}`: {error}", list.display()))?;
    let mut counts = BTreeMap::<Class, usize>::new();
    let (mut files, mut rejected, mut recovered) = (0, 0, 0);
    let (mut formatting, mut rendering) = (Formatting::default(), Rendering::default());
    let mut skills = Skills::new();
    for line in lines.lines() {
        let expected: Expected = serde_json::from_str(line)?;
        let bytes = fs::read(dir.join(&expected.path))?;
        let (class, why) = classify(&expected, &bytes);
        if matches!(class, Class::Wrong | Class::Lost) {
            println!("{class:?}: {}: {why}", expected.path);
        }
        if let Some(law) = formatting.take(&bytes, expected.site()) {
            println!("formatted: {}: {law}", expected.path);
        }
        // A file that gives no skill has no body that could be asked for.
        let body = expected
            .body_sha256
            .as_deref()
            .filter(|_| class != Class::Skipped);
        if let Some(damage) = body.and_then(|body| rendering.take(&bytes, body)) {
            println!("rendered: {}: {damage}", expected.path);
        }
        if expected.is_rejected() && has_description_line(&bytes) {
            rejected += 1;
            recovered += usize::from(class == Class::Recovered);
            if class != Class::Recovered {
                println!("not recovered: {}: {why}", expected.path);
            }
        }
        skills.add(&bytes, expected.site())?;
        files += 1;
        *counts.entry(class).or_default() += 1;
    }
    let count = |class| counts.get(&class).copied().unwrap_or_default();
    println!("recovered {recovered} of {rejected} rejected files that have a description");
    println!(
        "{} more skills whose file states no name, or no text for one",
        count(Class::Unasked)
    );
    println!("formatted: {formatting}");
    println!("render: {rendering}");
    let conversations = tokio::runtime::Builder::new_current_thread()
        .build()?
        .block_on(skills.converse())?;
    for broken in &conversations.broken {
        println!("not delivered: {broken}");
    }
    println!("loop: {conversations}");
    println!(
        "corpus: {files} files, {} exact, {} recovered, {} skipped, {} wrong, {} lost",
        count(Class::Exact),
        count(Class::Recovered),
        count(Class::Skipped),
        count(Class::Wrong),
        count(Class::Lost),
    );
    let enough = recovered * 100 >= rejected * RECOVERED_PERCENT;
    let broken = formatting.broken + rendering.damaged + conversations.broken.len();
    if count(Class::Wrong) + count(Class::Lost) + broken == 0 && enough {
        Ok(())
    } else {
        Err(format!(
            "the corpus wants none wrong, none lost, none damaged, none undelivered, none formatted against a law, and {RECOVERED_PERCENT} % recovered"
        )
        .into())
    }
}

impl Expected {
    fn site(&self) -> FileContext<'_> {
        let directory = Path::new(&self.path)
            .parent()
            .and_then(Path::file_name)
            .and_then(|name| name.to_str());
        FileContext::new(&self.path).in_directory(directory.unwrap_or_default())
    }

    fn is_rejected(&self) -> bool {
        self.pyyaml
            .as_deref()
            .is_some_and(|verdict| verdict != "ok")
    }

    /// A field that PyYAML reads as text.
    fn text(&self, key: &str) -> Option<&str> {
        self.frontmatter.as_ref()?.get(key)?.as_str().map(str::trim)
    }

    /// Returns whether PyYAML reads a name and a description, which makes a skill mandatory.
    fn is_due(&self) -> bool {
        ["name", "description"]
            .into_iter()
            .all(|key| self.text(key).is_some_and(|text| !text.is_empty()))
    }

    /// Returns whether the file may give no skill.
    fn may_be_skipped(&self) -> bool {
        self.kind != "ok" || !self.utf8 || self.is_rejected() || !self.is_due()
    }
}

fn classify(expected: &Expected, bytes: &[u8]) -> (Class, String) {
    let site = expected.site();
    let Ok(Parsed {
        skill, diagnostics, ..
    }) = panic::catch_unwind(AssertUnwindSafe(|| skill_md::parse(bytes, site)))
    else {
        return (Class::Lost, "the parser panicked".to_owned());
    };
    if let Some(diagnostic) = diagnostics
        .iter()
        .find(|diagnostic| is_foreign(diagnostic, bytes))
    {
        return (Class::Wrong, format!("without such a field: {diagnostic}"));
    }
    let Some(skill) = skill else {
        return match diagnostics
            .iter()
            .find(|diagnostic| diagnostic.severity == Severity::Error)
        {
            None => (Class::Lost, "neither a skill nor an error".to_owned()),
            Some(error) if expected.may_be_skipped() => (Class::Skipped, error.to_string()),
            Some(error) => (Class::Wrong, error.to_string()),
        };
    };
    if expected.is_rejected() {
        let warned = diagnostics.iter().any(|diagnostic| {
            diagnostic.severity == Severity::Warning && diagnostic.line.is_some()
        });
        return if warned {
            (Class::Recovered, String::new())
        } else {
            (Class::Wrong, "no warning".to_owned())
        };
    }
    if !expected.is_due() {
        return (Class::Unasked, String::new());
    }
    let name = skill.field("name").and_then(Value::as_text).map(str::trim);
    for (found, key) in [(name, "name"), (Some(&*skill.description), "description")] {
        if found != expected.text(key) {
            return (
                Class::Wrong,
                format!("`{key}` is {found:?}, expected {:?}", expected.text(key)),
            );
        }
    }
    (Class::Exact, String::new())
}

/// Returns whether `diagnostic` is about an extension field whose name the file does not hold.
fn is_foreign(diagnostic: &Diagnostic, bytes: &[u8]) -> bool {
    let Some((_, field)) = EXTENSIONS
        .iter()
        .find(|(code, _)| *code == diagnostic.code.to_string())
    else {
        return false;
    };
    let text = String::from_utf8_lossy(bytes);
    let head = text.rsplit_once("\n---").map_or(&*text, |(head, _)| head);
    !head.contains(field)
}

/// Returns whether a line of the front matter begins with `description:`.
fn has_description_line(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text
        .lines()
        .skip_while(|line| line.trim_start_matches('\u{feff}').trim_end() != "---")
        .skip(1);
    lines
        .by_ref()
        .take_while(|line| line.trim_end() != "---")
        .any(|line| line.starts_with("description:"))
}
