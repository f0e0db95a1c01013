//! The tools of servers that a skill declares.

use std::sync::Arc;

use repertoire_core::Skill;

use crate::exposed_name::split_name;
use crate::tool_rules::Wildcard;

/// The tools of one server that a skill declares: `mcp__server__tool`, or `mcp__server__*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolSelector {
    /// The text of the skill.
    pub(crate) text: Arc<str>,
    pub(crate) server: Arc<str>,
    pub(crate) tool: Wildcard,
}

impl ToolSelector {
    /// Reads a selector. A server has no `*`, so that no skill selects the tools of all servers.
    fn parse(text: &str) -> Option<ToolSelector> {
        let (server, tool) = split_name(text)?;
        let is_readable = !server.contains(['*', '?', '{', '[', '('])
            && !tool.contains(['(', ')'])
            && !text.contains(char::is_control);
        is_readable.then(|| ToolSelector {
            text: text.into(),
            server: server.into(),
            tool: Wildcard::new(tool),
        })
    }
}

/// The tools of servers that a skill declares.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DeclaredTools {
    /// Those of `required_tools`.
    pub(crate) required: Vec<ToolSelector>,
    /// Those of `allowed-tools`, which may be tools of a different host.
    pub(crate) allowed: Vec<ToolSelector>,
    /// The items of `required_tools` that begin like tools of a server and cannot be read.
    pub(crate) unreadable: Vec<Arc<str>>,
}

impl DeclaredTools {
    pub(crate) fn of(skill: &Skill) -> DeclaredTools {
        let mut declared = DeclaredTools::default();
        for text in skill.required_tools() {
            if !text.starts_with("mcp__") {
                continue;
            }
            match ToolSelector::parse(text) {
                Some(selector) => declared.required.push(selector),
                None => declared.unreadable.push(text.into()),
            }
        }
        let allowed = skill.allowed_tools.iter().flatten();
        declared.allowed = allowed
            .filter_map(|text| ToolSelector::parse(text))
            .collect();
        declared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tools_of_one_server_are_selected() {
        for (text, selected) in [
            ("mcp__time__now", Some(("time", "now"))),
            ("mcp__time__*", Some(("time", "*"))),
            ("mcp__time__get_*", Some(("time", "get_*"))),
            ("mcp__a__b__c", Some(("a", "b__c"))),
            ("mcp__time", None),
            ("mcp__time__", None),
            ("mcp____now", None),
            ("mcp__*", None),
            ("mcp__*__now", None),
            ("mcp__{a,b}__now", None),
            ("mcp__time__now(x)", None),
            ("*", None),
            ("Bash", None),
        ] {
            let selector = ToolSelector::parse(text);
            let found = selector
                .as_ref()
                .map(|selector| (selector.server.to_string(), selector.tool.to_string()));
            let expected = selected.map(|(server, tool)| (server.to_owned(), tool.to_owned()));
            assert_eq!(found, expected, "{text}");
        }
    }
}
