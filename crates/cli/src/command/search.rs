//! `repertoire search`.

use std::num::NonZeroUsize;

use clap::Args;
use repertoire::permission::Audience;
use repertoire::registry::Tier;
use repertoire::search::{Explanation, MatchConfidence, Query};
use serde::Serialize;

use super::selection::ExposureOptions;
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::options::{Choice, at_least_one, one_of};
use crate::output::Output;
use crate::row::SkillRow;
use crate::table::TextTable;

/// Search skills by name, trigger, tag and description.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire search review a pull request\n  repertoire search --tag docs --seen-by model"
)]
pub(crate) struct SearchCommand {
    /// Search terms; omit to list every skill.
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Maximum number of results.
    #[arg(long, value_name = "N", default_value = "10", value_parser = at_least_one::<NonZeroUsize>)]
    limit: NonZeroUsize,
    /// Only skills visible to the model, or to the user.
    #[arg(long, value_name = "AUDIENCE", value_parser = one_of(AUDIENCES))]
    seen_by: Option<Audience>,
    /// Only skills of this tier.
    #[arg(long, value_name = "TIER")]
    tier: Option<Tier>,
    /// Only skills from this source.
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Only skills of this category.
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Only skills with this tag (repeat to require all).
    #[arg(long = "tag", value_name = "NAME")]
    tags: Vec<String>,
    /// Only skills that require, provide or pre-approve (`allowed-tools`) this tool.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    #[command(flatten)]
    exposure: ExposureOptions,
}

pub(super) const AUDIENCES: &[Choice<Audience>] = &[
    ("model", "Skills offered to a model", Audience::Model),
    ("user", "Skills that a user may invoke", Audience::User),
];

/// The skills that match a query.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct SearchOutput<'a> {
    query: String,
    /// The best match first.
    hits: Vec<HitRow<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct HitRow<'a> {
    skill: SkillRow<'a>,
    why: Explanation,
}

impl SearchCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let text = self.words.join(" ");
        // Without a limit: the labels filter the hits before they are counted.
        let query = self.query(&text).limit(context.snapshot.entries().len());
        let index = context.search_index().await?;
        let hits = index.search(&query).into_iter();
        let hits = hits
            .filter(|hit| self.exposure.labels.match_skill(hit.entry.item()))
            .take(self.limit.get());
        let hits = hits.map(|hit| {
            let entry = context
                .snapshot
                .get(hit.entry.id.as_str())
                .expect("the index is of this snapshot");
            HitRow {
                skill: SkillRow::of(entry, &entry.candidate, context),
                why: hit.why,
            }
        });
        let found = SearchOutput {
            hits: hits.collect(),
            query: text,
        };
        if out.write_json(&found) {
            return Ok(());
        }
        let mut table = TextTable::new(&["name", "source", "match"]);
        for HitRow { skill, why } in &found.hits {
            table.row([
                skill.id.as_str().into(),
                skill.source.into(),
                why.to_string().into(),
            ]);
        }
        table.write(out);
        match found.hits.first().map(|hit| hit.why.confidence) {
            None => out.note("no matching skills"),
            Some(MatchConfidence::NothingFits) => {
                out.note("nothing fits: these skills share only some words with the query");
            }
            Some(_) => {}
        }
        out.notes(context.pending());
        Ok(())
    }

    fn query(&self, text: &str) -> Query {
        let query = Query::new(text).modes(self.exposure.modes());
        let query = match self.seen_by {
            None => query.for_operator(),
            Some(audience) => query.seen_by(audience),
        };
        let query = self
            .tier
            .iter()
            .fold(query, |query, tier| query.tier(*tier));
        let query = self
            .from
            .iter()
            .fold(query, |query, source| query.source(source));
        let query = self
            .category
            .iter()
            .fold(query, |query, category| query.category(category));
        let query = self.tags.iter().fold(query, |query, tag| query.tag(tag));
        self.tool.iter().fold(query, |query, tool| query.tool(tool))
    }
}
