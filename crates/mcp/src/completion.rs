//! What may stand for a variable of the template.

use std::collections::BTreeSet;

use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use crate::Server;
use crate::resources::{TEMPLATE, unknown};
use repertoire::skill::skill_uri::{SkillRoot, encoded_path};

impl Server {
    /// What begins as it was typed: sources, the skills of one, the files of one skill. Of the arguments of prompts nobody knows
    /// what they may be.
    pub(crate) async fn complete(&self, request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        let found = match &request.r#ref {
            Reference::Resource(template) if template.uri == TEMPLATE => self.values(request).await,
            Reference::Resource(template) => return Err(unknown("template", &template.uri, None)),
            _ => BTreeSet::new(),
        };
        let fitting: Vec<String> =
            found.into_iter().filter(|value| value.starts_with(&request.argument.value)).collect();
        let total = fitting.len();
        let values = fitting.into_iter().take(CompletionInfo::MAX_VALUES).collect();
        let has_more = total > CompletionInfo::MAX_VALUES;
        let told = CompletionInfo::with_pagination(values, u32::try_from(total).ok(), has_more);
        Ok(CompleteResult::new(told.expect("no more than may be told were taken")))
    }

    async fn values(&self, request: &CompleteRequestParams) -> BTreeSet<String> {
        let view = self.view();
        let given = |name: &str| request.context.as_ref().and_then(|context| context.get_argument(name));
        let (source, skill) = (given("source"), given("skill"));
        let claims = view.rows.iter().map(|row| row.claim());
        match request.argument.name.as_str() {
            "source" => claims.map(|claim| claim.origin.source.to_string()).collect(),
            "skill" => {
                let is_of = |of: &str| source.is_none_or(|source| source == of);
                claims.filter(|claim| is_of(&claim.origin.source)).map(|claim| claim.item.id.to_string()).collect()
            }
            "path" => {
                let (Some(source), Some(skill)) = (source, skill) else { return BTreeSet::new() };
                let Some(row) = view.find(&SkillRoot::new(source, skill)) else { return BTreeSet::new() };
                // What cannot be read has no files to tell.
                let files = self.shelf().files(row).await;
                // The template leaves what is escaped as it is, so that this is what the place is made of.
                files.iter().flat_map(|files| files.files.iter()).map(|file| encoded_path(file.path.as_str())).collect()
            }
            _ => BTreeSet::new(),
        }
    }
}
