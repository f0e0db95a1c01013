//! Skills by digest and required tools, compared with what the host has.

use std::collections::BTreeSet;

use repertoire_agents::Permissions;

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

/// Returns whether `pattern`, in which `*` stands for any text, matches the whole of `name`.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<_> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_match_any_text() {
        for (pattern, name, is_match) in [
            ("Bash", "Bash", true),
            ("Bash", "Bash2", false),
            ("mcp__github__*", "mcp__github__list", true),
            ("mcp__github__*", "mcp__git__list", false),
            ("*list", "list_list", true),
            ("a*a", "a", false),
            ("a*b*c", "a-b-b-c", true),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), is_match, "{pattern} {name}");
        }
    }
}
