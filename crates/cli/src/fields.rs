//! The faults of a skill's fields that its file alone does not show.

use std::path::Path;

use repertoire::{
    Claim, Code, Diagnostic, ResourcePath, Skill, TriggerRefusal, Triggers, Workflow, WorkflowFault, skill_md,
};

use crate::finding::Finding;
use crate::session::Session;

/// Returns the faults of every skill, shadows included.
pub(crate) async fn findings(session: &Session<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for claim in session.snapshot.entries().iter().flat_map(|entry| entry.claims()) {
        let faults = faults(claim, session).await;
        found.extend(faults.into_iter().map(|diagnostic| Finding::new(claim.origin.source.clone(), diagnostic)));
    }
    for refused in Triggers::of(&session.snapshot).refused() {
        // Others are reported by the parser, or are no fault of the skill.
        if refused.trigger.fault().is_none()
            && matches!(refused.why, TriggerRefusal::TooLong | TriggerRefusal::TooMany | TriggerRefusal::Invalid(_))
        {
            let claim = &refused.entry.claim;
            let message = format!("an item of `triggers` never holds: {}", refused.why);
            let diagnostic = placed(Diagnostic::new(Code::BAD_TRIGGER, message), claim, "triggers", session);
            found.push(Finding::new(claim.origin.source.clone(), diagnostic));
        }
    }
    found
}

/// Returns the faults of one skill: in its workflow, and in what it refers to.
pub(crate) async fn faults(claim: &Claim<Skill>, session: &Session<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for fault in Workflow::of(claim).err().into_iter().flat_map(|invalid| invalid.faults) {
        // The shape of the steps is checked by the parser.
        if matches!(fault, WorkflowFault::ForeignTool { .. } | WorkflowFault::Directive { .. }) {
            let message = format!("`workflow` does not hold together: {fault}");
            found.push(placed(Diagnostic::new(Code::BAD_WORKFLOW, message), claim, "workflow", session));
        }
    }
    let references = claim.item.references();
    if references.is_empty() {
        return found;
    }
    let Ok(files) = session.registry.resources(claim).await else { return found };
    let has = |path: &str| files.iter().any(|file| file.path.as_str() == path);
    for reference in references.into_iter().filter(|reference| !reference.contains("://")) {
        let path = reference.trim().trim_start_matches("./");
        if ResourcePath::new(path).is_ok() && (has(path) || has(&format!("references/{path}"))) {
            continue;
        }
        let message = format!("`references` names `{reference}`, which is not a file of the skill");
        found.push(placed(Diagnostic::new(Code::MISSING_REFERENCE, message), claim, "references", session));
    }
    found
}

/// The same diagnostic at the field of this name.
fn placed(diagnostic: Diagnostic, claim: &Claim<Skill>, field: &str, session: &Session<'_>) -> Diagnostic {
    let Some(location) = &claim.item.location else { return diagnostic };
    let diagnostic = diagnostic.at_path(location.clone());
    let bytes = session.bases().read(&claim.origin.source, Path::new(location.as_ref()));
    let place = bytes.and_then(|bytes| skill_md::place(&bytes, field));
    match place {
        Some((line, column)) => diagnostic.at(line, column),
        None => diagnostic,
    }
}
