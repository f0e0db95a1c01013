//! The skills extension, SEP-2640.

use std::collections::BTreeMap;

use futures_util::stream::{self, StreamExt};
use repertoire::Resource as File;
use rmcp::ErrorData;
use rmcp::model::{
    DIRECTORY_MIME_TYPE, GetSkillResult, ListResourcesResult, ListSkillsResult, PaginatedRequestParams, Resource,
    Skill, SkillFrontmatter, SkillResource, SkillResources,
};
use serde_json::Value;

use crate::Server;
use crate::composed::front_matter;
use crate::origin::origin_of;
use crate::page::Page;
use crate::resources::{mime_type, unknown, unread};
use crate::shelf::{Files, Unread};
use crate::uri::{Place, SKILL_MD};
use crate::view::Row;

/// What every host takes: so many files of a skill, and so many bytes in all of them.
const FILES: usize = 512;
const BYTES: u64 = 16 * 1024 * 1024;

/// Skills whose files are looked at together.
const TOGETHER: usize = 8;

/// Files that all skills of a page have together, after which it ends: about a megabyte.
const FILES_OF_A_PAGE: usize = 8 * FILES;

/// Why a skill is not in the lists of the extension.
enum Left {
    /// Nobody who follows the standard would load it.
    Withheld(String),
    /// It cannot be told what it consists of.
    Unread(Unread),
}

impl Server {
    pub(crate) async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let view = self.view();
        let page = Page::of(request.as_ref(), self.version(view.since.skills))?;
        let first = page.first.min(view.rows.len());
        let end = first.saturating_add(self.options().page).min(view.rows.len());
        let entries: Vec<_> = view.rows[first..end].iter().map(|row| self.entry(row)).collect();
        let mut entries = stream::iter(entries).buffered(TOGETHER);
        let (mut skills, mut files, mut at) = (Vec::new(), 0, first);
        while files < FILES_OF_A_PAGE
            && let Some(entry) = entries.next().await
        {
            match entry {
                Ok(skill) => {
                    if let SkillResources::Files(listed) = &skill.resources {
                        files += listed.len();
                    }
                    skills.push(skill);
                }
                Err(Left::Unread(Unread::Moved)) => {
                    return Err(ErrorData::internal_error(
                        "the skills changed while they were listed: list from the start",
                        None,
                    ));
                }
                Err(Left::Unread(error)) => {
                    tracing::warn!(uri = %view.rows[at].root, %error, "a skill cannot be listed")
                }
                Err(Left::Withheld(reason)) => {
                    tracing::debug!(uri = %view.rows[at].root, reason, "a skill is not listed")
                }
            }
            at += 1;
        }
        let mut result = ListSkillsResult::with_all_items(skills);
        result.next_cursor = page.next(at, view.rows.len());
        Ok(result)
    }

    pub(crate) async fn get_skill(&self, uri: &str) -> Result<GetSkillResult, ErrorData> {
        let place = Place::parse(uri).filter(|place| place.path.as_ref().is_some_and(|path| path.as_str() == SKILL_MD));
        let view = self.view();
        let row = place.as_ref().and_then(|place| view.find(&place.root)).ok_or_else(|| unknown("skill", uri))?;
        match self.entry(row).await {
            Ok(skill) => Ok(GetSkillResult::new(skill)),
            Err(Left::Withheld(reason)) => {
                Err(ErrorData::invalid_params(format!("this skill is not served by the extension: {reason}"), None))
            }
            Err(Left::Unread(error)) => Err(unread(uri, &error)),
        }
    }

    pub(crate) async fn read_directory(
        &self,
        uri: &str,
        cursor: Option<String>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let place = Place::parse(uri).ok_or_else(|| unknown("directory", uri))?;
        let view = self.view();
        let row = view.find(&place.root).ok_or_else(|| unknown("directory", uri))?;
        let page = Page::at(cursor.as_deref(), self.version(view.since.skills))?;
        let files = self.shelf().files(&place.root, row.claim()).await.map_err(|error| unread(uri, &error))?;
        let below = place.path.as_ref().map(|path| format!("{path}/")).unwrap_or_default();
        let children = children(&files.files, &below);
        if children.is_empty() {
            return Err(unknown("directory", uri));
        }
        let children: Vec<_> = children.into_iter().collect();
        let (children, next) = page.cut(&children, self.options().page);
        let resources = children.iter().map(|(name, file)| {
            let resource = Resource::new(row.root.join(&format!("{below}{name}")), name.clone());
            match file {
                None => resource.with_mime_type(DIRECTORY_MIME_TYPE),
                Some(file) => resource.with_mime_type(mime_type(name)).with_size(file.size),
            }
        });
        let mut result = ListResourcesResult::with_all_items(resources.collect());
        result.next_cursor = next;
        Ok(result)
    }

    /// What the extension says of a skill.
    async fn entry(&self, row: &Row) -> Result<Skill, Left> {
        let claim = row.claim();
        let files = self.shelf().files(&row.root, claim).await.map_err(Left::Unread)?;
        let withheld = |reason: &dyn std::fmt::Display| Left::Withheld(reason.to_string());
        if files.files.len() > FILES {
            return Err(withheld(&format_args!("it has {} files, and {FILES} is the limit", files.files.len())));
        }
        if files.size() > BYTES {
            return Err(withheld(&format_args!("it has {} bytes, and {BYTES} is the limit", files.size())));
        }
        let mut fields = front_matter(&claim.item, files.is_composed);
        let mut text = |key: &str| match fields.shift_remove(key) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(withheld(&format_args!("its `{key}` is no text"))),
            None => Err(withheld(&format_args!("its front matter has no `{key}`"))),
        };
        let mut front = SkillFrontmatter::new(text("name")?, text("description")?);
        front.extra = fields;
        let skill = Skill::new(row.root.skill_md(), front, manifest(row, &files)).with_meta(origin_of(row));
        skill.validate().map_err(|error| withheld(&error))?;
        Ok(skill)
    }
}

fn manifest(row: &Row, files: &Files) -> SkillResources {
    let files = files.files.iter();
    let files =
        files.map(|file| SkillResource::new(row.root.join(file.path.as_str()), file.digest.to_string(), file.size));
    SkillResources::Files(files.collect())
}

/// What lies directly `below`, a prefix that ends in `/` or is empty: files, and folders as `None`.
fn children<'f>(files: &'f [File], below: &str) -> BTreeMap<String, Option<&'f File>> {
    let inside = files.iter().filter_map(|file| Some((file.path.as_str().strip_prefix(below)?, file)));
    let child = |(rest, file): (&str, &'f File)| match rest.split_once('/') {
        Some((folder, _)) => (folder.to_owned(), None),
        None => (rest.to_owned(), Some(file)),
    };
    inside.map(child).collect()
}
