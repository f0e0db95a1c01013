//! The index resource of the extension's drafts: one document that names every skill.

use repertoire_core::{Code, SourceError, SourceErrorKind};
use reqwest::Url;
use serde_json::{Map, Value};

use super::{CatalogBuilder, invalid};
use crate::McpOptions;
use crate::connection::ServerConnection;
use crate::error::{excerpt, too_large};
use crate::listed_skill::{ListedFields, ListedFiles, ListedSkill, digest, text};
use repertoire_core::skill_uri::ServerUri;
use repertoire_mcp_servers::message_excess;

const INDEX: &str = "skill://index.json";

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

pub(super) async fn is_there(
    connection: &ServerConnection,
    options: &McpOptions,
) -> Result<bool, SourceError> {
    match document(connection, options).await {
        Ok(_) => Ok(true),
        // A server may answer a request for an unknown URI with any error.
        Err(error) if error.kind() != SourceErrorKind::Unavailable => Ok(false),
        Err(error) => Err(error),
    }
}

pub(super) async fn list(
    connection: &ServerConnection,
    catalog: &mut CatalogBuilder<'_>,
) -> Result<(), SourceError> {
    let index = document(connection, catalog.options).await?;
    if let Some(schema) = index.get("$schema").and_then(Value::as_str)
        && schema != SCHEMA
    {
        return Err(SourceError::invalid(format!(
            "the index is of an unknown version, `{}`",
            excerpt(schema)
        )));
    }
    for row in index
        .get("skills")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let kind = row
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("skill-md");
        if kind != "skill-md" {
            let message = format!(
                "a skill of the type `{}` cannot be read; only `skill-md` can",
                excerpt(kind)
            );
            catalog.report(
                Code::MCP_ENTRY,
                &message,
                row.get("url").and_then(Value::as_str),
            );
            continue;
        }
        catalog.add(
            read(row),
            row.get("url").or(row.get("name")).and_then(Value::as_str),
        )?;
    }
    Ok(())
}

pub(super) async fn entry(
    connection: &ServerConnection,
    old: &ListedSkill,
    options: &McpOptions,
) -> Result<ListedSkill, SourceError> {
    let index = document(connection, options).await?;
    let rows = index
        .get("skills")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let entry = rows
        .map(read)
        .find(|entry| entry.as_ref().is_ok_and(|entry| entry.uri == old.uri));
    match entry {
        Some(entry) => entry.map_err(invalid),
        None => Err(SourceError::new(
            SourceErrorKind::NotFound,
            "the index does not list the skill any more",
        )),
    }
}

async fn document(
    connection: &ServerConnection,
    options: &McpOptions,
) -> Result<Value, SourceError> {
    let (bytes, _) = connection.read(INDEX).await?;
    if bytes.len() > options.limits.list_bytes {
        return Err(too_large(format!(
            "the index has more than {} bytes",
            options.limits.list_bytes
        )));
    }
    if let Some(excess) = message_excess(&bytes, options.limits.message_bytes) {
        return Err(too_large(excess));
    }
    serde_json::from_slice(&bytes)
        .map_err(|error| SourceError::invalid("the index is not JSON").caused_by(error))
}

fn read(row: &Value) -> Result<ListedSkill, String> {
    let name = text(row, "name")?;
    let mut fields = Map::new();
    fields.insert("name".to_owned(), name.into());
    fields.insert("description".to_owned(), text(row, "description")?.into());
    // The version before 0.2.0 has no URL: the folder has the name of the skill.
    let uri = match row.get("url").and_then(Value::as_str) {
        Some(url) => ServerUri::parse(&resolved(url)?)?,
        None => ServerUri::parse(&format!("skill://{name}/SKILL.md"))?,
    };
    let digest = row
        .get("digest")
        .and_then(Value::as_str)
        .map(digest)
        .transpose()?;
    Ok(ListedSkill {
        uri,
        fields: ListedFields::Partial(fields),
        files: ListedFiles::Alone(digest),
        omitted: Vec::new(),
    })
}

fn resolved(url: &str) -> Result<String, String> {
    if url.contains("://") {
        return Ok(url.to_owned());
    }
    let base = Url::parse(INDEX).map_err(|error| error.to_string())?;
    base.join(url)
        .map(String::from)
        .map_err(|error| format!("`{}` is not a URL: {error}", excerpt(url)))
}
