//! Profiles of the store, from the registry of agents.

use std::collections::{BTreeMap, BTreeSet};

use repertoire::config::{AgentDefinition, Lifecycle};
use repertoire::registry::Snapshot;
use repertoire_agents::{AgentStore, CapabilityProfile, StoreError};
use serde_json::{Map, Value, json};

/// The profiles of a registry by name.
pub(crate) type NamedProfiles = Vec<(String, CapabilityProfile)>;

/// Returns a profile for each agent of the registry. An agent that was registered in code with unusable rights is left out.
pub(crate) fn profiles(agents: &Snapshot<AgentDefinition>) -> NamedProfiles {
    let mut all = Vec::new();
    for entry in agents.entries() {
        match profile(entry.item()) {
            Ok(profile) => all.push((entry.id.to_string(), profile)),
            Err(error) => tracing::error!(agent = %entry.id, %error, "an agent has no profile"),
        }
    }
    all
}

fn profile(agent: &AgentDefinition) -> Result<CapabilityProfile, serde_json::Error> {
    let skills = match agent.skills.is_empty() {
        true => json!(["*"]),
        false => json!(agent.skills),
    };
    let agent_type = agent.agent_type.as_deref().unwrap_or(agent.id.as_str());
    serde_json::from_value(json!({
        "agent_type": agent_type,
        "skills": skills,
        "permissions": snake_keys(&agent.permissions),
        "limits": snake_keys(&agent.limits),
        "reusable": agent.lifecycle == Lifecycle::Resident,
    }))
}

/// Spells the keys of a configuration as the store does.
fn snake_keys(values: &Map<String, Value>) -> Value {
    let spelled = values.iter().map(|(key, value)| {
        let mut snake = String::with_capacity(key.len());
        for c in key.chars() {
            match c {
                '-' => snake.push('_'),
                c if c.is_ascii_uppercase() => {
                    snake.push('_');
                    snake.push(c.to_ascii_lowercase());
                }
                c => snake.push(c),
            }
        }
        (snake, value.clone())
    });
    Value::Object(spelled.collect())
}

/// Puts the profiles into the store that differ from those that it has. A profile that is not among them is retired: no agent gets it any more.
///
/// The history of a profile stays.
///
/// # Errors
/// Those of the store.
pub(crate) fn put(store: &dyn AgentStore, profiles: &NamedProfiles) -> Result<(), StoreError> {
    for (name, profile) in changes(&store.profiles()?, profiles) {
        store.put_profile(&name, &profile)?;
    }
    Ok(())
}

/// Returns the profiles that the store lacks or has differently.
fn changes(stored: &NamedProfiles, wanted: &NamedProfiles) -> NamedProfiles {
    let known: BTreeMap<&str, Value> = stored
        .iter()
        .map(|(name, profile)| (name.as_str(), definition(profile)))
        .collect();
    let names: BTreeSet<&str> = wanted.iter().map(|(name, _)| name.as_str()).collect();
    let gone = stored
        .iter()
        .filter(|(name, _)| !names.contains(name.as_str()));
    let retired = gone.map(|(name, profile)| (name.clone(), retired(profile)));
    let mut changes: NamedProfiles = wanted.iter().cloned().chain(retired).collect();
    changes.retain(|(name, profile)| known.get(name.as_str()) != Some(&definition(profile)));
    changes
}

/// Returns the profile without its history.
fn definition(profile: &CapabilityProfile) -> Value {
    let mut value = json!(profile);
    value["history"].take();
    value
}

/// Returns the profile with no place for an agent.
fn retired(profile: &CapabilityProfile) -> CapabilityProfile {
    let mut value = json!(profile);
    value["limits"]["max_concurrent_tasks"] = 0.into();
    serde_json::from_value(value).expect("only a number was changed")
}

#[cfg(test)]
mod tests {
    use repertoire::config::{Configuration, HostSettings};
    use repertoire_agents::{AgentPool, AllocationRequest, MemoryAgentStore};

    use super::*;

    fn defined(text: &str) -> NamedProfiles {
        let settings = HostSettings::new("/");
        let configuration = Configuration::parse("repertoire.toml", text, &settings).unwrap();
        let agents = configuration.registries().agents.iter();
        agents
            .map(|agent| (agent.id.to_string(), profile(agent).unwrap()))
            .collect()
    }

    #[test]
    fn a_definition_becomes_a_profile() {
        let profiles = defined(
            r#"
[[registries.agents]]
id = "coder"
command = "coder"
agent-type = "implementer"
lifecycle = "resident"
skills = ["code-review"]
permissions = { tools = ["Read"], deny = ["Bash*"], write-access = true }
limits = { maxConcurrentTasks = 2, timeout_ms = 1000, turns = 20 }
"#,
        );
        let expected = json!({
            "agent_type": "implementer",
            "skills": ["code-review"],
            "permissions": {
                "tools": ["Read"], "deny": ["Bash*"], "write_access": true, "admin_access": false
            },
            "limits": { "max_concurrent_tasks": 2, "token_budget": 100_000, "timeout_ms": 1000 },
            "history": { "successes": 0.0, "failures": 0.0, "cancelled": 0, "total_ms": 0.0 },
            "reusable": true,
        });
        assert_eq!(
            profiles,
            [(
                "coder".to_owned(),
                serde_json::from_value(expected).unwrap()
            )]
        );
    }

    #[test]
    fn an_agent_without_definition_is_retired() {
        let store = MemoryAgentStore::default();
        let both = "[[registries.agents]]\nid = \"a\"\ncommand = \"a\"\n\
                    [[registries.agents]]\nid = \"b\"\ncommand = \"b\"\n";
        put(&store, &defined(both)).unwrap();
        put(&store, &defined("[registries.agents.b]\ncommand = \"b\"\n")).unwrap();
        let request = AllocationRequest::new("T", AgentPool::Review, "T/1");
        let ratings = store.explain(&request).unwrap();
        let eligible: Vec<_> = ratings
            .iter()
            .map(|rating| (rating.profile.as_str(), rating.reasons.is_empty()))
            .collect();
        assert_eq!(eligible, [("b", true), ("a", false)]);
    }

    #[test]
    fn only_changed_profiles_are_written() {
        let one = |name: &str, command: &str, tokens: u32| {
            format!(
                "[[registries.agents]]\nid = {name:?}\ncommand = {command:?}\n\
                 limits = {{ token-budget = {tokens} }}\n"
            )
        };
        let first = defined(&(one("a", "a", 1) + &one("b", "b", 1)));
        let store = MemoryAgentStore::default();
        put(&store, &first).unwrap();
        // The history of the store is not a change.
        let mut stored = store.profiles().unwrap();
        let mut ran = json!(stored[0].1);
        ran["history"]["successes"] = 3.into();
        stored[0].1 = serde_json::from_value(ran).unwrap();
        assert_eq!(changes(&stored, &first), []);
        // The program is not a part of the profile.
        let second = defined(&(one("a", "c", 1) + &one("b", "b", 2)));
        assert_eq!(changes(&stored, &second), [second[1].clone()]);
        put(&store, &Vec::new()).unwrap();
        assert_eq!(changes(&store.profiles().unwrap(), &Vec::new()), []);
    }
}
