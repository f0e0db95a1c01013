//! The skills extension: a list of complete entries.

use repertoire_core::SourceError;
use rmcp::model::{ClientRequest, GetSkillRequest, GetSkillRequestParams, ListSkillsRequest};
use serde_json::Value;

use super::{Gathering, Pages, invalid, plain};
use crate::McpOptions;
use crate::entry::Entry;
use crate::link::Link;

pub(super) async fn list(link: &Link, gathered: &mut Gathering<'_>) -> Result<(), SourceError> {
    let limits = &gathered.options.limits;
    let mut pages = Pages::default();
    loop {
        let request = ListSkillsRequest { params: pages.params(), ..ListSkillsRequest::default() };
        let mut page = plain(&link.ask(ClientRequest::ListSkillsRequest(request)).await?)?;
        let Some(Value::Array(rows)) = page.get_mut("skills").map(Value::take) else {
            return Err(SourceError::invalid("the answer to `skills/list` has no `skills`"));
        };
        for row in rows {
            let uri = row.get("uri").and_then(Value::as_str).map(str::to_owned);
            gathered.add(Entry::read(row, limits), uri.as_deref())?;
        }
        if !pages.turn(&page, limits.pages)? {
            return Ok(());
        }
    }
}

pub(super) async fn entry(link: &Link, old: &Entry, options: &McpOptions) -> Result<Entry, SourceError> {
    let request = GetSkillRequest::new(GetSkillRequestParams::new(old.uri.as_str()));
    let mut answer = plain(&link.ask(ClientRequest::GetSkillRequest(request)).await?)?;
    let Some(row) = answer.get_mut("skill").map(Value::take) else {
        return Err(SourceError::invalid("the answer to `skills/get` has no `skill`"));
    };
    Entry::read(row, &options.limits).map_err(invalid)
}
