//! The output of the runner.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::bound::Bound;
use super::verdict::Verdict;

#[derive(Debug)]
pub(crate) struct CaseReport {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) lines: Vec<LineReport>,
}

#[derive(Debug)]
pub(crate) struct LineReport {
    pub(crate) number: usize,
    pub(crate) text: String,
    pub(crate) verdict: Verdict,
    /// The test that the line is linked to.
    pub(crate) bound: Option<Bound<'static>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    NotApplicable,
}

#[derive(Debug, Default, Clone, Copy)]
struct Totals {
    passed: usize,
    failed: usize,
    not_applicable: usize,
}

impl CaseReport {
    pub(crate) fn broken(name: String, kind: String, error: &io::Error) -> CaseReport {
        let verdict = Verdict::fails("a case that can be set up", error);
        let line = LineReport {
            number: 0,
            text: "the case as a whole".to_owned(),
            verdict,
            bound: None,
        };
        CaseReport {
            name,
            kind,
            lines: vec![line],
        }
    }

    fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::Passed;
        for line in &self.lines {
            match line.verdict {
                Verdict::Fails { .. } => return Outcome::Failed,
                Verdict::Missing(_) => outcome = Outcome::NotApplicable,
                Verdict::Holds => {}
            }
        }
        outcome
    }
}

impl Totals {
    fn count(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Passed => &mut self.passed,
            Outcome::Failed => &mut self.failed,
            Outcome::NotApplicable => &mut self.not_applicable,
        } += 1;
    }
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} passed, {} failed, {} not applicable",
            self.passed, self.failed, self.not_applicable
        )
    }
}

/// Prints failures, missing parts, linked tests and totals. Returns whether no case failed.
pub(crate) fn print(cases: &[CaseReport], out: &mut dyn Write) -> io::Result<bool> {
    for case in cases {
        failures(case, out)?;
    }
    missing(cases, out)?;
    linked(cases, out)?;

    let mut kinds: BTreeMap<&str, Totals> = BTreeMap::new();
    let mut all = Totals::default();
    for case in cases {
        kinds.entry(&case.kind).or_default().count(case.outcome());
        all.count(case.outcome());
    }
    for (kind, totals) in kinds {
        writeln!(out, "{kind}: {totals}")?;
    }
    writeln!(out, "cases: {all}")?;
    Ok(all.failed == 0)
}

fn failures(case: &CaseReport, out: &mut dyn Write) -> io::Result<()> {
    for line in &case.lines {
        if let Verdict::Fails { expected, found } = &line.verdict {
            writeln!(
                out,
                "FAILED {}, line {}: {}",
                case.name, line.number, line.text
            )?;
            writeln!(out, "  expected: {}", indented(expected))?;
            writeln!(out, "  found:    {}", indented(found))?;
        }
    }
    Ok(())
}

/// Indents text, so that it is not taken for a line of the report, and escapes control characters.
fn indented(text: &str) -> String {
    text.trim_end()
        .lines()
        .map(repertoire_core::text::terminal_line)
        .collect::<Vec<_>>()
        .join("\n            ")
}

fn missing(cases: &[CaseReport], out: &mut dyn Write) -> io::Result<()> {
    let mut lines: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for case in cases {
        for line in &case.lines {
            if let Verdict::Missing(what) = &line.verdict {
                lines.entry(what).or_default().push(format!(
                    "{}, line {}: {}",
                    case.name, line.number, line.text
                ));
            }
        }
    }
    for (what, lines) in lines {
        writeln!(out, "not applicable without {what}:")?;
        for line in lines {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

fn linked(cases: &[CaseReport], out: &mut dyn Write) -> io::Result<()> {
    let mut bound = cases
        .iter()
        .flat_map(|case| &case.lines)
        .filter_map(|line| line.bound.as_ref())
        .peekable();
    if bound.peek().is_some() {
        writeln!(out, "shown by a test:")?;
    }
    for row in bound {
        writeln!(
            out,
            "  {}: never {} -> `{}` in {}",
            row.case, row.words, row.test, row.file
        )?;
    }
    Ok(())
}
