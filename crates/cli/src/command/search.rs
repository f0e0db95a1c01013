//! `repertoire search`.

use std::io;
use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};
use repertoire::{Audience, Index, Query, Tier, Why};
use serde::Serialize;
use serde_json::Value;

use super::modes::Offered;
use crate::Stream;
use crate::answer::{Answer, json};
use crate::arguments::at_least_one;
use crate::row::Row;
use crate::session::Session;
use crate::table::{Cell, Table};

/// Find skills by words: in their names, triggers, tags and descriptions, the best first.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// What you need, in a few words; without words, every skill.
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// At most so many skills.
    #[arg(long, value_name = "N", default_value_t = HITS, value_parser = at_least_one::<NonZeroUsize>)]
    limit: NonZeroUsize,
    /// Among what the model or the user may see, and not among everything.
    #[arg(long, value_enum)]
    seen_by: Option<Eyes>,
    /// Only skills of this tier.
    #[arg(long, value_name = "TIER")]
    tier: Option<Tier>,
    /// Only skills of this source.
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Only skills of this category.
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Only skills with this tag; several must all be there.
    #[arg(long = "tag", value_name = "NAME")]
    tags: Vec<String>,
    /// Only skills that need, bring or pre-approve this tool.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    #[command(flatten)]
    offered: Offered,
}

/// So many skills, unless more are asked for.
const HITS: NonZeroUsize = NonZeroUsize::new(10).expect("it is not zero");

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Eyes {
    /// What reaches a model.
    Model,
    /// What a user may call.
    User,
}

/// What was found.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Found<'a> {
    query: String,
    /// The best first.
    hits: Vec<One<'a>>,
    #[serde(skip)]
    pending: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct One<'a> {
    skill: Row<'a>,
    why: Why,
}

impl Search {
    pub(crate) fn answer<'a>(&self, session: &'a Session<'_>) -> impl Answer + 'a {
        let text = self.words.join(" ");
        // All of them, so that the limit counts what is left of them.
        let all = self.query(&text).limit(session.snapshot.entries().len());
        let hits = Index::of(&session.snapshot).search(&all).into_iter();
        let hits = hits.filter(|hit| self.offered.labels.fit(hit.entry.item())).take(self.limit.get());
        let one = |hit: repertoire::Hit| {
            let entry = session.snapshot.get(hit.entry.id.as_str()).expect("the index is of this snapshot");
            One { skill: Row::of(entry, &entry.claim, session), why: hit.why }
        };
        Found { query: text, hits: hits.map(one).collect(), pending: session.pending() }
    }

    fn query(&self, text: &str) -> Query {
        let query = Query::new(text).modes(self.offered.modes());
        let query = match self.seen_by {
            None => query.for_operator(),
            Some(Eyes::Model) => query.seen_by(Audience::Model),
            Some(Eyes::User) => query.seen_by(Audience::User),
        };
        let query = self.tier.iter().fold(query, |query, tier| query.tier(*tier));
        let query = self.from.iter().fold(query, |query, source| query.source(source));
        let query = self.category.iter().fold(query, |query, category| query.category(category));
        let query = self.tags.iter().fold(query, |query, tag| query.tag(tag));
        self.tool.iter().fold(query, |query, tool| query.tool(tool))
    }
}

impl Answer for Found<'_> {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let mut table = Table::new(&["name", "source", "found by"]);
        for One { skill, why } in &self.hits {
            table.row([skill.id.as_str().into(), skill.source.into(), Cell::from(why.to_string())]);
        }
        let coloured = out.is_coloured();
        table.write(out, coloured)
    }

    fn notes(&self) -> Vec<String> {
        let none = self.hits.is_empty().then(|| "no skill fits; `repertoire list` shows every skill".to_owned());
        none.into_iter().chain(self.pending.clone()).collect()
    }
}
