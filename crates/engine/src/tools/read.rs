//! The output of the tools that list, search and read.

use std::borrow::Cow;
use std::sync::Arc;

use repertoire_core::text::{clean, clean_line, inside_elements, xml_attribute};
use repertoire_core::{
    Id, Resource, ResourcePath, Skill, SourceError, SourceErrorKind, error_chain,
};
use repertoire_registry::{Candidate, Entry, Trust};
use serde_json::{Map, Value, json};

use super::declare::{CallArguments, LONGEST_PAGE, PAGE, USUAL_PAGE};
use super::output::{CallFailure, SkillRead, ToolOutput, ToolStatus, quoted};
use super::preset::{BodyWrapper, RowFormat, ToolPreset};
use super::reader::SkillReader;
use super::toolset::Toolset;
use crate::resolve::ResolvedName;
use repertoire_search::{MatchConfidence, SearchIndex};

/// The most results of a search.
const MATCHES: usize = 10;

impl Toolset {
    pub(super) async fn list(
        &self,
        arguments: &CallArguments<'_>,
        suggested: &[Id],
    ) -> Result<ToolOutput, CallFailure> {
        if self.0.options.preset.rows != RowFormat::Pages {
            let rows: Value = self
                .visible()
                .iter()
                .map(|entry| self.row(entry, suggested))
                .collect();
            let text = if self.0.options.preset.rows == RowFormat::Array {
                rows
            } else {
                json!({"skills": rows})
            };
            return Ok(ToolOutput::ok(format!("{text:#}")));
        }
        let limit = arguments
            .number("limit")?
            .unwrap_or(USUAL_PAGE)
            .clamp(1, LONGEST_PAGE);
        let query = arguments
            .text("query")?
            .map(str::trim)
            .filter(|query| !query.is_empty());
        let (found, operator_note) = match query {
            None => (Cow::Borrowed(self.visible()), None),
            Some(query) => {
                let (found, note) = self.ranked(query, LONGEST_PAGE).await;
                (Cow::Owned(found), note)
            }
        };
        let first = match arguments.text("cursor")? {
            None => 0,
            Some(cursor) => match found.iter().position(|entry| entry.id.as_str() == cursor) {
                Some(last) => last + 1,
                None => {
                    let text = format!(
                        "The list has changed and has no {} any more: list from the start.",
                        quoted(cursor)
                    );
                    return Err(CallFailure::new(ToolStatus::Stale, text));
                }
            },
        };
        let page = &found[first..found.len().min(first + limit)];
        let rows: Value = page
            .iter()
            .map(|entry| self.row(entry, suggested))
            .collect();
        let mut text = json!({"skills": rows, "total": found.len()});
        if let (Some(last), true) = (page.last(), first + limit < found.len()) {
            text["next_cursor"] = last.id.as_str().into();
        }
        Ok(ToolOutput {
            operator_note,
            ..ToolOutput::ok(format!("{text:#}"))
        })
    }

    pub(super) async fn search(
        &self,
        arguments: &CallArguments<'_>,
        suggested: &[Id],
    ) -> Result<ToolOutput, CallFailure> {
        let Some(query) = arguments.written("query")? else {
            return Err(arguments.missing("query", "say in a few words what you need"));
        };
        let (found, operator_note): (Vec<_>, _) = if query.trim().is_empty() {
            // Nothing is in everything.
            let most = if self.0.options.preset.rows == RowFormat::Pages {
                MATCHES
            } else {
                usize::MAX
            };
            (self.visible().iter().take(most).cloned().collect(), None)
        } else {
            self.ranked(query, MATCHES).await
        };
        let matches: Value = found
            .iter()
            .map(|entry| self.row(entry, suggested))
            .collect();
        let mut answer = json!({"query": query, "matches": matches});
        if found.is_empty() {
            answer["note"] =
                "No skill fits. Go on without one, or search again in other words.".into();
        }
        let text = format!("{answer:#}");
        Ok(ToolOutput {
            operator_note,
            ..ToolOutput::ok(text)
        })
    }

    async fn ranked(&self, text: &str, limit: usize) -> (Vec<Arc<Entry<Skill>>>, Option<String>) {
        let (query, index) = (self.query(text).limit(limit), &self.0.index);
        let (hits, operator_note) = match &self.0.options.ranker {
            None => (index.search(&query), None),
            Some(ranker) => match ranker.rank(text, SearchIndex::depth(&query)).await {
                Ok(ranked) => (index.search_with(&query, &ranked), None),
                Err(error) => (
                    index.search(&query),
                    Some(format!("skills were ranked by words alone: {error}")),
                ),
            },
        };
        // Where the best does not fit, the others do not either.
        let nothing_fits = hits
            .first()
            .is_none_or(|hit| hit.why.confidence == MatchConfidence::NothingFits);
        let hits = if nothing_fits { Vec::new() } else { hits };
        (
            hits.into_iter().map(|hit| hit.entry).collect(),
            operator_note,
        )
    }

    fn row(&self, entry: &Entry<Skill>, suggested: &[Id]) -> Value {
        let key = if self.0.options.preset.rows == RowFormat::Named {
            "name"
        } else {
            "id"
        };
        let description = repertoire_core::text::clean_line(&entry.item().description);
        let description = if description.is_empty() {
            "(no description)"
        } else {
            &description
        };
        let mut row = Map::new();
        row.insert(key.to_owned(), entry.id.as_str().into());
        row.insert("description".to_owned(), description.into());
        if entry.candidate.trust != Trust::Trusted {
            row.insert(
                "source".to_owned(),
                repertoire_core::text::clean_line(&entry.origin().source).into(),
            );
        }
        let notes = self.0.options.notes.as_ref();
        if let Some(reason) = notes.and_then(|notes| notes.note(&entry.candidate)) {
            row.insert("not_ready".to_owned(), reason.as_ref().into());
        }
        if suggested.contains(&entry.id) {
            row.insert("suggested".to_owned(), true.into());
        }
        row.into()
    }
}

impl Toolset {
    pub(super) async fn read(
        &self,
        arguments: &CallArguments<'_>,
        reader: &dyn SkillReader,
    ) -> Result<ToolOutput, CallFailure> {
        let preset = &self.0.options.preset;
        let tool = &preset.read;
        let name = arguments.required(&tool.id, "give the name of a skill")?;
        let written = match &tool.arguments {
            Some(key) => arguments.text(key)?.unwrap_or_default(),
            None => "",
        };
        let offset = match &tool.offset {
            Some(key) => arguments.number(key)?.unwrap_or(0),
            None => 0,
        };
        let ResolvedName { entry, candidate } = self.find(name)?;
        let read = reader
            .body(candidate, written)
            .await
            .map_err(|error| unreadable(name, &error))?;
        let body = read.text.as_str();
        // Where no parameter says where to read on, everything comes at once; so does what would run again for each part.
        let has_parts = tool.offset.is_some() && !read.ran_any();
        let most = if has_parts { PAGE } else { usize::MAX };
        let (part, end) = part(body, offset, most);
        let next = (end < body.len()).then(|| {
            let key = tool.offset.as_deref().unwrap_or_default();
            format!(
                "[{end} of {} bytes so far: read on with `{key}` {end} before you begin.]",
                body.len()
            )
        });
        // Instructions without the list of their files are better than none.
        let files = if offset == 0 {
            self.files(candidate, reader).await
        } else {
            Vec::new()
        };
        let text = Wrapped {
            name: entry.id.as_str(),
            candidate,
            part,
            files: &files,
            next,
        }
        .wrapped(preset);
        let read = (offset == 0).then(|| SkillRead {
            entry: entry.clone(),
            candidate: candidate.clone(),
            instructions: read,
            arguments: written.into(),
            files: files.into(),
        });
        Ok(ToolOutput {
            read,
            ..ToolOutput::ok(text)
        })
    }

    pub(super) async fn resource(
        &self,
        arguments: &CallArguments<'_>,
        reader: &dyn SkillReader,
    ) -> Result<ToolOutput, CallFailure> {
        let tool = self
            .0
            .options
            .preset
            .resource
            .as_ref()
            .expect("the tool was called, so the preset has it");
        let name = arguments.required(&tool.id, "give the name of a skill")?;
        let path = arguments.required(&tool.path, "give the path of a file of the skill")?;
        let (offset, limit) = (
            arguments.number("offset")?.unwrap_or(0),
            arguments.number("limit")?.unwrap_or(PAGE),
        );
        let ResolvedName { candidate, .. } = self.find(name)?;
        let Ok(typed) = ResourcePath::typed(path) else {
            return Err(self.no_resource(name, path, candidate, reader).await);
        };
        let bytes = match reader.resource(candidate, &typed).await {
            Ok(bytes) => bytes,
            Err(error) if is_missing(&error) => {
                return Err(self
                    .no_resource(name, typed.as_str(), candidate, reader)
                    .await);
            }
            Err(error) => return Err(unreadable(name, &error)),
        };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            let text = format!(
                "{} is not text: {} bytes. A tool that reads files may open it.",
                quoted(typed.as_str()),
                bytes.len()
            );
            return Err(CallFailure::new(ToolStatus::Unreadable, text));
        };
        let text = clean(text);
        let (part, end) = part(&text, offset, limit.clamp(1, PAGE));
        let mut answer = part.to_owned();
        if end < text.len() {
            answer.push_str(&format!(
                "\n[{end} of {} bytes so far: read on with `offset` {end}.]\n",
                text.len()
            ));
        }
        Ok(ToolOutput {
            file: Some((candidate.clone(), typed)),
            ..ToolOutput::ok(answer)
        })
    }

    async fn no_resource(
        &self,
        name: &str,
        path: &str,
        candidate: &Candidate<Skill>,
        reader: &dyn SkillReader,
    ) -> CallFailure {
        let mut text = format!("The skill {} has no file {}.", quoted(name), quoted(path));
        let files = self.files(candidate, reader).await;
        let named = files.iter().take(20);
        let named: Vec<_> = named.map(|file| quoted(file.path.as_str())).collect();
        if !named.is_empty() {
            let end = if files.len() > named.len() {
                " and more."
            } else {
                "."
            };
            text.push_str(&format!(" It has {}{end}", named.join(", ")));
        }
        CallFailure::new(ToolStatus::NoResource, text)
    }

    async fn files(&self, candidate: &Candidate<Skill>, reader: &dyn SkillReader) -> Vec<Resource> {
        reader.resources(candidate).await.unwrap_or_default()
    }
}

fn is_missing(error: &SourceError) -> bool {
    matches!(
        error.kind(),
        SourceErrorKind::NotFound | SourceErrorKind::Unsupported | SourceErrorKind::Denied
    )
}

/// Converts a source's error for a model, which gets no paths and causes.
fn unreadable(name: &str, error: &SourceError) -> CallFailure {
    let name = quoted(name);
    let failure = match error.kind() {
        SourceErrorKind::NotFound => CallFailure::new(
            ToolStatus::Stale,
            format!("The skill {name} is not there any more. Go on without it."),
        ),
        SourceErrorKind::Unavailable => {
            let text = format!(
                "The skill {name} cannot be reached now. Try again later, or go on without it."
            );
            CallFailure::new(ToolStatus::Unreadable, text)
        }
        _ => CallFailure::new(
            ToolStatus::Unreadable,
            format!("The skill {name} cannot be read. Go on without it."),
        ),
    };
    CallFailure {
        operator_note: Some(error_chain(error)),
        ..failure
    }
}

/// Returns at most `most` bytes of `text` from `offset` on, and their end, on edges of characters and at least one.
fn part(text: &str, offset: usize, most: usize) -> (&str, usize) {
    let start = text.floor_char_boundary(offset);
    let end = text.floor_char_boundary(start.saturating_add(most));
    let end = if end == start {
        text.ceil_char_boundary((start + 1).min(text.len()))
    } else {
        end
    };
    (&text[start..end], end)
}

pub(crate) struct Wrapped<'a> {
    pub(crate) name: &'a str,
    pub(crate) candidate: &'a Candidate<Skill>,
    pub(crate) part: &'a str,
    pub(crate) files: &'a [Resource],
    /// A hint for reading on.
    pub(crate) next: Option<String>,
}

/// The most files that are named; the others are counted.
const NAMED: usize = 50;

impl Wrapped<'_> {
    pub(crate) fn wrapped(&self, preset: &ToolPreset) -> String {
        match preset.wrapper {
            BodyWrapper::Element { tag } => self.element(tag, preset),
            BodyWrapper::Plain => self.part.to_owned(),
            BodyWrapper::Descriptor => {
                let skill = &self.candidate.item;
                let descriptor = json!({
                    "name": self.name,
                    "instructions": self.part,
                    "tools": skill.tools(),
                    "references": skill.references(),
                });
                format!("{descriptor:#}")
            }
        }
    }

    fn element(&self, tag: &str, preset: &ToolPreset) -> String {
        let mut text = format!("<{tag} name=\"{}\"", xml_attribute(self.name));
        if self.candidate.trust != Trust::Trusted {
            text.push_str(&format!(
                " source=\"{}\"",
                xml_attribute(&self.candidate.origin.source)
            ));
        }
        text.push_str(">\n");
        text.push_str(&inside_elements(self.part.trim_end(), &[tag]));
        text.push('\n');
        if let Some(next) = &self.next {
            text.push_str(&format!("\n{next}\n"));
        }
        if let Some(folder) = self.candidate.item.location.as_deref().and_then(folder) {
            let folder = inside_elements(&clean_line(folder), &[tag]).into_owned();
            text.push_str(&format!(
                "\nSkill folder: {folder}\nRelative paths are relative to this folder.\n"
            ));
        }
        self.files(tag, preset, &mut text);
        text.push_str(&format!("</{tag}>\n"));
        text
    }

    fn files(&self, tag: &str, preset: &ToolPreset, text: &mut String) {
        let count = self.files.len();
        if count == 0 {
            return;
        }
        let how = preset
            .resource
            .as_ref()
            .map(|tool| format!(", each can be read with `{}`", tool.name));
        let how = how.unwrap_or_default();
        let shown = if count > NAMED {
            format!("{count} files{how}; the first {NAMED}")
        } else {
            format!("Its files{how}")
        };
        text.push_str(&format!("\n{shown}:\n"));
        for file in self.files.iter().take(NAMED) {
            text.push_str(&format!(
                "- {}\n",
                inside_elements(&clean_line(file.path.as_str()), &[tag])
            ));
        }
    }
}

fn folder(location: &str) -> Option<&str> {
    let (folder, _) = location.rsplit_once(['/', '\\'])?;
    (!folder.is_empty()).then_some(folder)
}
