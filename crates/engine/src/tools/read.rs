//! What the tools that read answer.

use repertoire_core::text::clean;
use repertoire_core::{Resource, ResourcePath, Skill, SourceError, SourceErrorKind, with_causes};
use repertoire_registry::Claim;

use super::answer::{Answer, AnswerCode, Failure, SkillRead};
use super::arguments::Arguments;
use super::reader::Reader;
use super::toolset::{PAGE, Toolset, quoted};
use super::wrapped::Wrapped;
use crate::meant::Meant;

impl Toolset {
    pub(super) async fn read(&self, arguments: &Arguments<'_>, reader: &dyn Reader) -> Result<Answer, Failure> {
        let preset = &self.0.options.preset;
        let tool = &preset.read;
        let name = arguments.required(&tool.id, "give the name of a skill")?;
        let written = tool.arguments.as_ref().map(|key| arguments.text(key)).transpose()?.flatten().unwrap_or_default();
        let offset = tool.offset.as_ref().map(|key| arguments.number(key)).transpose()?.flatten().unwrap_or(0);
        let Meant { entry, claim } = self.find(name)?;
        let read = reader.body(claim, written).await.map_err(|error| unreadable(name, &error))?;
        let body = read.text.as_str();
        // Where no parameter says where to read on, everything comes at once; so does what would run again for each part.
        let most = if tool.offset.is_some() && !read.ran_any() { PAGE } else { usize::MAX };
        let (part, end) = part(body, offset, most);
        let next = (end < body.len()).then(|| {
            let key = tool.offset.as_deref().unwrap_or_default();
            format!("[{end} of {} bytes so far: read on with `{key}` {end} before you begin.]", body.len())
        });
        // Instructions without the list of their files are better than none.
        let files = if offset == 0 { self.files(claim, reader).await } else { Vec::new() };
        let text = Wrapped { name: entry.id.as_str(), claim, part, files: &files, next }.wrapped(preset);
        let digest = read.digest();
        let read = (offset == 0).then(|| SkillRead {
            entry: entry.clone(),
            claim: claim.clone(),
            body: read.text.into(),
            arguments: written.into(),
            files: files.into(),
            digest,
            outcomes: read.outcomes,
            warnings: read.warnings,
        });
        Ok(Answer { read, ..Answer::ok(text) })
    }

    pub(super) async fn resource(&self, arguments: &Arguments<'_>, reader: &dyn Reader) -> Result<Answer, Failure> {
        let tool = self.0.options.preset.resource.as_ref().expect("the tool was called, so the preset has it");
        let name = arguments.required(&tool.id, "give the name of a skill")?;
        let path = arguments.required(&tool.path, "give the path of a file of the skill")?;
        let (offset, limit) = (arguments.number("offset")?.unwrap_or(0), arguments.number("limit")?.unwrap_or(PAGE));
        let Meant { claim, .. } = self.find(name)?;
        let no_resource = |files: &[Resource]| {
            let mut text = format!("The skill {} has no file {}.", quoted(name), quoted(path));
            let named: Vec<_> = files.iter().take(20).map(|file| quoted(file.path.as_str())).collect();
            if !named.is_empty() {
                text.push_str(&format!(" It has {}", named.join(", ")));
                text.push_str(if files.len() > named.len() { " and more." } else { "." });
            }
            Failure::new(AnswerCode::NoResource, text)
        };
        let Ok(path) = ResourcePath::typed(path) else {
            return Err(no_resource(&self.files(claim, reader).await));
        };
        let bytes = match reader.resource(claim, &path).await {
            Ok(bytes) => bytes,
            Err(error) if is_missing(&error) => return Err(no_resource(&self.files(claim, reader).await)),
            Err(error) => return Err(unreadable(name, &error)),
        };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            let text = format!(
                "{} is no text: {} bytes. A tool that reads files may open it.",
                quoted(path.as_str()),
                bytes.len()
            );
            return Err(Failure::new(AnswerCode::Unreadable, text));
        };
        let text = clean(text);
        let (part, end) = part(&text, offset, limit.clamp(1, PAGE));
        let mut answer = part.to_owned();
        if end < text.len() {
            answer.push_str(&format!("\n[{end} of {} bytes so far: read on with `offset` {end}.]\n", text.len()));
        }
        Ok(Answer::ok(answer))
    }

    /// The files of a skill; none where they cannot be told.
    async fn files(&self, claim: &Claim<Skill>, reader: &dyn Reader) -> Vec<Resource> {
        reader.resources(claim).await.unwrap_or_default()
    }
}

fn is_missing(error: &SourceError) -> bool {
    matches!(error.kind(), SourceErrorKind::NotFound | SourceErrorKind::Unsupported | SourceErrorKind::Denied)
}

/// What a source's error means for a model, which learns nothing of paths or causes.
fn unreadable(name: &str, error: &SourceError) -> Failure {
    let name = quoted(name);
    let failure = match error.kind() {
        SourceErrorKind::NotFound => {
            Failure::new(AnswerCode::Stale, format!("The skill {name} is not there any more. Go on without it."))
        }
        SourceErrorKind::Unavailable => {
            let text = format!("The skill {name} cannot be reached now. Try again later, or go on without it.");
            Failure::new(AnswerCode::Unreadable, text)
        }
        _ => Failure::new(AnswerCode::Unreadable, format!("The skill {name} cannot be read. Go on without it.")),
    };
    Failure { trouble: Some(with_causes(error)), ..failure }
}

/// At most `most` bytes of `text` from `offset` on, and where they end; never inside a letter, and at least one.
fn part(text: &str, offset: usize, most: usize) -> (&str, usize) {
    let start = text.floor_char_boundary(offset);
    let end = text.floor_char_boundary(start.saturating_add(most));
    let end = if end == start { text.ceil_char_boundary((start + 1).min(text.len())) } else { end };
    (&text[start..end], end)
}
