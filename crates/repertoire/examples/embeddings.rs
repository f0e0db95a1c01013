//! A second ranking of skills from an OpenAI-compatible embeddings endpoint, fused with the one by words.
//!
//! `EMBEDDINGS_KEY=… cargo run -p repertoire --example embeddings -- SKILLS https://api.openai.com/v1 text-embedding-3-small "QUESTION"`

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use repertoire::search::{LiveIndex, Query, Ranker, SearchIndex};
use repertoire::skill::async_trait;
use repertoire::{FsSource, Id, SkillRegistry};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Mutex;

type BoxError = Box<dyn Error + Send + Sync>;

/// A ranking by the cosine of embeddings. The endpoint gets names and descriptions, and each text once.
#[derive(Debug)]
pub(crate) struct EmbeddingRanker {
    index: LiveIndex,
    client: reqwest::Client,
    url: String,
    model: String,
    key: String,
    known: Mutex<HashMap<String, Vec<f32>>>,
}

impl EmbeddingRanker {
    pub(crate) fn new(index: LiveIndex, base: &str, model: &str, key: &str) -> Self {
        EmbeddingRanker {
            index,
            client: reqwest::Client::new(),
            url: format!("{base}/embeddings"),
            model: model.to_owned(),
            key: key.to_owned(),
            known: Mutex::default(),
        }
    }

    /// Returns the embedding of each text, all unknown ones with one request.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, BoxError> {
        let mut known = self.known.lock().await;
        let new = texts.iter().filter(|text| !known.contains_key(*text));
        let new: Vec<&String> = new.collect();
        if !new.is_empty() {
            let body = json!({ "model": self.model, "input": new, "encoding_format": "float" });
            let request = self.client.post(&self.url).bearer_auth(&self.key);
            let request = request.header("content-type", "application/json");
            let answer = request.body(body.to_string()).send().await?;
            let answer = answer.error_for_status()?.bytes().await?;
            let answer: Value = serde_json::from_slice(&answer)?;
            for row in answer["data"].as_array().ok_or("expected a list `data`")? {
                let place = row["index"].as_u64().ok_or("expected an `index`")?;
                let text = new.get(place as usize).ok_or("nothing has this `index`")?;
                let embedding = Vec::deserialize(&row["embedding"])?;
                known.insert((*text).clone(), embedding);
            }
        }
        let all = texts.iter().map(|text| known.get(text).cloned());
        Ok((all.collect::<Option<_>>()).ok_or("the endpoint omitted a text")?)
    }
}

#[async_trait]
impl Ranker for EmbeddingRanker {
    async fn rank(&self, text: &str, limit: usize) -> Result<Vec<Id>, BoxError> {
        let index = self.index.current();
        let entries = index.snapshot().entries();
        let mut texts: Vec<String> = (entries.iter())
            .map(|entry| format!("{}: {}", entry.id, entry.item().description))
            .collect();
        texts.push(text.to_owned());
        let mut embeddings = self.embed(&texts).await?;
        let asked = embeddings.pop().unwrap_or_default();
        let mut ranked: Vec<(f32, &Id)> = (embeddings.iter().zip(entries.iter()))
            .map(|(embedding, entry)| (cosine(&asked, embedding), &entry.id))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        Ok(ranked
            .into_iter()
            .take(limit)
            .map(|(_, id)| id.clone())
            .collect())
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt().max(f32::MIN_POSITIVE)
}

/// Returns the ids that fit `question`, the best first. Tools take a ranker with `ToolOptions::ranker`.
pub(crate) async fn search(
    index: &LiveIndex,
    ranker: Arc<dyn Ranker>,
    question: &str,
) -> Result<Vec<Id>, BoxError> {
    let query = Query::new(question);
    let ranked = ranker.rank(question, SearchIndex::depth(&query)).await?;
    let hits = index.current().search_with(&query, &ranked);
    Ok(hits.iter().map(|hit| hit.entry.id.clone()).collect())
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [skills, base, model, question] = arguments.as_slice() else {
        return Err("usage: embeddings SKILLS BASE_URL MODEL QUESTION".into());
    };
    let source = FsSource::new("skills", Path::new(skills));
    let index = LiveIndex::new(SkillRegistry::builder().user(source).load().await?);
    let key = std::env::var("EMBEDDINGS_KEY").unwrap_or_default();
    let ranker = EmbeddingRanker::new(index.clone(), base, model, &key);
    for id in search(&index, Arc::new(ranker), question).await? {
        println!("{id}");
    }
    Ok(())
}
