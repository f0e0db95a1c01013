//! `repertoire match`.

use std::num::NonZeroUsize;

use clap::Args;
use repertoire::catalog::{LineOutcome, OutcomeTotals};
use repertoire::search::{Explanation, MatchConfidence, Query, SearchHit};
use repertoire::session::Turn;
use repertoire::trigger::{MatchedBy, TriggerMatch, Triggers};
use repertoire::{Budget, Catalog, CatalogOptions, Id};
use serde::Serialize;
use serde_json::Value;

use super::catalog::{Window, window};
use super::selection::ExposureOptions;
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::options::at_least_one;
use crate::output::{Output, to_json};
use crate::row::SkillRow;
use crate::table::TextTable;

/// Show which skills a prompt finds, and why.
///
/// Prints the score of each skill, and how much of it the catalog of a model contains. Then prints the triggers that fire.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire match 'fill in this tax form'\n  repertoire match --window 200000 'write the release notes'"
)]
pub(crate) struct MatchCommand {
    /// The prompt of a user.
    #[arg(value_name = "PROMPT", required = true)]
    words: Vec<String>,
    /// Maximum number of results.
    #[arg(long, value_name = "N", default_value = "5", value_parser = at_least_one::<NonZeroUsize>)]
    limit: NonZeroUsize,
    /// Token budget of the catalog.
    #[arg(long, value_name = "N", conflicts_with = "window")]
    tokens: Option<usize>,
    /// Context window of the model in tokens. The catalog gets 2 % of it; for `unknown`, 8000 characters.
    #[arg(long, value_name = "N|unknown", default_value = "unknown", value_parser = window)]
    window: Window,
    #[command(flatten)]
    exposure: ExposureOptions,
}

/// The skills that a prompt finds.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct MatchOutput<'a> {
    prompt: String,
    /// The confidence of the first hit; absent without hits.
    confidence: Option<MatchConfidence>,
    /// The best match first.
    hits: Vec<MatchRow<'a>>,
    /// The triggers that fire, in their order.
    triggers: Vec<FiredTrigger>,
    catalog: CatalogRoom,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MatchRow<'a> {
    skill: SkillRow<'a>,
    score: f32,
    /// The score beyond that of the next hit; absent for the last one.
    margin: Option<f32>,
    /// The part of it in the catalog; absent for a skill that no model sees.
    listed: Option<LineOutcome>,
    why: Explanation,
}

/// A trigger that fires on the prompt.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FiredTrigger {
    id: Id,
    /// The trigger, as in `keyword review`; `mention` if the prompt names the skill.
    by: String,
    /// `true` if it activates the skill, `false` if it suggests it.
    activates: bool,
}

/// The size of the catalog at the budget of the model.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CatalogRoom {
    budget: Budget,
    used: usize,
    totals: OutcomeTotals,
}

impl MatchCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let prompt = self.words.join(" ");
        let index = context.search_index().await?;
        // One more, for the margin of the last.
        let query = Query::new(&*prompt).modes(self.exposure.modes());
        let query = query.for_operator().limit(self.limit.get() + 1);
        let found = index.search(&query);
        let report = self.catalog(context).report;
        let listed = |id: &Id| {
            report
                .lines()
                .iter()
                .find(|line| line.id == *id)
                .map(|line| line.outcome)
        };
        let margin = |at: usize| Some(found[at].why.score - found.get(at + 1)?.why.score);
        let rows = found.iter().enumerate().take(self.limit.get());
        let rows = rows.map(|(at, hit): (usize, &SearchHit)| {
            let entry = context
                .snapshot
                .get(hit.entry.id.as_str())
                .expect("the index is of this snapshot");
            MatchRow {
                skill: SkillRow::of(entry, &entry.candidate, context),
                score: hit.why.score,
                margin: margin(at),
                listed: listed(&entry.id),
                why: hit.why.clone(),
            }
        });
        let triggers =
            Triggers::new(&context.snapshot).fired(&Turn::new(&*prompt), &self.exposure.modes());
        let matched = MatchOutput {
            confidence: found.first().map(|hit| hit.why.confidence),
            hits: rows.collect(),
            triggers: triggers.iter().map(FiredTrigger::of).collect(),
            catalog: CatalogRoom {
                budget: report.budget,
                used: report.used,
                totals: report.totals(),
            },
            prompt,
        };
        if !out.write_json(&matched) {
            matched.write(out);
            out.notes(context.pending());
        }
        Ok(())
    }

    fn catalog(&self, context: &CommandContext) -> Catalog {
        let budget = match self.tokens {
            Some(tokens) => Budget::Tokens(tokens),
            None => Budget::for_window(self.window),
        };
        let options = CatalogOptions::default()
            .budget(budget)
            .modes(self.exposure.modes());
        Catalog::new(&context.snapshot, &options)
    }
}

impl FiredTrigger {
    fn of(fired: &TriggerMatch) -> FiredTrigger {
        let by = match &fired.by {
            MatchedBy::Declared(trigger) => match to_json(trigger) {
                Value::Object(fields) => fields
                    .iter()
                    .map(|(kind, text)| format!("{kind} {}", text.as_str().unwrap_or_default()))
                    .collect(),
                other => other.as_str().unwrap_or_default().to_owned(),
            },
            _ => "mention".to_owned(),
        };
        FiredTrigger {
            id: fired.entry.id.clone(),
            by,
            activates: fired.activates(),
        }
    }
}

impl MatchOutput<'_> {
    fn write(&self, out: &mut Output) {
        let mut table = TextTable::new(&["name", ">score", ">margin", "catalog", "match"]);
        for row in &self.hits {
            table.row([
                row.skill.id.as_str().into(),
                format!("{:.2}", row.score).into(),
                row.margin
                    .map_or_else(String::new, |margin| format!("{margin:.2}"))
                    .into(),
                listed_text(row.listed).into(),
                row.why.to_string().into(),
            ]);
        }
        table.write(out);
        for FiredTrigger { id, by, activates } in &self.triggers {
            let effect = if *activates { "activates" } else { "suggests" };
            out.line(format!("trigger: {by} {effect} {id}"));
        }
        out.note(match self.confidence {
            None => "no matching skills".to_owned(),
            Some(MatchConfidence::NothingFits) => {
                "nothing fits: these skills share only some words with the prompt".to_owned()
            }
            Some(MatchConfidence::MayFit) => "the first skill may fit".to_owned(),
            Some(_) => "the first skill fits well".to_owned(),
        });
    }
}

fn listed_text(listed: Option<LineOutcome>) -> String {
    match listed {
        None => "hidden".to_owned(),
        Some(LineOutcome::Full) => "in full".to_owned(),
        Some(LineOutcome::Truncated { to }) => format!("cut to {to}"),
        Some(LineOutcome::NameOnly) => "name only".to_owned(),
        Some(_) => "omitted".to_owned(),
    }
}
