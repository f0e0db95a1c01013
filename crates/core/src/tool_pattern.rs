//! Uses of tools, as `allowed-tools` writes them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::InvalidValue;
use crate::text::has_parts;

/// Uses of a tool, as `allowed-tools` and the rules of clients write them, compared letter by letter.
///
/// | written | means |
/// |---|---|
/// | `Read` | every use of `Read` |
/// | `mcp__github__*` | every tool of that server; `mcp__github` alone names no tool and is not read |
/// | `Bash(git status)` | this argument: for a shell the command, for others what their first argument says |
/// | `Bash(git:*)`, `Bash(git *)` | `git`, and everything that begins with this word |
/// | `Read(docs/*.md)` | `*` is any text |
///
/// Dialects differ in the rest: braces, brackets, question marks, variables, a `*` at the beginning. Those are not read, but for
/// the folder of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ToolPattern {
    text: Arc<str>,
    tool: Name,
    argument: Argument,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Name {
    Is(Arc<str>),
    Begins(Arc<str>),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Argument {
    Any,
    Is(Arc<str>),
    /// It begins with these words.
    Begins(Arc<str>),
    /// These parts, with any text between them.
    Parts(Vec<Arc<str>>),
}

impl FromStr for ToolPattern {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<ToolPattern, InvalidValue> {
        let (tool, argument) = match text.split_once('(') {
            None => (text, Some(Argument::Any)),
            Some((tool, rest)) => (tool, rest.strip_suffix(')').and_then(Argument::read)),
        };
        let parts = Name::read(tool).zip(argument);
        let (tool, argument) = parts.ok_or_else(|| unreadable(text))?;
        Ok(ToolPattern {
            text: text.into(),
            tool,
            argument,
        })
    }
}

fn unreadable(text: &str) -> InvalidValue {
    let text = crate::text::terminal_line(text);
    InvalidValue::new(format!(
        "cannot read the tool pattern `{text}`: expected `Tool`, `Tool(words)`, `Tool(words:*)` or `mcp__server__*`"
    ))
}

impl Name {
    fn read(text: &str) -> Option<Name> {
        match text.strip_suffix('*') {
            // All tools of one server, never all servers.
            Some(beginning) => {
                let server = beginning.strip_prefix("mcp__")?.strip_suffix("__")?;
                is_name(server).then(|| Name::Begins(beginning.into()))
            }
            None if is_server_alone(text) => None,
            None => is_name(text).then(|| Name::Is(text.into())),
        }
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/'))
}

fn is_server_alone(name: &str) -> bool {
    name.strip_prefix("mcp__").is_some_and(|rest| {
        rest.split_once("__")
            .is_none_or(|(_, tool)| tool.is_empty())
    })
}

impl Argument {
    fn read(text: &str) -> Option<Argument> {
        const FOREIGN: [char; 10] = ['(', ')', '$', '{', '}', '[', ']', '?', '\\', '`'];
        let text = &words(text);
        if text == "*" {
            return Some(Argument::Any);
        }
        if let Some(beginning) = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"))
            && !beginning.contains('*')
        {
            let readable = !beginning.trim().is_empty()
                && !beginning.contains(FOREIGN)
                && is_simple(beginning);
            return readable.then(|| Argument::Begins(beginning.trim().into()));
        }
        if !text.contains('*') {
            return (!text.is_empty() && !text.contains(FOREIGN))
                .then(|| Argument::Is(text.as_str().into()));
        }
        let readable = !text.starts_with('*')
            && !text.contains(":*")
            && !text.contains(FOREIGN)
            && is_simple(text);
        readable.then(|| Argument::Parts(text.split('*').map(Arc::from).collect()))
    }

    fn has(&self, text: &str) -> bool {
        match self {
            Argument::Any => true,
            Argument::Is(whole) => **whole == *text,
            Argument::Begins(words) => text
                .strip_prefix(words.as_ref())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
            Argument::Parts(parts) => has_parts(text, parts.iter().map(AsRef::as_ref)),
        }
    }
}

/// The variables that stand for the folder of a skill, as bodies have them.
const FOLDER: [&str; 2] = ["${CLAUDE_SKILL_DIR}", "${SKILL_DIR}"];

impl ToolPattern {
    /// Reads a rule of the skill whose `SKILL.md` lies at `location`: `${SKILL_DIR}` and `${CLAUDE_SKILL_DIR}` in it stand for
    /// the folder. No other variable is resolved.
    ///
    /// # Errors
    /// [`InvalidValue`], also for a folder that is not absolute or has characters that a pattern cannot have, such as blanks.
    pub(crate) fn in_skill(
        rule: &str,
        location: Option<&str>,
    ) -> Result<ToolPattern, InvalidValue> {
        if !FOLDER.iter().any(|variable| rule.contains(variable)) {
            return rule.parse();
        }
        let folder = location.and_then(folder).ok_or_else(|| unreadable(rule))?;
        let resolved = FOLDER.iter().fold(rule.to_owned(), |rule, variable| {
            rule.replace(variable, folder)
        });
        resolved.parse().map_err(|_| unreadable(rule))
    }

    /// Returns whether it is about `tool`, with any argument.
    fn is_about(&self, tool: &str) -> bool {
        match &self.tool {
            Name::Is(name) => **name == *tool,
            Name::Begins(beginning) => tool.starts_with(beginning.as_ref()),
        }
    }

    /// Returns whether it certainly covers this use. A wildcard matches no command separator, no redirection and no `..`.
    pub fn covers(&self, tool: &str, argument: &str) -> bool {
        let argument = &words(argument);
        let is_sure = match self.argument {
            Argument::Any | Argument::Is(_) => true,
            Argument::Begins(_) | Argument::Parts(_) => {
                is_simple(argument) && !argument.contains(['$', '`', '\\']) && !climbs(argument)
            }
        };
        self.is_about(tool) && is_sure && self.argument.has(argument)
    }

    /// Returns whether it may be about this use, or about one of the commands that are joined in it.
    pub fn touches(&self, tool: &str, argument: &str) -> bool {
        let mut commands = argument.split(JOINS).chain([argument]).map(words);
        self.is_about(tool)
            && commands.any(|command: String| {
                self.argument.has(&command) || self.argument.has(without_assignments(&command))
            })
    }
}

/// Returns the folder of the file at `location`, if it is absolute and means itself wherever it stands in a command.
fn folder(location: &str) -> Option<&str> {
    let (folder, _) = location.rsplit_once('/')?;
    let rooted = folder
        .strip_prefix(|c: char| c.is_ascii_alphabetic())
        .and_then(|rest| rest.strip_prefix(':'));
    let rest = rooted.unwrap_or(folder);
    (rest.starts_with('/')
        && rest.len() > 1
        && rest.chars().all(|c: char| {
            c.is_alphanumeric() || matches!(c, '/' | '_' | '-' | '.' | '+' | '@' | ',' | '~')
        })
        && !climbs(rest))
    .then_some(folder)
}

const JOINS: [char; 9] = [';', '&', '|', '<', '>', '(', ')', '`', '\n'];

fn is_simple(text: &str) -> bool {
    !text.contains(JOINS) && !text.contains(char::is_control)
}

fn climbs(text: &str) -> bool {
    text.split(|c: char| c == '/' || c == '=' || c == '"' || c == '\'' || c.is_whitespace())
        .any(|part| part == "..")
}

fn words(text: &str) -> String {
    let lines = text
        .trim()
        .split('\n')
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

fn without_assignments(command: &str) -> &str {
    let mut rest = command;
    while let Some((word, behind)) = rest.split_once(' ')
        && word.contains('=')
    {
        rest = behind;
    }
    rest
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests;
