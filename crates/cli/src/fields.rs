//! Faults of front-matter fields that the parser cannot see in the file alone.

use std::path::Path;

use repertoire::Skill;
use repertoire::registry::Candidate;
use repertoire::session::EngineError;
use repertoire::skill::{Code, Diagnostic, ResourcePath, WorkflowStep, skill_md};
use repertoire::trigger::Triggers;
use repertoire::workflow::Workflow;

use crate::context::CommandContext;
use crate::diagnostics::ReportedDiagnostic;

/// Returns the faults of every skill, shadows included.
pub(crate) async fn diagnostics(context: &CommandContext) -> Vec<ReportedDiagnostic> {
    let mut found = Vec::new();
    for candidate in context
        .snapshot
        .entries()
        .iter()
        .flat_map(|entry| entry.candidates())
    {
        let faults = faults(candidate, context).await.into_iter();
        found.extend(faults.map(|diagnostic| {
            ReportedDiagnostic::new(candidate.origin.source.clone(), diagnostic)
        }));
    }
    for refused in Triggers::new(&context.snapshot).refused() {
        // The parser reports the other refusals, or they are not faults of the skill.
        if refused.trigger.fault().is_none() && refused.is_fault() {
            let candidate = &refused.entry.candidate;
            let message = format!("an item of `triggers` never matches: {}", refused.why());
            let diagnostic = at_field(
                Diagnostic::new(Code::BAD_TRIGGER, message),
                candidate,
                "triggers",
                context,
            );
            found.push(ReportedDiagnostic::new(
                candidate.origin.source.clone(),
                diagnostic,
            ));
        }
    }
    found
}

/// Returns the diagnostics of the file that a candidate comes from, without those about shadows.
pub(crate) async fn diagnostics_of(
    candidate: &Candidate<Skill>,
    context: &CommandContext,
) -> Vec<Diagnostic> {
    let about_shadows = [Code::SHADOWED, Code::SHADOWED_IDENTICAL, Code::PREFERRED];
    let mut found = Vec::new();
    for one in context.snapshot.diagnostics() {
        if one.source == candidate.origin.source
            && !about_shadows.contains(&one.diagnostic.code)
            && one.diagnostic.path.is_some()
            && one.diagnostic.path == candidate.item.location
        {
            found.push(ReportedDiagnostic::of(one).diagnostic);
        }
    }
    found.extend(faults(candidate, context).await);
    found
}

/// Returns the faults of the `workflow` and the `references` of one skill.
async fn faults(candidate: &Candidate<Skill>, context: &CommandContext) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let (_, reported) = candidate
        .item
        .extension(&["workflow"])
        .map(WorkflowStep::read_all)
        .unwrap_or_default();
    let workflow_faults = match Workflow::new(candidate) {
        Err(EngineError::InvalidWorkflow { faults, .. }) => faults,
        _ => Vec::new(),
    };
    for fault in workflow_faults {
        // The parser reports the faults of the shape.
        if !reported.iter().any(|known| known.message == fault) {
            let message = format!("`workflow` is invalid: {fault}");
            found.push(at_field(
                Diagnostic::new(Code::BAD_WORKFLOW, message),
                candidate,
                "workflow",
                context,
            ));
        }
    }
    let references = candidate.item.references();
    if references.is_empty() {
        return found;
    }
    let Ok(files) = context.registry.resources(candidate).await else {
        return found;
    };
    for reference in references
        .into_iter()
        .filter(|reference| !reference.contains("://"))
    {
        let path = reference.trim().trim_start_matches("./");
        let in_folder = format!("references/{path}");
        let mut paths = files.iter().map(|file| file.path.as_str());
        if ResourcePath::new(path).is_ok() && paths.any(|file| file == path || file == in_folder) {
            continue;
        }
        let message = format!("`references` names `{reference}`, which is not a file of the skill");
        found.push(at_field(
            Diagnostic::new(Code::MISSING_REFERENCE, message),
            candidate,
            "references",
            context,
        ));
    }
    found
}

fn at_field(
    diagnostic: Diagnostic,
    candidate: &Candidate<Skill>,
    field: &str,
    context: &CommandContext,
) -> Diagnostic {
    let Some(location) = &candidate.item.location else {
        return diagnostic;
    };
    let diagnostic = diagnostic.at_path(location.clone());
    let bytes = context
        .quotable_folders()
        .read(&candidate.origin.source, Path::new(location.as_ref()));
    match bytes.and_then(|bytes| skill_md::place(&bytes, field)) {
        Some((line, column)) => diagnostic.at(line, column),
        None => diagnostic,
    }
}
