//! The `_meta` of answers: the origin of a skill, the surface of its body, and diagnostics about raw bytes.

use std::collections::BTreeSet;

use repertoire::registry::Candidate;
use repertoire::skill::{Code, Diagnostic};
use repertoire::{Model, Skill, SurfaceMode};
use rmcp::model::MetaObject;
use serde_json::json;

use crate::Server;
use crate::served_view::{ServedSkill, ServedView};

const ORIGIN: &str = "repertoire/origin";
const SHADOWED_BY: &str = "repertoire/shadowed-by";

pub(crate) fn origin(candidate: &Candidate<Skill>) -> MetaObject {
    let mut meta = MetaObject::new();
    let origin = &candidate.origin;
    let row = json!({
        "source": origin.source.as_ref(),
        "tier": origin.tier.to_string(),
        "trust": candidate.trust.to_string(),
    });
    meta.0.insert(ORIGIN.to_owned(), row);
    meta
}

const NOT_READY: &str = "repertoire/not-ready";

/// Adds the reason why tools of `candidate` are missing or denied.
pub(crate) fn with_readiness(
    mut meta: MetaObject,
    view: &ServedView,
    candidate: &Candidate<Skill>,
) -> MetaObject {
    if let Some(reason) = view.not_ready(candidate) {
        meta.0.insert(NOT_READY.to_owned(), reason.as_ref().into());
    }
    meta
}

const DIAGNOSTICS: &str = "repertoire/diagnostics";

pub(crate) fn with_diagnostic(mut meta: MetaObject, diagnostic: Option<&Diagnostic>) -> MetaObject {
    if let Some(diagnostic) = diagnostic {
        meta.0.insert(DIAGNOSTICS.to_owned(), json!([diagnostic]));
    }
    meta
}

pub(crate) fn origin_of(skill: &ServedSkill) -> MetaObject {
    let mut meta = origin(skill.candidate());
    if let Some(winner) = skill.winner() {
        meta.0.insert(
            SHADOWED_BY.to_owned(),
            winner.qualified_id().as_str().into(),
        );
    }
    meta
}

const SURFACE: &str = "repertoire/surface";

pub(crate) fn surface(
    server: &Server,
    candidate: &Candidate<Skill>,
    model: &Model,
    mut meta: MetaObject,
) -> MetaObject {
    let surface = server.registry().surface_of(&candidate.item, model);
    let row = json!({"mode": surface.mode.as_str(), "decidedBy": surface.decided_by.to_string()});
    meta.0.insert(SURFACE.to_owned(), row);
    meta
}

impl Server {
    /// Returns a diagnostic for each served skill that declares the surface `system-prompt`. Over MCP its body is the result of a tool
    /// or a prompt, as no server writes the system prompt of a client.
    pub fn surface_diagnostics(&self) -> Vec<Diagnostic> {
        let view = self.view();
        let candidates = view
            .skills
            .iter()
            .map(|skill| skill.candidate())
            .chain(view.prompts.iter().map(|called| called.candidate()));
        let mut seen = BTreeSet::new();
        let declared = candidates
            .filter(|candidate| candidate.item.surface == Some(SurfaceMode::SystemPrompt));
        let diagnostics = declared.filter(|candidate| seen.insert(candidate.qualified_id())).map(|candidate| {
            let message = format!(
                "`{}` declares `system-prompt`; over MCP its body is a tool's result or a prompt",
                candidate.qualified_id()
            );
            let diagnostic = Diagnostic::new(Code::SURFACE_OVER_MCP, message)
                .help("declare `tool-only`, or no surface, if it is meant for clients of MCP");
            match &candidate.item.location {
                Some(location) => diagnostic.at_path(location.clone()),
                None => diagnostic,
            }
        });
        diagnostics.collect()
    }
}
