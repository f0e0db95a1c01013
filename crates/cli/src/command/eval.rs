//! `repertoire eval`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use repertoire::Id;
use repertoire::catalog::Tokenizer;
use repertoire::permission::Audience;
use repertoire::search::{EvalReport, Query, SkillEval, StolenPrompts};
use repertoire::skill::{Code, Diagnostic};
use serde::Serialize;

use super::search::AUDIENCES;
use super::selection::ExposureOptions;
use crate::context::CommandContext;
use crate::diagnostics::{ReportedDiagnostic, counted, quoted};
use crate::environment::Program;
use crate::failure::Failure;
use crate::options::one_of;
use crate::output::{Format, Output};
use crate::table::TextTable;
use crate::{prompt_files, sarif};

/// Measure how often prompts find the skills that they expect.
///
/// Without FILE, the prompts are those that authors put beside their skills, under `evals`, and the example prompts of the
/// configuration file. A prompt is not an example for itself.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire eval\n  repertoire eval prompts.jsonl --root skills --min-hit 0.8"
)]
pub(crate) struct EvalCommand {
    /// Files of prompts with the skills that they expect (JSON, JSON Lines or YAML), or folders of such files.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Fail if the share of prompts whose first hit is an expected skill is smaller, or if a prompt expects an unknown skill.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_hit: Option<f64>,
    /// Only skills visible to the model, or to the user.
    #[arg(long, value_name = "AUDIENCE", value_parser = one_of(AUDIENCES))]
    seen_by: Option<Audience>,
    #[command(flatten)]
    exposure: ExposureOptions,
}

fn share(text: &str) -> Result<f64, &'static str> {
    let share = text.parse().ok();
    share
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or("expected a share from 0 to 1")
}

/// The hit rates of prompts.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct EvalOutput {
    #[serde(flatten)]
    report: EvalReport,
}

/// Rows of a table for people; JSON has all.
const MOST_ROWS: usize = 10;
/// The most characters of a prompt in a table.
const PROMPT_WIDTH: usize = 60;

impl EvalCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        program: Program,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let mut prompts = Vec::new();
        for file in &self.files {
            prompts.extend(prompt_files::read(file, &context.cwd)?);
        }
        let (examples, settings) = context.search_settings()?;
        if self.files.is_empty() {
            prompts = context.known_prompts(examples).await;
        }
        if prompts.is_empty() {
            return Err(Failure::new("there are no prompts to ask")
                .help("name a file of prompts, or put one beside a skill, as `evals/evals.json`"));
        }
        let index = context.index_with(settings.omit(&prompts)).await;
        let report = index.current().evaluate(&self.query(), &prompts, |text| {
            Tokenizer::default().estimate(text)
        });
        let hits = report.first as f64 / report.prompts.max(1) as f64;
        let fails = self
            .min_hit
            .is_some_and(|least| hits < least || !report.unknown.is_empty());
        out.found_problems(fails);
        if out.format() == Format::Sarif {
            let diagnostics = diagnostics(&report, context);
            out.document(&sarif::log(&diagnostics, &context.cwd, program));
            return Ok(());
        }
        let output = EvalOutput { report };
        if !out.write_json(&output) {
            output.write(out);
            out.notes(context.pending());
        }
        Ok(())
    }

    fn query(&self) -> Query {
        let query = Query::new("").modes(self.exposure.modes());
        match self.seen_by {
            None => query.for_operator(),
            Some(audience) => query.seen_by(audience),
        }
    }
}

impl EvalOutput {
    fn write(&self, out: &mut Output) {
        let report = &self.report;
        let mut table = TextTable::new(&[
            "skill",
            ">prompts",
            ">first",
            ">in five",
            "words that the description lacks",
        ]);
        for eval in report.skills.iter().take(MOST_ROWS) {
            table.row([
                eval.id.as_str().into(),
                eval.prompts.to_string().into(),
                eval.first.to_string().into(),
                eval.among_five.to_string().into(),
                eval.proposed.join(", ").into(),
            ]);
        }
        table.write(out);
        write_more(report.skills.len(), out);
        if !report.confusions.is_empty() {
            out.line("");
            let mut table = TextTable::new(&["expected", "found first", ">prompts", "such as"]);
            for pair in report.confusions.iter().take(MOST_ROWS) {
                table.row([
                    pair.expected.as_str().into(),
                    pair.found.as_str().into(),
                    pair.prompts.to_string().into(),
                    short(&pair.example).into(),
                ]);
            }
            table.write(out);
            write_more(report.confusions.len(), out);
        }
        if !report.never_first.is_empty() {
            out.line("");
            let mut table = TextTable::new(&["never first", ">prompts", ">tokens"]);
            for eval in report.never_first.iter().take(MOST_ROWS) {
                table.row([
                    eval.id.as_str().into(),
                    eval.prompts.to_string().into(),
                    eval.tokens.to_string().into(),
                ]);
            }
            table.write(out);
            write_more(report.never_first.len(), out);
        }
        out.line("");
        out.line(summary(report));
        if !report.unknown.is_empty() {
            out.note(format!("no skill is called {}", quoted(&report.unknown)));
        }
    }
}

fn write_more(count: usize, out: &mut Output) {
    if count > MOST_ROWS {
        out.line(format!("and {} more", count - MOST_ROWS));
    }
}

fn short(prompt: &str) -> String {
    let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(PROMPT_WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn summary(report: &EvalReport) -> String {
    let percent = |count: usize| 100.0 * count as f64 / report.prompts.max(1) as f64;
    let mut text = format!(
        "{}: {:.1} % find a right skill first, {:.1} % among five, {:.1} % get \"nothing fits\"",
        counted(report.prompts, "prompt"),
        percent(report.first),
        percent(report.among_five),
        percent(report.abstained),
    );
    if report.negatives > 0 {
        text.push_str(&format!(
            "; prompts that it is wrong to answer: {} of {} are not",
            report.right_negatives, report.negatives
        ));
    }
    text
}

fn diagnostics(report: &EvalReport, context: &CommandContext) -> Vec<ReportedDiagnostic> {
    let missed = report
        .skills
        .iter()
        .filter(|eval| eval.first < eval.prompts);
    let missed = missed.filter_map(|eval| missed_prompts(eval, &report.confusions, context));
    let idle = report.never_first.iter();
    let idle = idle.filter_map(|eval| {
        let message = format!(
            "`{}` costs {} and no prompt finds it first",
            eval.id,
            counted(eval.tokens, "token")
        );
        at_skill(Code::NEVER_FIRST, message, &eval.id, context)
    });
    missed.chain(idle).collect()
}

fn missed_prompts(
    eval: &SkillEval,
    confusions: &[StolenPrompts],
    context: &CommandContext,
) -> Option<ReportedDiagnostic> {
    let thieves = confusions.iter().filter(|pair| pair.expected == eval.id);
    let thieves = thieves.map(|pair| format!("`{}` ({})", pair.found, pair.prompts));
    let thieves: Vec<String> = thieves.collect();
    let missed = eval.prompts - eval.first;
    let mut message = format!(
        "{missed} of {} do not find `{}` first",
        counted(eval.prompts, "prompt"),
        eval.id
    );
    if !thieves.is_empty() {
        message.push_str(&format!("; they find {}", thieves.join(", ")));
    }
    let mut reported = at_skill(Code::MISSED_PROMPTS, message, &eval.id, context)?;
    if !eval.proposed.is_empty() {
        let words = quoted(&eval.proposed);
        let help = format!("the missed prompts say {words}, and the description does not");
        reported.diagnostic = reported.diagnostic.help(help);
    }
    Some(reported)
}

/// Returns a diagnostic about the file of a skill.
pub(super) fn at_skill(
    code: Code,
    message: String,
    id: &Id,
    context: &CommandContext,
) -> Option<ReportedDiagnostic> {
    let entry = context.snapshot.get(id.as_str())?;
    let mut diagnostic = Diagnostic::new(code, message);
    diagnostic.path = entry.item().location.clone();
    let source = Arc::clone(&entry.origin().source);
    Some(ReportedDiagnostic::new(source, diagnostic))
}
