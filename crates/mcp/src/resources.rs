//! Skills as resources.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use repertoire::skill::{Bytes, text};
use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, ListResourceTemplatesResult,
    ListResourcesResult, PaginatedRequestParams, ReadResourceResult, Reference, Resource,
    ResourceContents, ResourceTemplate,
};

use crate::Server;
use crate::load_span::{LoadSpan, LoadTrigger};
use crate::meta::{origin_of, with_diagnostic, with_readiness};
use crate::options::HostResource;
use crate::page::Page;
use crate::response_text::{ResponseHead, ResponseText, json};
use crate::served_files::{ReadFailure, hidden_in};
use crate::served_view::{ServedSkill, ServedView};
use crate::session_tools::SessionTools;
use repertoire::skill::skill_uri::{SkillAddress, SkillRoot, encoded_path};

const DIGEST: &str = "repertoire/digest";

const MARKDOWN: &str = "text/markdown";

const JSON: &str = "application/json";

const TRIES: usize = 2;

pub(crate) fn list_resources(
    server: &Server,
    request: Option<PaginatedRequestParams>,
) -> Result<ListResourcesResult, ErrorData> {
    let view = server.view();
    let page = Page::of(request.as_ref(), server.version(view.versions.resources))?;
    let (skills, next) = page.cut(&view.skills, server.options().page);
    let listed = skills.iter().map(|skill| resource(&view, skill));
    let mut resources: Vec<Resource> = listed.collect();
    if next.is_none() {
        // They are few, so the last page may exceed the limit.
        resources.extend(server.options().resources.iter().map(host_resource));
    }
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = next;
    Ok(result)
}

/// Returns the response that [`list_resources`] is for, or `None` if it is an error.
pub(crate) fn resources_text(
    server: &Server,
    head: ResponseHead<'_>,
    request: Option<&PaginatedRequestParams>,
) -> Option<String> {
    let view = server.view();
    let page = Page::of(request, server.version(view.versions.resources)).ok()?;
    let (skills, next) = page.cut(&view.skills, server.options().page);
    let rows = server
        .resource_rows()
        .of(&view, skills, |skill| json(&resource(&view, skill)));
    let mut response = ResponseText::list(head, "resources", next.as_deref(), rows.iter());
    if next.is_none() {
        let of_host = server.options().resources.iter().map(host_resource);
        of_host.for_each(|resource| response.push(&json(&resource)));
    }
    Some(response.finish())
}

fn host_resource(resource: &HostResource) -> Resource {
    let (_, name) = resource.uri.rsplit_once('/').unwrap_or(("", &resource.uri));
    Resource::new(&*resource.uri, name)
        .with_description(&*resource.description)
        .with_mime_type(JSON)
}

pub(crate) async fn read_resource(
    server: &Server,
    session: &SessionTools,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let span = LoadSpan::of_resource(uri);
    let contents = resource_contents(server, session, uri, &span).await;
    contents.inspect_err(|_| span.failed("request_error"))
}

async fn resource_contents(
    server: &Server,
    session: &SessionTools,
    uri: &str,
    span: &LoadSpan,
) -> Result<ReadResourceResult, ErrorData> {
    let mut of_host = server.options().resources.iter();
    if let Some(resource) = of_host.find(|resource| *resource.uri == *uri) {
        let text = (resource.read)().ok_or_else(|| not_found(uri))?;
        let contents = ResourceContents::text(text, uri).with_mime_type(JSON);
        return Ok(ReadResourceResult::new(vec![contents]));
    }
    let place = SkillAddress::parse(uri).ok_or_else(|| not_found(uri))?;
    let path = place.path.as_ref().ok_or_else(|| not_found(uri))?;
    let mut tries = TRIES;
    loop {
        let view = server.view();
        let found = view.find(&place.root);
        let skill = &found.ok_or_else(|| not_found_but(uri, view.like(&place.root)))?;
        tries -= 1;
        match server.served_files().read(skill, path).await {
            Ok((bytes, digest)) => {
                span.loaded(server, skill.candidate(), LoadTrigger::Client)
                    .await;
                span.file(skill.candidate(), path);
                session.record_given(server, &place.root).await;
                let mut meta = with_diagnostic(origin_of(skill), hidden_in(&bytes).as_ref());
                meta.0.insert(DIGEST.to_owned(), digest.to_string().into());
                let contents = contents(&bytes, uri)
                    .with_mime_type(mime_type(path.as_str()))
                    .with_meta(meta);
                return Ok(ReadResourceResult::new(vec![contents]));
            }
            Err(ReadFailure::Changed) if tries > 0 => {}
            Err(ReadFailure::NoFile) => return Err(no_file(server, uri, skill).await),
            Err(error) => return Err(unread(uri, &error)),
        }
    }
}

async fn no_file(server: &Server, uri: &str, skill: &ServedSkill) -> ErrorData {
    let Ok(manifest) = server.served_files().manifest(skill).await else {
        return not_found(uri);
    };
    let files = &manifest.files;
    let named: Vec<_> = files
        .iter()
        .take(20)
        .map(|file| format!("`{}`", quoted(file.path.as_str())))
        .collect();
    let more = if files.len() > named.len() {
        " and more"
    } else {
        ""
    };
    let message = format!(
        "no resource `{}`; the skill has {}{more}",
        quoted(uri),
        named.join(", ")
    );
    ErrorData::resource_not_found(message, None)
}

pub(crate) const TEMPLATE: &str = "skill://{source}/{skill}/{+path}";

pub(crate) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(TEMPLATE, "skill-file")
        .with_title("A file of a skill")
        .with_description(
            "`SKILL.md` has the instructions; the files that it names lie beside it.",
        );
    ListResourceTemplatesResult::with_all_items(vec![template])
}

fn resource(view: &ServedView, skill: &ServedSkill) -> Resource {
    let candidate = skill.candidate();
    // Skills of the same name have different titles.
    Resource::new(skill.root().skill_md(), candidate.item.id.as_str())
        .with_title(skill.id().to_string())
        .with_description(text::clean(&candidate.item.description))
        .with_mime_type(MARKDOWN)
        .with_meta(with_readiness(origin_of(skill), view, candidate))
}

fn contents(bytes: &Bytes, uri: &str) -> ResourceContents {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => ResourceContents::text(text, uri),
        _ => ResourceContents::blob(STANDARD.encode(bytes), uri),
    }
}

pub(crate) fn mime_type(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_ascii_lowercase())
        .as_deref()
    {
        Some("md" | "markdown") => MARKDOWN,
        Some("json") => JSON,
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
        Some(
            "txt" | "rs" | "ts" | "tsx" | "go" | "rb" | "java" | "c" | "h" | "cpp" | "sql" | "ini"
            | "cfg",
        ) => "text/plain",
        _ => "application/octet-stream",
    }
}

pub(crate) fn not_found(uri: &str) -> ErrorData {
    not_found_but(uri, None)
}

fn not_found_but(uri: &str, meant: Option<&ServedSkill>) -> ErrorData {
    ErrorData::resource_not_found(format!("no resource `{}`{}", quoted(uri), tip(meant)), None)
}

pub(crate) fn unknown(what: &str, uri: &str, meant: Option<&ServedSkill>) -> ErrorData {
    ErrorData::invalid_params(format!("no {what} `{}`{}", quoted(uri), tip(meant)), None)
}

fn tip(meant: Option<&ServedSkill>) -> String {
    meant
        .map(|skill| format!("; did you mean `{}`?", skill.root().skill_md()))
        .unwrap_or_default()
}

pub(crate) fn unread(uri: &str, error: &ReadFailure) -> ErrorData {
    match error {
        ReadFailure::NoFile => not_found(uri),
        ReadFailure::Changed => ErrorData::internal_error(
            format!(
                "`{}` changed while it was read: list the skills again",
                quoted(uri)
            ),
            Some(serde_json::json!({"moved": true})),
        ),
        ReadFailure::Source(error) => {
            tracing::warn!(
                uri,
                error = error as &dyn std::error::Error,
                "a skill cannot be read"
            );
            ErrorData::internal_error(format!("`{}` cannot be read now", quoted(uri)), None)
        }
    }
}

pub(crate) fn quoted(written: &str) -> String {
    text::excerpt(written, 200).replace('`', "'")
}

pub(crate) async fn complete(
    server: &Server,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let found = match &request.r#ref {
        Reference::Resource(template) if template.uri == TEMPLATE => values(server, request).await,
        Reference::Resource(template) => return Err(unknown("template", &template.uri, None)),
        _ => BTreeSet::new(),
    };
    let fitting: Vec<String> = found
        .into_iter()
        .filter(|value| value.starts_with(&request.argument.value))
        .collect();
    let total = fitting.len();
    let values = fitting
        .into_iter()
        .take(CompletionInfo::MAX_VALUES)
        .collect();
    let has_more = total > CompletionInfo::MAX_VALUES;
    let info = CompletionInfo::with_pagination(values, u32::try_from(total).ok(), has_more);
    Ok(CompleteResult::new(
        info.expect("at most the maximum was taken"),
    ))
}

async fn values(server: &Server, request: &CompleteRequestParams) -> BTreeSet<String> {
    let view = server.view();
    let context = request.context.as_ref();
    let source = context.and_then(|context| context.get_argument("source"));
    let skill = context.and_then(|context| context.get_argument("skill"));
    let candidates = view.skills.iter().map(|skill| skill.candidate());
    match request.argument.name.as_str() {
        "source" => candidates
            .map(|candidate| candidate.origin.source.to_string())
            .collect(),
        "skill" => candidates
            .filter(|candidate| source.is_none_or(|source| source == &*candidate.origin.source))
            .map(|candidate| candidate.item.id.to_string())
            .collect(),
        "path" => {
            let (Some(source), Some(skill)) = (source, skill) else {
                return BTreeSet::new();
            };
            let Ok(id) = skill.parse() else {
                return BTreeSet::new();
            };
            let Some(skill) = view.find(&SkillRoot {
                source: source.as_str().into(),
                id,
            }) else {
                return BTreeSet::new();
            };
            // A skill that cannot be read has no paths to complete.
            let files = server.served_files().manifest(&skill).await;
            // The template expands `{+path}` without escaping it.
            files
                .iter()
                .flat_map(|files| files.files.iter())
                .map(|file| encoded_path(file.path.as_str()))
                .collect()
        }
        _ => BTreeSet::new(),
    }
}
