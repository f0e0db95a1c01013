//! The share of searches over a catalog within a budget that find the right skill.

use repertoire::catalog::{CatalogFormat, Overflow};
use repertoire::registry::{Layer, Origin, Snapshot, Tier, merge};
use repertoire::search::{ExpectedPrompt, SearchIndex};
use repertoire::skill::{Listing, ListingEntry, Revision, Stamp};
use repertoire::{Budget, Catalog, CatalogOptions, Skill};
use serde::Serialize;
use serde_json::Value;

use super::set::{Answer, Set};
use crate::Failure;

/// The hit rate of one strategy.
#[derive(Debug, Serialize)]
pub(super) struct BudgetRow {
    set: String,
    tokens: usize,
    strategy: &'static str,
    /// Skills that are listed.
    listed: usize,
    /// The share of the second half of each skill's prompts whose first hit is right.
    hit_1: f64,
}

const BUDGETS: [usize; 3] = [1_000, 2_000, 4_000];

/// Searches what each catalog lists for the second half of each skill's prompts; the first half is known when it is made.
pub(super) fn rows(set: &Set) -> Result<Vec<BudgetRow>, Failure> {
    let (asked, examples) = set.halves();
    let examples: Vec<ExpectedPrompt> = examples
        .iter()
        .filter_map(|question| {
            let skill = set.skill_of(question.gold.first()?)?;
            Some(ExpectedPrompt::new(question.q.as_str(), skill.as_str()))
        })
        .collect();
    let mut rows = Vec::new();
    for tokens in BUDGETS {
        let options = CatalogOptions::default()
            .format(CatalogFormat::Json)
            .budget(Budget::Tokens(tokens));
        for (strategy, options) in [
            ("cut from the end", options.clone().overflow(Overflow::Omit)),
            ("shorten", options.clone()),
            ("recall", options.by_recall(&set.snapshot, &examples)),
        ] {
            let listed = listed(&set.snapshot, &options)?;
            let index = SearchIndex::new(&listed);
            let answers = asked.iter().filter(|question| !question.gold.is_empty());
            let answers: Vec<Answer> = answers.map(|asked| set.answer(&index, asked)).collect();
            let hits = answers.iter().filter(|answer| answer.hit(1)).count();
            rows.push(BudgetRow {
                set: set.name.clone(),
                tokens,
                strategy,
                listed: listed.len(),
                hit_1: hits as f64 / answers.len().max(1) as f64,
            });
        }
    }
    Ok(rows)
}

/// Returns the skills of a catalog, with the descriptions that it shows.
fn listed(
    snapshot: &Snapshot<Skill>,
    options: &CatalogOptions,
) -> Result<Snapshot<Skill>, Failure> {
    let text = Catalog::new(snapshot, options).text;
    let document: Value = if text.is_empty() {
        serde_json::json!({ "skills": [] })
    } else {
        serde_json::from_str(&text)?
    };
    let skills = document["skills"].as_array();
    let skills = skills.ok_or("expected a list of skills")?;
    let skill = |row: &Value| {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let id = text("name").parse().ok()?;
        let skill = Skill::new(id, text("description"));
        Some(ListingEntry::new(skill, Stamp::of("")))
    };
    let rows: Vec<_> = skills.iter().filter_map(skill).collect();
    let listing = Listing::new(Revision(0), rows, []);
    Ok(merge(&[Layer::new(
        Origin::new(Tier::User, "home"),
        0,
        listing,
    )]))
}

/// Prints the rows as a table.
pub(super) fn print(rows: &[BudgetRow]) {
    for BudgetRow {
        set,
        tokens,
        strategy,
        listed,
        hit_1,
    } in rows
    {
        println!(
            "{set:<12} {tokens:>6} tokens, {strategy:<18} {listed:>5} listed, Hit@1 {:.1}",
            100.0 * hit_1
        );
    }
}
