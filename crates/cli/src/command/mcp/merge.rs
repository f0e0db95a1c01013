//! Adds a server to the configuration of a client. Everything else in the text stays as it is, comments included.

use jsonc_parser::cst::CstRootNode;
use serde_json::{Map, Value, json};

use super::client::{Language, McpClient};
use crate::settings_file::{json_input, json_with_comments, parse_toml};

/// A server to add: its name, its fields, and the text of a file that has it alone.
pub(super) struct NewServer<'a> {
    pub(super) name: &'a str,
    pub(super) fields: &'a Map<String, Value>,
    pub(super) alone: &'a str,
}

impl McpClient {
    /// Returns the text of a configuration file with the server added, or replaced if it is there.
    ///
    /// # Errors
    /// The reason why the text cannot be changed safely.
    pub(super) fn merged(&self, before: &str, server: &NewServer<'_>) -> Result<String, String> {
        if before.trim().is_empty() {
            return Ok(server.alone.to_owned());
        }
        let mut expected = self.value(before)?;
        let after = match self.language {
            Language::Json => self.with_json(before, server)?,
            Language::Toml => self.with_toml(before, server)?,
            Language::Yaml => self.with_yaml(before, server)?,
        };
        let servers = expected.as_object_mut().ok_or("expected a map")?;
        let servers = servers.entry(self.servers).or_insert_with(|| json!({}));
        let servers = servers.as_object_mut().ok_or_else(|| self.no_map())?;
        servers.insert(server.name.to_owned(), server.fields.clone().into());
        match self.value(&after) {
            Ok(found) if found == expected => Ok(after),
            _ => Err("the entry cannot be added without a change of other settings".to_owned()),
        }
    }

    /// Returns the meaning of a configuration file.
    fn value(&self, text: &str) -> Result<Value, String> {
        match self.language {
            Language::Json => {
                let root = CstRootNode::parse(text, &json_with_comments());
                let value = root.map_err(|error| error.to_string())?.to_serde_value();
                value.ok_or_else(|| "expected a value".to_owned())
            }
            Language::Toml => {
                toml_edit::de::from_str(text).map_err(|error| error.message().to_owned())
            }
            Language::Yaml => serde_saphyr::from_str(text).map_err(|error| error.to_string()),
        }
    }

    fn no_map(&self) -> String {
        format!("expected a map in `{}`", self.servers)
    }

    fn with_json(&self, before: &str, server: &NewServer<'_>) -> Result<String, String> {
        let root = CstRootNode::parse(before, &json_with_comments());
        let root = root.map_err(|error| error.to_string())?;
        let settings = root.object_value_or_create().ok_or("expected a map")?;
        let servers = settings.object_value_or_create(self.servers);
        let servers = servers.ok_or_else(|| self.no_map())?;
        let fields = json_input(&server.fields.clone().into());
        match servers.get(server.name) {
            Some(known) => known.set_value(fields),
            None => drop(servers.append(server.name, fields)),
        }
        Ok(root.to_string())
    }

    fn with_toml(&self, before: &str, server: &NewServer<'_>) -> Result<String, String> {
        let (mut document, alone) = (parse_toml(before)?, parse_toml(server.alone)?);
        let new = alone[self.servers][server.name].as_table_like();
        let new = new.ok_or_else(|| self.no_map())?;
        let servers = document.entry(self.servers).or_insert_with(|| {
            let mut table = toml_edit::Table::new();
            table.set_implicit(true);
            table.into()
        });
        let servers = servers.as_table_like_mut().ok_or_else(|| self.no_map())?;
        if servers.get(server.name).is_none() {
            let mut table = toml_edit::Table::new();
            table.decor_mut().set_prefix("\n");
            servers.insert(server.name, table.into());
        }
        let known = servers.get_mut(server.name);
        let known = known.and_then(|known| known.as_table_like_mut());
        let known = known.ok_or_else(|| format!("expected a map in `{}`", server.name))?;
        known.clear();
        for (key, value) in new.iter() {
            known.insert(key, value.clone());
        }
        Ok(document.to_string())
    }

    /// Adds the lines of the entry below the key of the servers.
    fn with_yaml(&self, before: &str, server: &NewServer<'_>) -> Result<String, String> {
        let key = format!("{}:", self.servers);
        let mut lines: Vec<&str> = before.lines().collect();
        let Some(head) = lines.iter().position(|line| line.starts_with(&key)) else {
            let gap = if before.ends_with('\n') { "" } else { "\n" };
            return Ok(format!("{before}{gap}{}", server.alone));
        };
        let entry = server.alone.lines().skip(1);
        if lines[head][key.len()..].trim() == "{}" {
            lines[head] = &key;
        }
        let below = &lines[head + 1..];
        let is_inside = |line: &&str| line.trim().is_empty() || indent(line) > 0;
        let end = head + 1 + below.iter().take_while(|line| is_inside(line)).count();
        let first = below.iter().find(|line| has_content(line));
        let depth = first.map_or(2, |line| indent(line)).max(1);
        let entry = entry.map(|line| format!("{}{}", " ".repeat(depth), &line[2..]));
        let entry: Vec<String> = entry.collect();
        let name = entry.first().ok_or("the entry has no text")?;
        let known = (head + 1..end).find(|at| lines[*at].trim_end() == name.trim_end());
        let (from, to) = match known {
            Some(from) => {
                let inner = &lines[from + 1..end];
                let is_of = |line: &&&str| !has_content(line) || indent(line) > depth;
                (from, from + 1 + inner.iter().take_while(is_of).count())
            }
            None => (end, end),
        };
        lines.splice(from..to, entry.iter().map(String::as_str));
        Ok(lines.join("\n") + "\n")
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn has_content(line: &str) -> bool {
    let text = line.trim_start();
    !text.is_empty() && !text.starts_with('#')
}

#[cfg(test)]
mod tests;
