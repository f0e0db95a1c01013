//! A skill that a conversation activated.

use std::sync::Arc;

use repertoire_core::{Digest, Id, Resource, Skill, SourceError, Surface, SurfaceMode};
use repertoire_registry::Candidate;
use serde::{Deserialize, Serialize};

use super::notice::{Notice, NoticeReason};
use super::options::{Lifetime, RefreshPolicy};
use crate::tools::{Instructions, SkillReader, ToolPreset, Wrapped};
use repertoire_permission::Audience;

/// The activator of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ActivatedBy {
    /// A call of the tool that reads skills: its result is one of the places for the body.
    Tool,
    /// The user, who named it, or the host.
    Name,
    /// A trigger that the skill declares.
    Trigger,
}

/// A skill that is active in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ActiveSkill {
    /// The id that a model reaches it by.
    pub id: Id,
    /// The source it is of.
    pub source: Arc<str>,
    /// The arguments of its body.
    pub arguments: Arc<str>,
    /// The activator.
    pub by: ActivatedBy,
    /// The lifetime.
    pub lifetime: Lifetime,
    /// Of the rendered body; `None` as long as it was not read.
    pub digest: Option<Digest>,
}

#[derive(Debug, Clone)]
pub(super) struct ActivationRecord {
    /// The qualified id of the candidate.
    pub(super) qualified: Id,
    pub(super) source: Arc<str>,
    pub(super) arguments: Arc<str>,
    pub(super) audience: Audience,
    pub(super) by: ActivatedBy,
    pub(super) lifetime: Lifetime,
    pub(super) last_used: u64,
    /// The body as it was read last, unless it has to be read again.
    pub(super) rendered: Option<Arc<LoadedBody>>,
    pub(super) digest: Option<Digest>,
    /// The surface of the last delivery.
    pub(super) surface: Option<Surface>,
    pub(super) delivered: Option<DeliveredBody>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DeliveredBody {
    pub(super) digest: Digest,
    pub(super) part: DeliveredPart,
    /// The number of the model call that it came with first.
    pub(super) calls: u64,
    /// Tokens of the conversation including it.
    pub(super) tokens: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DeliveredPart {
    All,
    Beginning,
    /// There was no room.
    None,
}

#[derive(Debug)]
pub(super) struct LoadedBody {
    pub(super) candidate: Candidate<Skill>,
    pub(super) body: Arc<str>,
    pub(super) files: Arc<[Resource]>,
    pub(super) digest: Digest,
}

impl LoadedBody {
    pub(super) fn new(
        candidate: Candidate<Skill>,
        body: Arc<str>,
        files: Arc<[Resource]>,
    ) -> LoadedBody {
        LoadedBody {
            digest: Digest::of(body.as_bytes()),
            candidate,
            body,
            files,
        }
    }

    pub(super) async fn read(
        id: &Id,
        candidate: Candidate<Skill>,
        arguments: &str,
        reader: &dyn SkillReader,
    ) -> Result<(LoadedBody, Option<Notice>), SourceError> {
        let body = reader.body(&candidate, arguments).await?;
        // Instructions without the list of their files are better than none.
        let files = reader.resources(&candidate).await.unwrap_or_default();
        let Instructions {
            text,
            outcomes,
            warnings,
        } = body;
        let has_notice = !outcomes.is_empty() || !warnings.is_empty();
        let notice = has_notice
            .then(|| Notice::of_skill(id.clone(), NoticeReason::Rendered { outcomes, warnings }));
        Ok((
            LoadedBody::new(candidate, text.into(), files.into()),
            notice,
        ))
    }

    pub(super) fn is_blank(&self) -> bool {
        self.body.trim().is_empty()
    }

    pub(super) fn wrapped(&self, name: &Id, preset: &ToolPreset) -> String {
        self.wrapped_part(name, preset, self.body.len())
    }

    pub(super) fn wrapped_part(&self, name: &Id, preset: &ToolPreset, bytes: usize) -> String {
        let part = &self.body[..bytes];
        let next = (bytes < self.body.len()).then(|| {
            let read = &preset.read;
            let onward = read
                .offset
                .as_ref()
                .map(|offset| format!(", or on with `{offset}` {bytes}"));
            let onward = onward.unwrap_or_default();
            format!(
                "[{bytes} of {} bytes: read all of it with `{}`{onward}.]",
                self.body.len(),
                read.name
            )
        });
        Wrapped {
            name: name.as_str(),
            candidate: &self.candidate,
            part,
            files: &self.files,
            next,
        }
        .wrapped(preset)
    }
}

impl ActivationRecord {
    pub(super) fn is_for_conversation(&self) -> bool {
        let mode = self.surface.as_ref().map(|surface| surface.mode);
        self.by == ActivatedBy::Tool && mode != Some(SurfaceMode::SystemPrompt)
    }

    pub(super) fn set_body(&mut self, rendered: Arc<LoadedBody>) {
        self.digest = Some(rendered.digest);
        self.rendered = Some(rendered);
    }
}

impl DeliveredBody {
    /// Returns whether this body need not be delivered again in the call with this number.
    pub(super) fn is_current(
        &self,
        rendered: &LoadedBody,
        refresh: RefreshPolicy,
        calls: u64,
        tokens: u64,
    ) -> bool {
        // Not again in the call that it comes with.
        let is_due = match refresh {
            RefreshPolicy::Never => false,
            RefreshPolicy::AfterTokens(most) => {
                tokens.saturating_sub(self.tokens) >= most.max(1) as u64
            }
            RefreshPolicy::AfterTurns(most) => {
                calls.saturating_sub(self.calls) >= most.max(1) as u64
            }
        };
        self.digest == rendered.digest && !is_due
    }
}
