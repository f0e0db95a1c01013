//! Skills as resources.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use repertoire::skill::{Bytes, text};
use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};

use crate::Server;
use crate::origin::{hidden_in, origin_of, with_diagnostic};
use crate::page::Page;
use crate::shelf::Unread;
use crate::view::Row;
use repertoire::skill::skill_uri::SkillAddress;

/// The digest of what was read, so that a client sees which version it has.
const DIGEST: &str = "repertoire/digest";

const MARKDOWN: &str = "text/markdown";

/// How often a file is read anew when it was another than the one that was told of.
const TRIES: usize = 2;

impl Server {
    pub(crate) fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let view = self.view();
        let page = Page::of(request.as_ref(), self.version(view.since.resources))?;
        let (rows, next) = page.cut(&view.rows, self.options().page);
        let mut result = ListResourcesResult::with_all_items(rows.iter().map(resource).collect());
        result.next_cursor = next;
        Ok(result)
    }

    pub(crate) async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let place = SkillAddress::parse(uri).ok_or_else(|| not_found(uri))?;
        let path = place.path.as_ref().ok_or_else(|| not_found(uri))?;
        let mut tries = TRIES;
        loop {
            let view = self.view();
            let row = view.find(&place.root).ok_or_else(|| not_found_but(uri, view.like(&place.root)))?;
            tries -= 1;
            match self.shelf().read(row, path).await {
                Ok((bytes, digest)) => {
                    let mut meta = with_diagnostic(origin_of(row), hidden_in(&bytes).as_ref());
                    meta.0.insert(DIGEST.to_owned(), digest.to_string().into());
                    let contents = contents(&bytes, uri).with_mime_type(mime_type(path.as_str())).with_meta(meta);
                    return Ok(ReadResourceResult::new(vec![contents]));
                }
                Err(Unread::Moved) if tries > 0 => {}
                Err(Unread::NoFile) => return Err(self.no_file(uri, row).await),
                Err(error) => return Err(unread(uri, &error)),
            }
        }
    }
}

impl Server {
    /// The answer for a file that a skill does not have, with those that it has.
    async fn no_file(&self, uri: &str, row: &Row) -> ErrorData {
        let Ok(files) = self.shelf().files(row).await else { return not_found(uri) };
        let named: Vec<_> =
            files.files.iter().take(20).map(|file| format!("`{}`", shown(file.path.as_str()))).collect();
        let more = if files.files.len() > named.len() { " and more" } else { "" };
        let message = format!("no resource `{}`; the skill has {}{more}", shown(uri), named.join(", "));
        ErrorData::resource_not_found(message, None)
    }
}

/// Where every file of every skill is.
pub(crate) const TEMPLATE: &str = "skill://{source}/{skill}/{+path}";

/// The one list that never changes.
pub(crate) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(TEMPLATE, "skill-file")
        .with_title("A file of a skill")
        .with_description("`SKILL.md` has the instructions; the files that it names lie beside it.");
    ListResourceTemplatesResult::with_all_items(vec![template])
}

fn resource(row: &Row) -> Resource {
    let claim = row.claim();
    // The name is a label, so what tells two of one name apart stands beside it.
    Resource::new(row.root.skill_md(), claim.item.id.as_str())
        .with_title(row.id().to_string())
        .with_description(text::clean(&claim.item.description))
        .with_mime_type(MARKDOWN)
        .with_meta(origin_of(row))
}

/// Text where the bytes are text, which JSON carries without a change; else base64.
fn contents(bytes: &Bytes, uri: &str) -> ResourceContents {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => ResourceContents::text(text, uri),
        _ => ResourceContents::blob(STANDARD.encode(bytes), uri),
    }
}

/// What a file is, as far as its name tells.
pub(crate) fn mime_type(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).as_deref() {
        Some("md" | "markdown") => MARKDOWN,
        Some("json") => "application/json",
        Some("yaml" | "yml") => "application/yaml",
        Some("toml") => "application/toml",
        Some("html" | "htm") => "text/html",
        Some("css") => "text/css",
        Some("csv") => "text/csv",
        Some("js" | "mjs" | "cjs") => "text/javascript",
        Some("py") => "text/x-python",
        Some("sh" | "bash") => "application/x-sh",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("pdf") => "application/pdf",
        Some("zip") => "application/zip",
        Some("txt" | "rs" | "ts" | "tsx" | "go" | "rb" | "java" | "c" | "h" | "cpp" | "sql" | "ini" | "cfg") => {
            "text/plain"
        }
        _ => "application/octet-stream",
    }
}

pub(crate) fn not_found(uri: &str) -> ErrorData {
    not_found_but(uri, None)
}

/// Returns the error for a URI that leads nowhere, with the skill that the client may mean.
fn not_found_but(uri: &str, meant: Option<&Row>) -> ErrorData {
    ErrorData::resource_not_found(format!("no resource `{}`{}", shown(uri), tip(meant)), None)
}

pub(crate) fn unknown(what: &str, uri: &str, meant: Option<&Row>) -> ErrorData {
    ErrorData::invalid_params(format!("no {what} `{}`{}", shown(uri), tip(meant)), None)
}

fn tip(meant: Option<&Row>) -> String {
    meant.map(|row| format!("; did you mean `{}`?", row.root.skill_md())).unwrap_or_default()
}

/// What a client learns of a read that failed: neither paths nor causes, which are the operator's.
pub(crate) fn unread(uri: &str, error: &Unread) -> ErrorData {
    match error {
        Unread::NoFile => not_found(uri),
        Unread::Moved => ErrorData::internal_error(
            format!("`{}` changed while it was read: list the skills again", shown(uri)),
            Some(serde_json::json!({"moved": true})),
        ),
        Unread::Source(error) => {
            tracing::warn!(uri, error = error as &dyn std::error::Error, "a skill cannot be read");
            ErrorData::internal_error(format!("`{}` cannot be read now", shown(uri)), None)
        }
    }
}

/// What a client wrote, short and on one line.
pub(crate) fn shown(written: &str) -> String {
    text::excerpt(written, 200).replace('`', "'")
}
