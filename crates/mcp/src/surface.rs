//! Where bodies go for the model of a client.

use std::collections::BTreeSet;

use repertoire::registry::Claim;
use repertoire::skill::{Code, Diagnostic};
use repertoire::{Model, Skill, SurfaceMode};
use rmcp::model::MetaObject;
use serde_json::json;

use crate::Server;

/// Where the body belongs, and what decided it.
const SURFACE: &str = "repertoire/surface";

impl Server {
    /// Returns `meta` with the surface that the cascade resolves to for `model`: an answer has the body whatever it is, and a client
    /// that makes its own system prompt puts it there.
    pub(crate) fn surface(&self, claim: &Claim<Skill>, model: &Model<'_>, mut meta: MetaObject) -> MetaObject {
        let surface = self.registry().surface_of(&claim.item, model);
        let told = json!({"mode": surface.mode.as_str(), "decidedBy": surface.decided_by.to_string()});
        meta.0.insert(SURFACE.to_owned(), told);
        meta
    }

    /// Returns a diagnostic for each served skill that declares the surface `system-prompt`: over MCP its body is a tool's result or
    /// a prompt, as no server writes a client's system prompt.
    pub fn surface_diagnostics(&self) -> Vec<Diagnostic> {
        let view = self.view();
        let claims = view.rows.iter().map(|row| row.claim()).chain(view.prompts.iter().map(|called| called.claim()));
        let mut seen = BTreeSet::new();
        let declared = claims.filter(|claim| claim.item.surface == Some(SurfaceMode::SystemPrompt));
        let diagnostics = declared.filter(|claim| seen.insert(claim.qualified_id())).map(|claim| {
            let message = format!(
                "`{}` declares `system-prompt`; over MCP its body is a tool's result or a prompt",
                claim.qualified_id()
            );
            let diagnostic = Diagnostic::new(Code::SURFACE_OVER_MCP, message)
                .help("declare `tool-only`, or no surface, if it is meant for clients of MCP");
            match &claim.item.location {
                Some(location) => diagnostic.at_path(location.clone()),
                None => diagnostic,
            }
        });
        diagnostics.collect()
    }
}
