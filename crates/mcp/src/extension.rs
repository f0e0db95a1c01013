//! The skills extension, SEP-2640.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use repertoire::registry::Candidate;
use repertoire::skill::Resource as File;
use rmcp::ErrorData;
use rmcp::model::{
    DIRECTORY_MIME_TYPE, GetSkillResult, ListResourcesResult, ListSkillsResult,
    PaginatedRequestParams, Resource, Skill, SkillFrontmatter, SkillResource, SkillResources,
};
use serde_json::{Map, Value};

use crate::Server;
use crate::meta::{origin_of, with_diagnostic};
use crate::page::Page;
use crate::resources::{mime_type, unknown, unread};
use crate::served_files::{FileManifest, ReadFailure};
use crate::served_view::ServedSkill;
use crate::synthesize::front_matter;
use repertoire::skill::skill_uri::{SKILL_MD, SkillAddress};

const FILES: usize = 512;
const BYTES: u64 = 16 * 1024 * 1024;

const TOGETHER: usize = 8;

const FILES_OF_A_PAGE: usize = 8 * FILES;

pub(crate) type Listed = Result<Skill, Box<str>>;

impl Server {
    pub(crate) async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let view = self.view();
        let page = Page::of(request.as_ref(), self.version(view.versions.skills))?;
        let first = page.first.min(view.skills.len());
        let end = first
            .saturating_add(self.options().page)
            .min(view.skills.len());
        let page_skills = &view.skills[first..end];
        let cached: Vec<_> = page_skills
            .iter()
            .map(|served| self.served_files().cached(served))
            .collect();
        // Most are cached and need no waiting.
        let unread = page_skills
            .iter()
            .zip(&cached)
            .filter(|(_, cached)| cached.is_none());
        let unread: Vec<_> = unread
            .map(|(served, _)| self.served_files().manifest(served))
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
                    skills.push(skill.clone());
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

    pub(crate) async fn get_skill(&self, uri: &str) -> Result<GetSkillResult, ErrorData> {
        let place = SkillAddress::parse(uri).ok_or_else(|| unknown("skill", uri, None))?;
        if place
            .path
            .as_ref()
            .is_none_or(|path| path.as_str() != SKILL_MD)
        {
            return Err(unknown("skill", uri, None));
        }
        let view = self.view();
        let served = &view
            .find(&place.root)
            .ok_or_else(|| unknown("skill", uri, view.like(&place.root)))?;
        if served.root().skill_md() != uri {
            // The protocol requires the URI of the request in the response.
            return Err(unknown("skill", uri, Some(served)));
        }
        let files = self
            .served_files()
            .manifest(served)
            .await
            .map_err(|error| unread(uri, &error))?;
        match listed(served, &files) {
            Ok(skill) => Ok(GetSkillResult::new(skill.clone())),
            Err(reason) => Err(ErrorData::invalid_params(
                format!("this skill is not served by the extension: {reason}"),
                None,
            )),
        }
    }

    pub(crate) async fn read_directory(
        &self,
        uri: &str,
        cursor: Option<String>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let place = SkillAddress::parse(uri).ok_or_else(|| unknown("directory", uri, None))?;
        let view = self.view();
        let served = &view
            .find(&place.root)
            .ok_or_else(|| unknown("directory", uri, view.like(&place.root)))?;
        let page = Page::at(cursor.as_deref(), self.version(view.versions.skills))?;
        let files = self
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
        let (children, next) = page.cut(&children, self.options().page);
        let resources = children.iter().map(|(name, file)| {
            let resource =
                Resource::new(served.root().join(&format!("{below}{name}")), name.clone());
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

fn standard_fields(
    skill: &repertoire::Skill,
    is_synthesized: bool,
) -> Result<SkillFrontmatter, Box<str>> {
    let mut fields = front_matter(skill, is_synthesized);
    let (name, description) = (
        take_text(&mut fields, "name")?,
        take_text(&mut fields, "description")?,
    );
    let mut front = SkillFrontmatter::new(name, description);
    front.extra = fields;
    Ok(front)
}

fn take_text(fields: &mut Map<String, Value>, key: &str) -> Result<String, Box<str>> {
    match fields.shift_remove(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!("its `{key}` is not a text").into()),
        None => Err(format!("its front matter has no `{key}`").into()),
    }
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

/// The name of FastMCP's client, which rejects a whole list with one skill outside of the Agent Skills standard.
const STRICT: &str = "mcp";

pub(crate) fn is_strict(name: &str) -> bool {
    name == STRICT
}

pub(crate) fn is_conforming(front: &SkillFrontmatter) -> bool {
    let compatibility = front.extra.get("compatibility").and_then(Value::as_str);
    let metadata = front.extra.get("metadata");
    front
        .name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !front.description.trim().is_empty()
        && (1..=1024).contains(&front.description.chars().count())
        && ["license", "compatibility", "allowed-tools"]
            .iter()
            .all(|key| front.extra.get(*key).is_none_or(Value::is_string))
        && compatibility.is_none_or(|text| (1..=500).contains(&text.chars().count()))
        && metadata.is_none_or(|map| {
            map.as_object()
                .is_some_and(|rows| rows.values().all(Value::is_string))
        })
}

pub(crate) fn is_listed(candidate: &Candidate<repertoire::Skill>) -> bool {
    let is_synthesized = candidate.item.location.is_none();
    standard_fields(&candidate.item, is_synthesized).is_ok_and(|front| is_conforming(&front))
}

#[cfg(test)]
mod tests;
