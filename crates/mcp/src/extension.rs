//! The skills extension, SEP-2640.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use repertoire::skill::Resource as File;
use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, DIRECTORY_MIME_TYPE, GetSkillRequestParams, GetSkillResult,
    ListResourcesResult, ListSkillsResult, PaginatedRequestParams,
    ReadResourceDirectoryRequestParams, Resource, SKILLS_EXTENSION_ID, Skill, SkillResource,
    SkillResources,
};

use crate::Server;
use crate::conformance::{is_conforming, standard_fields};
use crate::meta::{origin_of, with_diagnostic, with_readiness};
use crate::page::Page;
use crate::resources::{mime_type, unknown, unread};
use crate::response_text::{ResponseHead, ResponseText, json};
use crate::served_files::{FileManifest, ReadFailure, SkillRow};
use crate::served_view::{ServedSkill, ServedView};
use repertoire::skill::skill_uri::{SKILL_MD, SkillAddress};

const FILES: usize = 512;
const BYTES: u64 = 16 * 1024 * 1024;

const TOGETHER: usize = 8;

const FILES_OF_A_PAGE: usize = 8 * FILES;

/// Returns whether a client with these capabilities knows the extension.
pub(crate) fn is_known_to(client: Option<&ClientCapabilities>) -> bool {
    let extensions = client.and_then(|client| client.extensions.as_ref());
    extensions.is_some_and(|extensions| extensions.contains_key(SKILLS_EXTENSION_ID))
}

pub(crate) async fn list_skills(
    server: &Server,
    request: Option<PaginatedRequestParams>,
) -> Result<ListSkillsResult, ErrorData> {
    let view = server.view();
    let page = Page::of(request.as_ref(), server.version(view.versions.skills))?;
    let first = page.first.min(view.skills.len());
    let end = first
        .saturating_add(server.options().page)
        .min(view.skills.len());
    let page_skills = &view.skills[first..end];
    let cached: Vec<_> = page_skills
        .iter()
        .map(|served| server.served_files().cached(served))
        .collect();
    // Most are cached and need no waiting.
    let unread = page_skills
        .iter()
        .zip(&cached)
        .filter(|(_, cached)| cached.is_none());
    let unread: Vec<_> = unread
        .map(|(served, _)| server.served_files().manifest(served))
        .collect();
    let mut read = stream::iter(unread).buffered(TOGETHER);
    let (mut skills, mut count, mut at) = (Vec::with_capacity(page_skills.len()), 0, first);
    for (served, cached) in page_skills.iter().zip(&cached) {
        if count >= FILES_OF_A_PAGE {
            break;
        }
        let files = match cached {
            Some(files) => Ok(Arc::clone(files)),
            None => read.next().await.expect("each skill is cached or read"),
        };
        match files
            .as_ref()
            .map(|manifest| (manifest, listed(served, manifest)))
        {
            Ok((manifest, Ok(skill))) => {
                count += manifest.files.len();
                skills.push(ready(&view, served, skill));
            }
            Ok((_, Err(reason))) => {
                tracing::debug!(uri = %served.root(), reason, "a skill is not listed")
            }
            Err(ReadFailure::Changed) => {
                return Err(ErrorData::internal_error(
                    "the skills changed while they were listed: list from the start",
                    None,
                ));
            }
            Err(error) => {
                tracing::warn!(uri = %served.root(), %error, "a skill cannot be listed")
            }
        }
        at += 1;
    }
    let mut result = ListSkillsResult::with_all_items(skills);
    result.next_cursor = page.next(at, view.skills.len());
    Ok(result)
}

/// Returns the response that [`list_skills`] is for, or `None` if it has to read files or to return an error.
pub(crate) fn skills_text(
    server: &Server,
    head: ResponseHead<'_>,
    request: Option<&PaginatedRequestParams>,
    is_strict: bool,
) -> Option<String> {
    let view = server.view();
    let page = Page::of(request, server.version(view.versions.skills)).ok()?;
    let first = page.first.min(view.skills.len());
    let rest = view.skills[first..].iter().take(server.options().page);
    let (mut page_skills, mut count) = (Vec::with_capacity(rest.len()), 0);
    for served in rest {
        if count >= FILES_OF_A_PAGE {
            break;
        }
        let files = server.served_files().cached(served)?;
        if ready_row(served, &files).is_some() {
            count += files.files.len();
        }
        page_skills.push((served, files));
    }
    let next = page.next(first + page_skills.len(), view.skills.len());
    let mut rows: Vec<_> = page_skills
        .iter()
        .filter_map(|(served, files)| row(&view, served, files))
        .collect();
    let all = rows.len();
    rows.retain(|row| row.is_conforming || !is_strict);
    log_withheld(all - rows.len());
    let rows = rows.iter().map(|row| &row.text);
    Some(ResponseText::list(head, "skills", next.as_deref(), rows).finish())
}

/// Removes the skills that a strict client rejects.
pub(crate) fn withhold(skills: &mut Vec<Skill>) {
    let all = skills.len();
    skills.retain(|skill| is_conforming(&skill.frontmatter));
    log_withheld(all - skills.len());
}

/// Logs the number of skills that a page for a strict client does not have.
fn log_withheld(withheld: usize) {
    if withheld > 0 {
        tracing::info!(
            withheld,
            "skills outside of the standard are not listed for a client that would refuse the list"
        );
    }
}

/// Returns the response that [`get_skill`] is for, or `None` if it has to read files or to return an error.
pub(crate) fn skill_text(
    server: &Server,
    head: ResponseHead<'_>,
    request: &GetSkillRequestParams,
) -> Option<String> {
    let place = SkillAddress::parse(&request.uri)?;
    let view = server.view();
    let served = &view.find(&place.root)?;
    if served.root().skill_md() != request.uri {
        return None;
    }
    let files = server.served_files().cached(served)?;
    let row = row(&view, served, &files)?;
    Some(ResponseText::field(head, "skill", &row.text))
}

/// Returns the response that [`read_directory`] is for, or `None` if it has to read files or to return an error.
pub(crate) fn directory_text(
    server: &Server,
    head: ResponseHead<'_>,
    request: &ReadResourceDirectoryRequestParams,
) -> Option<String> {
    let place = SkillAddress::parse(&request.uri)?;
    let view = server.view();
    let served = &view.find(&place.root)?;
    let page = Page::at(
        request.cursor.as_deref(),
        server.version(view.versions.skills),
    )
    .ok()?;
    let files = server.served_files().cached(served)?;
    let (children, next) = directory_page(server, served, &files, &place, page)?;
    let rows: Vec<_> = children.iter().map(json).collect();
    Some(ResponseText::list(head, "resources", next.as_deref(), rows.iter()).finish())
}

pub(crate) async fn get_skill(server: &Server, uri: &str) -> Result<GetSkillResult, ErrorData> {
    let place = SkillAddress::parse(uri).ok_or_else(|| unknown("skill", uri, None))?;
    if place
        .path
        .as_ref()
        .is_none_or(|path| path.as_str() != SKILL_MD)
    {
        return Err(unknown("skill", uri, None));
    }
    let view = server.view();
    let served = &view
        .find(&place.root)
        .ok_or_else(|| unknown("skill", uri, view.like(&place.root)))?;
    if served.root().skill_md() != uri {
        // The protocol requires the URI of the request in the response.
        return Err(unknown("skill", uri, Some(served)));
    }
    let files = server
        .served_files()
        .manifest(served)
        .await
        .map_err(|error| unread(uri, &error))?;
    match listed(served, &files) {
        Ok(skill) => Ok(GetSkillResult::new(ready(&view, served, skill))),
        Err(reason) => Err(ErrorData::invalid_params(
            format!("this skill is not served by the extension: {reason}"),
            None,
        )),
    }
}

pub(crate) async fn read_directory(
    server: &Server,
    uri: &str,
    cursor: Option<String>,
) -> Result<ListResourcesResult, ErrorData> {
    let place = SkillAddress::parse(uri).ok_or_else(|| unknown("directory", uri, None))?;
    let view = server.view();
    let served = &view
        .find(&place.root)
        .ok_or_else(|| unknown("directory", uri, view.like(&place.root)))?;
    let page = Page::at(cursor.as_deref(), server.version(view.versions.skills))?;
    let files = server
        .served_files()
        .manifest(served)
        .await
        .map_err(|error| unread(uri, &error))?;
    let (children, next) = directory_page(server, served, &files, &place, page)
        .ok_or_else(|| unknown("directory", uri, None))?;
    let mut result = ListResourcesResult::with_all_items(children);
    result.next_cursor = next;
    Ok(result)
}

/// Returns the children of a directory on `page`, and the cursor of the next page. `None` if there is no such directory.
fn directory_page(
    server: &Server,
    served: &ServedSkill,
    files: &FileManifest,
    place: &SkillAddress,
    page: Page,
) -> Option<(Vec<Resource>, Option<String>)> {
    let below = place
        .path
        .as_ref()
        .map(|path| format!("{path}/"))
        .unwrap_or_default();
    let children = children(&files.files, &below);
    if children.is_empty() {
        return None;
    }
    let children: Vec<_> = children.into_iter().collect();
    let (children, next) = page.cut(&children, server.options().page);
    let resources = children.iter().map(|(name, file)| {
        let resource = Resource::new(served.root().join(&format!("{below}{name}")), name.clone());
        match file {
            None => resource.with_mime_type(DIRECTORY_MIME_TYPE),
            Some(file) => resource
                .with_mime_type(mime_type(name))
                .with_size(file.size),
        }
    });
    Some((resources.collect(), next))
}

/// Adds the reason why tools of the skill are missing or denied, which changes without the skill.
fn ready(view: &ServedView, served: &ServedSkill, skill: Skill) -> Skill {
    let meta = skill.meta.clone().unwrap_or_default();
    skill.with_meta(with_readiness(meta, view, served.candidate()))
}

/// Returns the row of a skill without the state of its tools, or the reason why the skill is not listed.
fn listed(served: &ServedSkill, files: &FileManifest) -> Result<Skill, Box<str>> {
    if files.files.len() > FILES {
        return Err(format!(
            "it has {} files, and {FILES} is the limit",
            files.files.len()
        )
        .into());
    }
    if files.size() > BYTES {
        return Err(format!("it has {} bytes, and {BYTES} is the limit", files.size()).into());
    }
    let front = standard_fields(&served.candidate().item, files.is_synthesized)?;
    let skill = Skill::new(served.root().skill_md(), front, manifest(served, files))
        .with_meta(with_diagnostic(origin_of(served), files.hidden.as_ref()));
    skill.validate().map_err(|error| error.to_string())?;
    Ok(skill)
}

/// Returns the row of a skill while all its tools are ready, or `None` if the skill is not listed.
fn ready_row<'f>(served: &ServedSkill, files: &'f FileManifest) -> Option<&'f SkillRow> {
    let row = files.row.get_or_init(|| {
        let skill = listed(served, files)
            .inspect_err(
                |reason| tracing::debug!(uri = %served.root(), reason, "a skill is not listed"),
            )
            .ok()?;
        Some(SkillRow {
            text: json(&skill).into(),
            is_conforming: is_conforming(&skill.frontmatter),
        })
    });
    row.as_ref()
}

/// Returns the JSON text of the row of a skill, or `None` if the skill is not listed.
fn row<'f>(view: &ServedView, served: &ServedSkill, files: &'f FileManifest) -> Option<Row<'f>> {
    let SkillRow {
        text,
        is_conforming,
    } = ready_row(served, files)?;
    let text = match view.not_ready(served.candidate()) {
        None => Cow::Borrowed(&**text),
        Some(_) => Cow::Owned(json(&ready(view, served, listed(served, files).ok()?))),
    };
    Some(Row {
        text,
        is_conforming: *is_conforming,
    })
}

struct Row<'f> {
    text: Cow<'f, str>,
    is_conforming: bool,
}

fn manifest(served: &ServedSkill, files: &FileManifest) -> SkillResources {
    let files = files.files.iter();
    let files = files.map(|file| {
        SkillResource::new(
            served.root().join(file.path.as_str()),
            file.digest.to_string(),
            file.size,
        )
    });
    SkillResources::Files(files.collect())
}

fn children<'f>(files: &'f [File], below: &str) -> BTreeMap<String, Option<&'f File>> {
    let inside = files
        .iter()
        .filter_map(|file| Some((file.path.as_str().strip_prefix(below)?, file)));
    let children = inside.map(|(rest, file)| match rest.split_once('/') {
        Some((folder, _)) => (folder.to_owned(), None),
        None => (rest.to_owned(), Some(file)),
    });
    children.collect()
}
