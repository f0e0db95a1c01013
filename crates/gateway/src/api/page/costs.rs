//! The view of costs: the tokens of the catalog and of each skill.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use futures_util::{StreamExt, stream};
use repertoire::catalog::{LineOutcome, Tokenizer};
use repertoire::{Budget, Catalog};

use super::frame::{Answer, Frame, show};
use super::rows::skill_link;
use crate::api::ApiState;

/// The most skills whose instructions are read for the view.
const MOST_READ: usize = 500;

/// The number of bodies that are read at once.
const TOGETHER: usize = 8;

#[derive(Template)]
#[template(path = "costs.html")]
struct CostsPage {
    frame: Frame,
    catalog: CatalogCost,
    rows: Vec<CostRow>,
}

/// The cost of the list of skills that a session begins with.
struct CatalogCost {
    tokens: usize,
    limit: Option<usize>,
    /// The number of skills that it names.
    listed: usize,
    /// The number of skills that it shortens or leaves out.
    cut: usize,
}

struct CostRow {
    id: String,
    link: String,
    listed: &'static str,
    class: &'static str,
    /// The tokens of its name and description.
    line: usize,
    /// The tokens of its instructions; `None` if they were not read.
    body: Option<usize>,
    /// The share of the bar, from 0 to 100.
    share: usize,
}

pub(super) async fn costs(State(api): State<ApiState>) -> Answer {
    let skills = api.gateway.registries()?.skills;
    let snapshot = skills.snapshot();
    let tokens = Tokenizer::default();
    let catalog = Catalog::new(&snapshot, &api.catalog);
    let lines = catalog.report.lines().iter();
    let outcomes: HashMap<&str, LineOutcome> =
        lines.map(|line| (line.id.as_str(), line.outcome)).collect();
    let read = snapshot.entries().iter().take(MOST_READ);
    let read: Vec<_> = read.map(Arc::clone).collect();
    let reading = stream::iter(read).map(|entry| {
        let skills = skills.clone();
        async move { skills.body(&entry.candidate).await }
    });
    let bodies: Vec<_> = reading.buffered(TOGETHER).collect().await;
    let mut bodies = bodies.into_iter();
    let mut rows: Vec<_> = snapshot
        .entries()
        .iter()
        .map(|entry| {
            let (id, description) = (entry.id.as_str(), &entry.item().description);
            let body = bodies.next().and_then(Result::ok);
            let (listed, class) = listed(outcomes.get(id));
            CostRow {
                id: id.to_owned(),
                link: skill_link(id),
                listed,
                class,
                line: tokens.estimate(&format!("{id}: {description}")),
                body: body.map(|body| tokens.estimate(&body.text)),
                share: 0,
            }
        })
        .collect();
    let most = rows.iter().map(CostRow::total).max().unwrap_or_default();
    for row in &mut rows {
        row.share = 100 * row.total() / most.max(1);
    }
    rows.sort_by_key(|row| Reverse(row.total()));
    let totals = catalog.report.totals();
    show(&CostsPage {
        frame: Frame::of("/costs"),
        catalog: CatalogCost {
            tokens: tokens.estimate(&catalog.text),
            limit: match catalog.report.budget {
                Budget::Tokens(limit) => Some(limit),
                _ => None,
            },
            listed: totals.full + totals.shortened + totals.name_only,
            cut: totals.shortened + totals.name_only + totals.left_out,
        },
        rows,
    })
}

/// Returns the part of a skill that sessions get at their begin, with its colour.
fn listed(outcome: Option<&LineOutcome>) -> (&'static str, &'static str) {
    match outcome {
        Some(LineOutcome::Full) => ("in full", "good"),
        Some(LineOutcome::Truncated { .. }) => ("shortened", "warning"),
        Some(LineOutcome::NameOnly) => ("by name", "warning"),
        Some(_) => ("left out", "error"),
        None => ("hidden", ""),
    }
}

impl CostRow {
    fn total(&self) -> usize {
        self.line + self.body.unwrap_or_default()
    }
}
