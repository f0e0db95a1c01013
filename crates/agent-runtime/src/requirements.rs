//! Skills by digest and required tools, compared with what the host has.

use std::collections::BTreeSet;

use repertoire_agents::{Permissions, matches};

use crate::{AgentHost, RequirementFault, SkillRef};

/// Resolves skills against the registry and checks all tools; returns the skills with their digests, or every fault.
pub(crate) async fn resolve(
    host: &dyn AgentHost,
    permissions: &Permissions,
    skills: &[SkillRef],
    tools: &BTreeSet<String>,
) -> Result<Vec<SkillRef>, Vec<RequirementFault>> {
    let mut faults = Vec::new();
    let mut resolved = Vec::new();
    let mut required = tools.clone();
    for wanted in skills {
        let Some(known) = host.skill(&wanted.name).await else {
            faults.push(RequirementFault::UnknownSkill(wanted.name.clone()));
            continue;
        };
        match wanted.digest {
            Some(expected) if expected != known.digest => {
                faults.push(RequirementFault::ChangedSkill {
                    skill: wanted.name.clone(),
                    expected,
                    found: known.digest,
                });
            }
            _ => resolved.push(SkillRef::new(&wanted.name).with_digest(known.digest)),
        }
        required.extend(known.required_tools);
    }
    if !required.is_empty() {
        let offered = host.tools().await;
        faults.extend(
            required
                .iter()
                .filter_map(|tool| fault_of(tool, &offered, permissions)),
        );
    }
    match faults.is_empty() {
        true => Ok(resolved),
        false => Err(faults),
    }
}

/// Returns the fault of a tool or a pattern of tools, of which one must be offered and permitted.
fn fault_of(
    required: &str,
    offered: &[String],
    permissions: &Permissions,
) -> Option<RequirementFault> {
    let mut matching = offered
        .iter()
        .filter(|tool| matches(required, tool))
        .peekable();
    if matching.peek().is_none() {
        return Some(RequirementFault::MissingTool(required.to_owned()));
    }
    let is_permitted = matching.any(|tool| permissions.permits(tool));
    (!is_permitted).then(|| RequirementFault::DeniedTool(required.to_owned()))
}
