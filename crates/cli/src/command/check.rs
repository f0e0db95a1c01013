//! `repertoire check`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
#[cfg(feature = "gateway")]
use repertoire::registry::Status;
use repertoire::search::{Query, SearchIndex, SkillOverlap};
use repertoire::skill::skill_md::{self, FileContext, Limits};
use repertoire::skill::{Code, Diagnostic, Strictness};
use serde::Serialize;

use super::eval::at_skill;
use super::list::nothing_found;
use crate::context::CommandContext;
use crate::diagnostics::{Counts, QuotableFolders, ReportedDiagnostic, counted, quoted};
use crate::environment::Program;
use crate::options::ConnectableFolders;
use crate::output::{Format, Output};
use crate::{fields, sarif};

/// Check skills for problems.
#[derive(Debug, Args)]
#[command(
    visible_alias = "validate",
    after_help = "Examples:\n  repertoire check\n  repertoire check .claude/skills --strict\n  repertoire check . --format sarif\n  repertoire check --overlap"
)]
pub(crate) struct CheckCommand {
    #[command(flatten)]
    pub(super) searched: ConnectableFolders,
    /// Apply the reference validator's rules, and treat warnings as errors.
    #[arg(long)]
    strict: bool,
    /// Also report pairs of skills whose descriptions compete for the same prompts.
    #[arg(long)]
    overlap: bool,
}

/// The share of the score of a skill, in a search for its own description, from which on another one competes with it.
///
/// Of 978 public skills of one vendor, 37 pairs do, with names such as `drag-and-drop` and `lwc-drag-and-drop`.
pub(super) const COMPETING: f32 = 0.75;

/// The problems of skills.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CheckOutput<'a> {
    strict: bool,
    skills: usize,
    #[serde(flatten)]
    counts: Counts,
    diagnostics: &'a [ReportedDiagnostic],
}

impl CheckCommand {
    pub(super) async fn run(&self, context: &CommandContext, program: Program, out: &mut Output) {
        let diagnostics = self.diagnostics(context).await;
        let (strict, skills, counts) = (
            self.strict,
            context.snapshot.len(),
            Counts::of(&diagnostics),
        );
        out.found_problems(counts.errors > 0 || strict && counts.warnings > 0);
        if out.format() == Format::Sarif {
            return out.document(&sarif::log(&diagnostics, &context.cwd, program));
        }
        if out.write_json(&CheckOutput {
            strict,
            skills,
            counts,
            diagnostics: &diagnostics,
        }) {
            return;
        }
        let mut printer = context.printer(out);
        diagnostics
            .iter()
            .for_each(|reported| printer.write(reported, out));
        out.line(format!(
            "{} checked: {}",
            counted(skills, "skill"),
            counts.sentence()
        ));
        out.notes((skills == 0).then(|| nothing_found(&self.searched.folders)));
    }

    async fn diagnostics(&self, context: &CommandContext) -> Vec<ReportedDiagnostic> {
        let mut diagnostics = with_bodies(context.diagnostics(), context).await;
        #[cfg(feature = "gateway")]
        diagnostics.extend(unready(context));
        diagnostics.extend(fields::diagnostics(context).await);
        if self.strict {
            diagnostics = judge_strictly(diagnostics, context);
        }
        // After the strict verdict, which parses again only what was parsed as instructions.
        let of_parts = context.registry.part_diagnostics(&context.snapshot).await;
        diagnostics.extend(of_parts.iter().map(ReportedDiagnostic::of));
        if self.overlap {
            diagnostics.extend(overlaps(context));
        }
        // A search that ended early comes first: the other results are incomplete.
        diagnostics.sort_by_key(|reported| reported.diagnostic.code != Code::WALK_TRUNCATED);
        diagnostics
    }
}

/// Returns a diagnostic for each active skill that needs tools which the MCP servers of the configuration cannot offer.
#[cfg(feature = "gateway")]
fn unready(context: &CommandContext) -> Vec<ReportedDiagnostic> {
    let Some(servers) = &context.servers else {
        return Vec::new();
    };
    let entries = context.snapshot.entries().iter();
    let active = entries.filter(|entry| entry.candidate.status == Status::Active);
    let reported = active.filter_map(|entry| {
        let source = Arc::clone(&entry.origin().source);
        let diagnostic = servers.diagnostic(&entry.candidate)?;
        Some(ReportedDiagnostic::new(source, diagnostic))
    });
    reported.collect()
}

/// Returns a diagnostic for each pair of active skills whose descriptions compete.
fn overlaps(context: &CommandContext) -> Vec<ReportedDiagnostic> {
    let index = SearchIndex::new(&context.snapshot);
    let query = Query::new("").for_operator();
    let pairs = index.overlaps(&query, COMPETING).into_iter();
    let reported = pairs.filter_map(|SkillOverlap { entry, other, share, words, .. }: SkillOverlap| {
        let message = format!(
            "the descriptions of `{}` and `{}` compete: a search for the first one gives the second {:.0} % of its score",
            entry.id,
            other.id,
            100.0 * share
        );
        let help = format!(
            "say what only this skill does, or merge them; both say {}",
            quoted(&words)
        );
        let mut reported = at_skill(Code::OVERLAPPING_DESCRIPTIONS, message, &entry.id, context)?;
        reported.diagnostic.other = other.item().location.clone();
        reported.diagnostic.help = Some(help);
        Some(reported)
    });
    reported.collect()
}

/// Inserts the diagnostics of bodies, each after the last diagnostic of its file.
async fn with_bodies(
    mut all: Vec<ReportedDiagnostic>,
    context: &CommandContext,
) -> Vec<ReportedDiagnostic> {
    for found in context.registry.body_diagnostics(&context.snapshot).await {
        let mut found = ReportedDiagnostic::of(&found);
        let Diagnostic {
            path,
            message,
            help,
            ..
        } = &mut found.diagnostic;
        if path
            .as_deref()
            .is_some_and(|path| context.is_behind_a_link(&found.source, path))
        {
            // The message quotes the body, and a link may lead to any file.
            "the file is reached through a link, so its body is not quoted".clone_into(message);
            *help = None;
        }
        let is_same_file = |other: &ReportedDiagnostic| {
            other.source == found.source && other.diagnostic.path == found.diagnostic.path
        };
        let place = all
            .iter()
            .rposition(is_same_file)
            .map_or(all.len(), |last| last + 1);
        all.insert(place, found);
    }
    all
}

/// Returns the diagnostics under the strict verdict: parses files again, and weighs every other diagnostic by its code.
fn judge_strictly(
    diagnostics: Vec<ReportedDiagnostic>,
    context: &CommandContext,
) -> Vec<ReportedDiagnostic> {
    let mut of_files: BTreeMap<(Arc<str>, Arc<str>), Vec<ReportedDiagnostic>> = BTreeMap::new();
    let mut rest = Vec::new();
    for reported in diagnostics {
        match reported.diagnostic.path.clone() {
            Some(path) => of_files
                .entry((Arc::clone(&reported.source), path))
                .or_default()
                .push(reported),
            None => rest.push(reported),
        }
    }
    for layer in context.snapshot.layers() {
        for row in layer.listing.iter() {
            if let Some(path) = &row.item.location {
                of_files
                    .entry((Arc::clone(&layer.origin.source), Arc::clone(path)))
                    .or_default();
            }
        }
    }
    let quotable = context.quotable_folders();
    let mut judged = Vec::new();
    for ((source, path), mut found) in of_files {
        if context.may_quote(&source, &path)
            && let Some((lenient, strict)) = parse_again(&quotable, &source, &path)
            // A source that parses its files differently keeps its own verdict.
            && lenient.iter().all(|diagnostic| found.contains(diagnostic))
        {
            found.retain(|diagnostic| !lenient.contains(diagnostic));
            judged.extend(strict);
        }
        judged.extend(found.into_iter().map(weigh));
    }
    judged.extend(rest.into_iter().map(weigh));
    judged
}

fn weigh(reported: ReportedDiagnostic) -> ReportedDiagnostic {
    ReportedDiagnostic::new(
        reported.source,
        reported.diagnostic.under(Strictness::Strict),
    )
}

fn parse_again(
    quotable: &QuotableFolders,
    source: &Arc<str>,
    path: &str,
) -> Option<(Vec<ReportedDiagnostic>, Vec<ReportedDiagnostic>)> {
    let file = Path::new(path);
    let bytes = quotable.read(source, file)?;
    let folder = file.parent()?.file_name()?.to_string_lossy();
    let [lenient, strict] = [Strictness::Lenient, Strictness::Strict].map(|strictness| {
        let parsed = skill_md::parse_with(
            &bytes,
            FileContext::new(path).in_directory(&folder),
            &Limits::default(),
            strictness,
        );
        let diagnostics = parsed.diagnostics.into_iter();
        diagnostics
            .map(|diagnostic| ReportedDiagnostic::new(Arc::clone(source), diagnostic))
            .collect()
    });
    Some((lenient, strict))
}
