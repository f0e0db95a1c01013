//! What lists and searches answer.

use std::sync::Arc;

use repertoire_core::{Id, Skill};
use repertoire_registry::{Entry, Trust};
use serde_json::{Map, Value, json};

use super::answer::{Answer, AnswerCode, Failure};
use super::arguments::Arguments;
use super::preset::Rows;
use super::toolset::{LONGEST_PAGE, Toolset, USUAL_PAGE, quoted};
use crate::Index;

/// Skills that a search answers.
const MATCHES: usize = 10;

impl Toolset {
    pub(super) async fn list(&self, arguments: &Arguments<'_>, suggested: &[Id]) -> Result<Answer, Failure> {
        if self.0.options.preset.rows != Rows::Pages {
            let rows: Value = self.0.visible.iter().map(|entry| self.row(entry, suggested)).collect();
            let text = if self.0.options.preset.rows == Rows::Array { rows } else { json!({"skills": rows}) };
            return Ok(Answer::ok(format!("{text:#}")));
        }
        let limit = arguments.number("limit")?.unwrap_or(USUAL_PAGE).clamp(1, LONGEST_PAGE);
        let query = arguments.text("query")?.map(str::trim).filter(|query| !query.is_empty());
        let (found, trouble) = match query {
            None => (self.0.visible.clone(), None),
            Some(query) => self.ranked(query, LONGEST_PAGE).await,
        };
        let first = match arguments.text("cursor")? {
            None => 0,
            Some(cursor) => match found.iter().position(|entry| entry.id.as_str() == cursor) {
                Some(last) => last + 1,
                None => {
                    let text =
                        format!("The list has changed and has no {} any more: list from the start.", quoted(cursor));
                    return Err(Failure::new(AnswerCode::Stale, text));
                }
            },
        };
        let page = &found[first..found.len().min(first + limit)];
        let rows: Value = page.iter().map(|entry| self.row(entry, suggested)).collect();
        let mut text = json!({"skills": rows, "total": found.len()});
        if let (Some(last), true) = (page.last(), first + limit < found.len()) {
            text["next_cursor"] = last.id.as_str().into();
        }
        Ok(Answer { trouble, ..Answer::ok(format!("{text:#}")) })
    }

    pub(super) async fn search(&self, arguments: &Arguments<'_>, suggested: &[Id]) -> Result<Answer, Failure> {
        let Some(query) = arguments.written("query")? else {
            return Err(arguments.missing("query", "say in a few words what you need"));
        };
        let (found, trouble) = if query.trim().is_empty() {
            // Nothing is in everything.
            let most = if self.0.options.preset.rows == Rows::Pages { MATCHES } else { usize::MAX };
            (self.0.visible.iter().take(most).cloned().collect(), None)
        } else {
            self.ranked(query, MATCHES).await
        };
        let matches: Value = found.iter().map(|entry| self.row(entry, suggested)).collect();
        let text = format!("{:#}", json!({"query": query, "matches": matches}));
        Ok(Answer { trouble, ..Answer::ok(text) })
    }

    /// The best skills for `text`; and what kept another ranking from having its say.
    async fn ranked(&self, text: &str, limit: usize) -> (Vec<Arc<Entry<Skill>>>, Option<String>) {
        let (query, index) = (self.query(text).limit(limit), &self.0.index);
        let (hits, trouble) = match &self.0.options.ranker {
            None => (index.search(&query), None),
            Some(ranker) => match ranker.rank(text, Index::depth(&query)).await {
                Ok(ranked) => (index.search_with(&query, &ranked), None),
                Err(error) => (index.search(&query), Some(format!("skills were ranked by words alone: {error}"))),
            },
        };
        (hits.into_iter().map(|hit| hit.entry).collect(), trouble)
    }

    /// A skill as lists and searches have it. Being suggested marks it, and moves it nowhere.
    fn row(&self, entry: &Entry<Skill>, suggested: &[Id]) -> Value {
        let key = if self.0.options.preset.rows == Rows::Named { "name" } else { "id" };
        let description = repertoire_core::text::clean_line(&entry.item().description);
        let description = if description.is_empty() { "(no description)" } else { &description };
        let mut row = Map::new();
        row.insert(key.to_owned(), entry.id.as_str().into());
        row.insert("description".to_owned(), description.into());
        if entry.claim.trust != Trust::Trusted {
            row.insert("source".to_owned(), repertoire_core::text::clean_line(&entry.origin().source).into());
        }
        if suggested.contains(&entry.id) {
            row.insert("suggested".to_owned(), true.into());
        }
        row.into()
    }
}
