//! The names under which clients get the tools of servers.

use std::sync::Arc;

use repertoire_core::{Digest, ToolSpec};

/// The most characters of a name that every client accepts.
const MOST: usize = 64;
/// The hexadecimal digits that make a changed name unique.
const DIGITS: usize = 8;

/// Returns the name under which clients get `tool` of `server`: the full name, if every client accepts it and if it is the name of
/// no other tool. Otherwise characters are replaced, the end is cut, and digits of a digest of both names follow.
pub(crate) fn exposed_name(server: &str, tool: &str) -> Arc<str> {
    let full = format!("mcp__{server}__{tool}");
    if ToolSpec::is_name(&full) && split_name(&full) == Some((server, tool)) {
        return full.into();
    }
    let mut name: String = full
        .chars()
        .map(|c| match c {
            '-' | '_' => c,
            c if c.is_ascii_alphanumeric() => c,
            _ => '_',
        })
        .take(MOST - DIGITS - 1)
        .collect();
    let digest = Digest::of(format!("{server}\0{tool}").as_bytes());
    name.push('_');
    for byte in &digest.as_bytes()[..DIGITS / 2] {
        name.push_str(&format!("{byte:02x}"));
    }
    name.into()
}

/// Splits `mcp__SERVER__TOOL` at the first `__` behind the server.
pub(crate) fn split_name(name: &str) -> Option<(&str, &str)> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_clients_accept_stay() {
        for (server, tool) in [("time", "now"), ("a", "b__c"), ("a-1", "_x"), ("a_b", "c_")] {
            assert_eq!(
                exposed_name(server, tool).as_ref(),
                format!("mcp__{server}__{tool}")
            );
        }
    }

    #[test]
    fn other_names_get_a_digest() {
        let names = [
            ("fs", "read.file"),
            ("fs", "read file"),
            ("fs", "read/file"),
            ("fs", "rеad"),
            ("a__b", "c"),
            ("a_", "b"),
            ("fs", &"x".repeat(80)),
            ("fs", &"x".repeat(81)),
        ]
        .map(|(server, tool)| exposed_name(server, tool));
        for (at, name) in names.iter().enumerate() {
            assert!(ToolSpec::is_name(name), "{name}");
            assert!(!names[..at].contains(name), "{name} comes twice");
        }
        assert_eq!(names[0], exposed_name("fs", "read.file"));
        assert!(names[0].starts_with("mcp__fs__read_file_"), "{}", names[0]);
        assert_eq!(names[6].len(), MOST);
    }
}
