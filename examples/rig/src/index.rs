//! The skills that fit a prompt, as rig finds documents.
#![allow(clippy::result_large_err, reason = "the error is rig's")]

use repertoire::permission::Audience;
use repertoire::search::{LiveIndex, Query};
use rig_core::vector_store::request::{Filter, VectorSearchRequest};
use rig_core::vector_store::{
    VectorSearchIdResult, VectorSearchResult, VectorStoreError, VectorStoreIndex,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The skills that fit a prompt: `AgentBuilder::dynamic_context` puts them before the model, by words and without embeddings.
///
/// Scores are 1 for the best, 1/2 for the second and so on. Filters are the business of the registry and are refused.
#[derive(Debug, Clone)]
pub struct SkillIndex(pub(crate) LiveIndex);

impl SkillIndex {
    /// Returns the score, the id and the description of each hit, the best first.
    fn hits(
        &self,
        request: &VectorSearchRequest,
    ) -> Result<Vec<(f64, String, Value)>, VectorStoreError> {
        if request.filter().is_some() {
            return Err(VectorStoreError::DatastoreError(
                "skills are filtered by their registry".into(),
            ));
        }
        let most = usize::try_from(request.samples()).unwrap_or(usize::MAX);
        let hits = self
            .0
            .search(
                &Query::new(request.query())
                    .seen_by(Audience::Model)
                    .limit(most),
            )
            .into_iter();
        let scored = hits.enumerate().map(|(place, hit)| {
            let id = hit.entry.id.to_string();
            let about = json!({"skill": id, "description": hit.entry.item().description});
            (1.0 / (place + 1) as f64, id, about)
        });
        Ok(scored
            .filter(|(score, ..)| request.threshold().is_none_or(|least| *score >= least))
            .collect())
    }
}

impl VectorStoreIndex for SkillIndex {
    type Filter = Filter<Value>;

    async fn top_n<T: DeserializeOwned + Send>(
        &self,
        request: VectorSearchRequest,
    ) -> Result<Vec<VectorSearchResult<T>>, VectorStoreError> {
        let hits = self.hits(&request)?.into_iter();
        hits.map(|(score, id, about)| {
            Ok(VectorSearchResult {
                score,
                id,
                document: serde_json::from_value(about)?,
            })
        })
        .collect()
    }

    async fn top_n_ids(
        &self,
        request: VectorSearchRequest,
    ) -> Result<Vec<VectorSearchIdResult>, VectorStoreError> {
        Ok(self
            .hits(&request)?
            .into_iter()
            .map(|(score, id, _)| VectorSearchIdResult { score, id })
            .collect())
    }
}
