//! Spans of tool calls and of skills that are loaded, by the conventions of OpenTelemetry for GenAI.

use repertoire::registry::Candidate;
use repertoire::skill::skill_uri::SkillRoot;
use repertoire::skill::{Digest, ResourcePath};
use repertoire::{Model, Skill};
use rmcp::service::{RequestContext, RoleServer};
use tracing::Span;
use tracing::field::Empty;

use crate::Server;
use crate::served_view::root_of;

/// The span of a request that may load a skill. Its target is `gen_ai`, and its level is trace, so that logs do not have it.
///
/// It is never entered: the name of a span that was entered is final, and this one gets the name of the skill.
#[derive(Debug, Clone)]
pub(crate) struct LoadSpan {
    span: Span,
    /// The name of the span, to which the loaded skill is added.
    name: String,
}

/// The reason why a skill was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoadTrigger {
    /// The model called a tool.
    Model,
    /// The user invoked a prompt.
    User,
    /// The client read a resource.
    Client,
}

impl LoadTrigger {
    fn as_str(self) -> &'static str {
        match self {
            LoadTrigger::Model => "model",
            LoadTrigger::User => "user",
            LoadTrigger::Client => "client",
        }
    }
}

impl LoadSpan {
    pub(crate) fn of_tool(tool: &str) -> LoadSpan {
        let span = LoadSpan::new("execute_tool", tool);
        span.span.record("gen_ai.operation.name", "execute_tool");
        span.span.record("gen_ai.tool.name", tool);
        span
    }

    pub(crate) fn of_prompt(prompt: &str) -> LoadSpan {
        let span = LoadSpan::new("prompts/get", prompt);
        span.span.record("mcp.method.name", "prompts/get");
        span.span.record("gen_ai.prompt.name", prompt);
        span
    }

    pub(crate) fn of_resource(uri: &str) -> LoadSpan {
        let span = LoadSpan::new("resources/read", uri);
        span.span.record("mcp.method.name", "resources/read");
        span.span.record("mcp.resource.uri", uri);
        span
    }

    fn new(operation: &str, subject: &str) -> LoadSpan {
        let span = tracing::trace_span!(
            target: "gen_ai",
            "load",
            otel.name = Empty,
            otel.status_code = Empty,
            "error.type" = Empty,
            gen_ai.operation.name = Empty,
            gen_ai.tool.name = Empty,
            gen_ai.prompt.name = Empty,
            gen_ai.skill.name = Empty,
            gen_ai.skill.source.uri = Empty,
            gen_ai.skill.resource.name = Empty,
            mcp.method.name = Empty,
            mcp.resource.uri = Empty,
            repertoire.skill.digest = Empty,
            repertoire.skill.trigger = Empty,
            repertoire.skill.decided_by = Empty,
            repertoire.skill.surface = Empty,
            repertoire.skill.tier = Empty,
            repertoire.skill.shadowed = Empty,
        );
        let name = match span.is_disabled() {
            true => String::new(),
            false => format!("{operation} {subject}"),
        };
        span.record("otel.name", name.as_str());
        LoadSpan { span, name }
    }

    /// Records that the request failed.
    pub(crate) fn failed(&self, kind: &'static str) {
        self.span.record("otel.status_code", "ERROR");
        self.span.record("error.type", kind);
    }

    /// Records the skill that was loaded, and why.
    pub(crate) async fn loaded(
        &self,
        server: &Server,
        candidate: &Candidate<Skill>,
        trigger: LoadTrigger,
    ) {
        if self.span.is_disabled() {
            return;
        }
        let (span, root, id) = (&self.span, root_of(candidate), &candidate.item.id);
        span.record("otel.name", format!("{} {id}", self.name));
        span.record("gen_ai.skill.name", id.as_str());
        span.record("gen_ai.skill.source.uri", root.skill_md());
        span.record("repertoire.skill.trigger", trigger.as_str());
        span.record("repertoire.skill.tier", candidate.origin.tier.to_string());
        if let Some(digest) = digest_of(server, &root).await {
            span.record("repertoire.skill.digest", digest.to_string());
        }
        // It was named in full if a different definition wins its id.
        let snapshot = &server.view().snapshot;
        let winner = snapshot.resolve(id.as_str()).ok();
        let is_winner =
            winner.is_some_and(|found| found.candidate.origin.source == candidate.origin.source);
        span.record("repertoire.skill.shadowed", !is_winner);
    }

    /// Records the surface of the skill for a model, and the rule that decided it.
    pub(crate) fn surface(&self, server: &Server, candidate: &Candidate<Skill>, model: &Model) {
        if self.span.is_disabled() {
            return;
        }
        let surface = server.registry().surface_of(&candidate.item, model);
        let decided_by = surface.decided_by.to_string();
        self.span
            .record("repertoire.skill.surface", surface.mode.as_str());
        self.span.record("repertoire.skill.decided_by", decided_by);
    }

    /// Records the file of the loaded skill that was read.
    pub(crate) fn file(&self, candidate: &Candidate<Skill>, path: &ResourcePath) {
        if self.span.is_disabled() {
            return;
        }
        let name = format!("{} {} {path}", self.name, candidate.item.id);
        self.span.record("otel.name", name);
        self.span
            .record("gen_ai.skill.resource.name", path.as_str());
    }
}

/// Returns the span of the HTTP request that brought a message.
#[cfg(feature = "http")]
pub(crate) fn span_of(context: &RequestContext<RoleServer>) -> Span {
    crate::http::request_parts::span_of(&context.extensions)
}

/// Returns no span, because every message comes over a pipe.
#[cfg(not(feature = "http"))]
pub(crate) fn span_of(_: &RequestContext<RoleServer>) -> Span {
    Span::none()
}

/// Returns the digest of the `SKILL.md` that is served.
async fn digest_of(server: &Server, root: &SkillRoot) -> Option<Digest> {
    let skill = server.view().find(root)?;
    let manifest = server.served_files().manifest(&skill).await.ok()?;
    manifest.files.first().map(|file| file.digest)
}
