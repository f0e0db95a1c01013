//! Plain resources, as FastMCP serves skills: `skill://NAME/SKILL.md`, and `skill://NAME/_manifest` with every file.

use repertoire_core::{Omission, SourceError, SourceErrorKind};
use rmcp::model::{ClientRequest, ListResourcesRequest};
use serde_json::{Map, Value};

use super::{CatalogBuilder, invalid, to_json};
use crate::McpOptions;
use crate::connection::ServerConnection;
use crate::listed_skill::{ListedFields, ListedFile, ListedFiles, ListedSkill, files, text};
use repertoire_core::skill_uri::{SKILL_MD, ServerUri};
use repertoire_mcp_servers::{ListPages, message_excess};

pub(super) async fn list(
    connection: &ServerConnection,
    catalog: &mut CatalogBuilder<'_>,
) -> Result<(), SourceError> {
    let limits = &catalog.options.limits;
    let mut pages = ListPages::default();
    loop {
        let request = ListResourcesRequest {
            params: pages.params(),
            ..ListResourcesRequest::default()
        };
        let page = to_json(
            &connection
                .ask(ClientRequest::ListResourcesRequest(request))
                .await?,
        )?;
        let Some(rows) = page.get("resources").and_then(Value::as_array) else {
            return Err(SourceError::invalid(
                "the answer to `resources/list` has no `resources`",
            ));
        };
        for row in rows {
            // Other resources are not skills.
            let uri = row.get("uri").and_then(Value::as_str);
            if uri.is_some_and(|uri| {
                uri.starts_with("skill://") && uri.ends_with(&format!("/{SKILL_MD}"))
            }) {
                catalog.add(read(row), uri)?;
            }
        }
        if !pages.advance(&page, limits.pages)? {
            return Ok(());
        }
    }
}

pub(super) async fn entry(
    connection: &ServerConnection,
    old: &ListedSkill,
    options: &McpOptions,
) -> Result<ListedSkill, SourceError> {
    let address = format!("{}_manifest", old.uri.root());
    let (files, omitted) = match connection.read(&address).await {
        Ok((bytes, _)) => manifest(&bytes, &old.uri, options).map_err(invalid)?,
        // The server has no manifests. If the skill itself is gone, reading it returns the error.
        Err(error)
            if matches!(
                error.kind(),
                SourceErrorKind::NotFound | SourceErrorKind::Other
            ) =>
        {
            (ListedFiles::Alone(None), Vec::new())
        }
        Err(error) => return Err(error),
    };
    Ok(ListedSkill {
        files,
        omitted,
        ..old.clone()
    })
}

fn manifest(
    bytes: &[u8],
    uri: &ServerUri,
    options: &McpOptions,
) -> Result<(ListedFiles, Vec<Omission>), String> {
    if let Some(excess) = message_excess(bytes, options.limits.message_bytes) {
        return Err(format!("its manifest is too large: {excess}"));
    }
    let document: Value = serde_json::from_slice(bytes)
        .map_err(|error| format!("its manifest is not JSON: {error}"))?;
    let Some(rows) = document.get("files").and_then(Value::as_array) else {
        return Err("its manifest has no `files`".to_owned());
    };
    let rows = rows.iter().map(|row| {
        let written = row.get("path").and_then(Value::as_str).unwrap_or_default();
        ListedFile::parse(
            uri,
            &format!("{}{}", uri.root(), encoded(written)),
            row,
            "hash",
        )
    });
    files(rows, &options.limits)
}

fn encoded(path: &str) -> String {
    use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

    const NOT_IN_PATHS: &AsciiSet = &CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'#')
        .add(b'%')
        .add(b'<')
        .add(b'>')
        .add(b'?')
        .add(b'\\')
        .add(b'^')
        .add(b'`')
        .add(b'{')
        .add(b'|')
        .add(b'}');
    utf8_percent_encode(path, NOT_IN_PATHS).to_string()
}

fn read(row: &Value) -> Result<ListedSkill, String> {
    let uri = ServerUri::parse(text(row, "uri")?)?;
    let mut fields = Map::new();
    fields.insert("name".to_owned(), uri.folder().into());
    fields.insert("description".to_owned(), text(row, "description")?.into());
    Ok(ListedSkill {
        uri,
        fields: ListedFields::Partial(fields),
        files: ListedFiles::Beside,
        omitted: Vec::new(),
    })
}
