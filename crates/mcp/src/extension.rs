//! The skills extension, SEP-2640.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use repertoire::skill::Resource as File;
use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, DIRECTORY_MIME_TYPE, GetSkillResult, ListResourcesResult, ListSkillsResult,
    PaginatedRequestParams, Resource, SKILLS_EXTENSION_ID, Skill, SkillResource, SkillResources,
};

use crate::Server;
use crate::conformance::standard_fields;
use crate::meta::{origin_of, with_diagnostic, with_readiness};
use crate::page::Page;
use crate::resources::{mime_type, unknown, unread};
use crate::served_files::{FileManifest, Listed, ReadFailure};
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
        match files.as_ref().map(|files| listed(served, files)) {
            Ok(Ok(skill)) => {
                if let SkillResources::Files(files) = &skill.resources {
                    count += files.len();
                }
                skills.push(ready(&view, served, skill.clone()));
            }
            Ok(Err(reason)) => {
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
        Ok(skill) => Ok(GetSkillResult::new(ready(&view, served, skill.clone()))),
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
    let below = place
        .path
        .as_ref()
        .map(|path| format!("{path}/"))
        .unwrap_or_default();
    let children = children(&files.files, &below);
    if children.is_empty() {
        return Err(unknown("directory", uri, None));
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
    let mut result = ListResourcesResult::with_all_items(resources.collect());
    result.next_cursor = next;
    Ok(result)
}

/// Adds the reason why tools of the skill are missing or denied, which changes without the skill.
fn ready(view: &ServedView, served: &ServedSkill, skill: Skill) -> Skill {
    let meta = skill.meta.clone().unwrap_or_default();
    skill.with_meta(with_readiness(meta, view, served.candidate()))
}

fn listed<'f>(served: &ServedSkill, files: &'f FileManifest) -> &'f Listed {
    files.listed.get_or_init(|| {
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
    })
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
