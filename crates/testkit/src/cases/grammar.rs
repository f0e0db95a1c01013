//! Parsing `expect.txt`.

mod catalog;
mod combined;
mod command;
mod delivery;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use repertoire_core::Severity;

use crate::cases::check::{Check, Field, ReadWant, Subject, Want};
use crate::cases::scan::{ParseError, Scan};

/// A parsed `expect.txt`.
#[derive(Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) kind: String,
    pub(crate) layout: Layout,
    /// The working folder, relative to the case.
    pub(crate) cwd: PathBuf,
    pub(crate) steps: usize,
    pub(crate) lines: Vec<Line>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Layout {
    /// From low to high priority.
    Roots(Vec<Root>),
    /// The default folders.
    Discovered,
    PluginCache(PathBuf),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) path: PathBuf,
    pub(crate) scope: Scope,
    pub(crate) admitted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    Builtin,
    Project,
    User,
    Plugin(String),
}

/// A line with a check.
#[derive(Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) number: usize,
    pub(crate) text: String,
    pub(crate) check: Result<Check, ParseError>,
}

/// The state of the lines above.
#[derive(Debug, Default)]
struct Previous {
    /// The start of the last `render` or `activate` line.
    subject: Option<String>,
}

impl Case {
    /// Parses all lines. A line with an error is kept with it.
    pub(crate) fn parse(expect: &str) -> Case {
        let mut case = Case {
            kind: String::new(),
            layout: Layout::Roots(vec![Root {
                path: "root".into(),
                scope: Scope::User,
                admitted: true,
            }]),
            cwd: PathBuf::new(),
            steps: 0,
            lines: Vec::new(),
        };
        let mut previous = Previous::default();
        for (number, text) in (1..)
            .zip(expect.lines())
            .filter(|(_, text)| !text.trim().is_empty())
        {
            let check = match case.header(&mut Scan::new(text)) {
                Ok(true) => continue,
                Ok(false) => check(text, &mut previous),
                Err(unread) => Err(unread),
            };
            case.lines.push(Line {
                number,
                text: text.to_owned(),
                check,
            });
        }
        if case.kind.is_empty() {
            let check = Err("expected a line `kind:` that begins with a letter".to_owned());
            case.lines.push(Line {
                number: 0,
                text: "kind:".to_owned(),
                check,
            });
        }
        case
    }

    /// Returns whether the registry has to watch for changes.
    pub(crate) fn is_live(&self) -> bool {
        self.steps > 0
            || self
                .lines
                .iter()
                .any(|line| matches!(line.check, Ok(Check::Watches(_))))
    }

    /// Returns whether a check needs an MCP client.
    pub(crate) fn needs_client(&self) -> bool {
        fn needs_client(check: &Check) -> bool {
            match check {
                Check::Mcp(_) => true,
                Check::After { check, .. } => needs_client(check),
                Check::Either(checks) => checks.iter().any(needs_client),
                _ => false,
            }
        }
        self.lines
            .iter()
            .any(|line| line.check.as_ref().is_ok_and(needs_client))
    }

    /// Parses a line of documentation or set-up, and returns whether it was one.
    fn header(&mut self, scan: &mut Scan<'_>) -> Result<bool, ParseError> {
        if ["case:", "source:", "about:", "why:"]
            .into_iter()
            .any(|label| scan.take(label))
        {
            return Ok(true);
        }
        if scan.take("kind:") {
            let kind = scan.word()?;
            if !matches!(kind.as_bytes(), [b'A'..=b'Z']) {
                return Err(format!("expected the letter of a kind, found `{kind}`"));
            }
            self.kind = kind.to_owned();
        } else if scan.take("setup:") {
            scan.expect("setup.sh")?;
            scan.end()?;
        } else if scan.take("steps:") {
            scan.expect("steps.sh")?;
            scan.expect("(")?;
            self.steps = scan.number()?;
            scan.expect(")")?;
            scan.end()?;
        } else if scan.take("cwd:") {
            self.cwd = scan.json()?;
            scan.end()?;
        } else if scan.take("roots:") {
            self.layout = if scan.take("auto") {
                Layout::Discovered
            } else {
                Layout::Roots(roots(scan)?)
            };
            scan.end()?;
        } else if scan.take("plugin-cache:") {
            self.layout = Layout::PluginCache(scan.json()?);
            scan.end()?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}

fn roots(scan: &mut Scan<'_>) -> Result<Vec<Root>, ParseError> {
    let rows: Vec<Vec<String>> = scan.json()?;
    rows.iter()
        .map(|row| {
            let (path, scope, admitted) = match row.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                [path, scope] | [path, scope, "trusted"] => (path, scope, true),
                [path, scope, "untrusted"] => (path, scope, false),
                _ => return Err(format!("expected `[path, scope]` or `[path, scope, trust]`, found {row:?}")),
            };
            let scope = match scope.split_once(':') {
                None if scope == "builtin" => Scope::Builtin,
                None if scope == "project" => Scope::Project,
                None if scope == "user" => Scope::User,
                Some(("plugin", name)) if !name.is_empty() && !name.contains(':') => Scope::Plugin(name.to_owned()),
                _ => return Err(format!("expected `builtin`, `project`, `user` or `plugin:NAME`, found `{scope}`")),
            };
            Ok(Root { path: path.into(), scope, admitted })
        })
        .collect()
}

fn check(text: &str, previous: &mut Previous) -> Result<Check, ParseError> {
    let scan = &mut Scan::new(text);
    if scan.take("either:") {
        return combined::either(scan.rest(), previous);
    }
    if scan.take("never:") {
        return combined::never(scan.rest()).map(Check::Never);
    }
    let check = statement(scan, previous)?;
    scan.end()?;
    Ok(check)
}

fn statement(scan: &mut Scan<'_>, previous: &mut Previous) -> Result<Check, ParseError> {
    if let Some(check) = listing_statement(scan)? {
        return Ok(check);
    }
    if scan.take("body") {
        Ok(Check::Body(scan.name()?, text_want(scan)?))
    } else if scan.take("diag") {
        diagnostic(scan)
    } else if scan.take("catalog") {
        catalog::catalog(scan)
    } else if scan.take("read") {
        Ok(Check::Read {
            name: scan.name()?,
            path: scan.name()?,
            want: read_want(scan)?,
        })
    } else if scan.take("resources") {
        Ok(Check::Resources(scan.name()?, want(scan)?))
    } else if scan.take("user-list") {
        Ok(Check::UserList(want(scan)?))
    } else if scan.take("activate") {
        delivery::activate(scan, previous)
    } else if scan.take("session:") {
        delivery::session(scan).map(Check::Session)
    } else if scan.take("tools") {
        delivery::tools(scan)
    } else if scan.take("with") {
        delivery::with(scan, previous)
    } else if scan.take("render") {
        delivery::render(scan, previous)
    } else if scan.take("cli") {
        command::command(scan)
    } else if scan.take("within:") {
        scan.duration().map(Check::Within)
    } else if scan.take("memory:") {
        scan.expect("<")?;
        let megabytes: u64 = scan.number()?;
        scan.expect("MB")?;
        Ok(Check::Memory(megabytes * 1_000_000))
    } else if scan.take("after") {
        after(scan, previous)
    } else if scan.take("mcp") {
        delivery::mcp(scan)
    } else if scan.take("catalog-version unchanged") {
        Ok(Check::CatalogUnchanged)
    } else if scan.take("watches:") {
        scan.expect("<=")?;
        let limit = scan.number()?;
        scan.expect("(inotify lines in /proc/<pid>/fdinfo)")?;
        Ok(Check::Watches(limit))
    } else {
        Err(scan.unread("a check"))
    }
}

fn listing_statement(scan: &mut Scan<'_>) -> Result<Option<Check>, ParseError> {
    Ok(Some(if scan.take("loads:") {
        Check::Loads(scan.json()?)
    } else if scan.take("loads-at-least:") {
        Check::LoadsAtLeast(scan.json()?)
    } else if scan.take("loads") {
        Check::LoadsAtLeast(vec![scan.name()?])
    } else if scan.take("count") {
        scan.expect("loads")?;
        Check::LoadCount(scan.number()?)
    } else if scan.take("skips:") {
        Check::Skips(scan.json()?)
    } else if scan.take("skips") {
        Check::Skips(vec![scan.name()?])
    } else if scan.take("shadowed:") {
        Check::Shadowed(scan.json()?)
    } else if scan.take("field") {
        let subject = Subject::Named(scan.name()?);
        let field = field(scan)?;
        Check::Field(subject, field, want(scan)?)
    } else if scan.take("text") {
        written_text(scan)?
    } else {
        return Ok(None);
    }))
}

fn written_text(scan: &mut Scan<'_>) -> Result<Check, ParseError> {
    let subject = Subject::Named(scan.name()?);
    let word = scan.word()?;
    let path =
        written(word).ok_or_else(|| format!("expected `metadata.` or `extra.`, found `{word}`"))?;
    scan.expect("=")?;
    Ok(Check::Field(
        subject,
        Field::WrittenText(path),
        Want::Is(scan.json::<String>()?.into()),
    ))
}

fn field(scan: &mut Scan<'_>) -> Result<Field, ParseError> {
    let word = scan.word()?;
    Ok(match word {
        "description" => Field::Description,
        "allowed_tools" => Field::AllowedTools,
        "disable_model_invocation" => Field::DisableModelInvocation,
        "user_invocable" => Field::UserInvocable,
        "argument_hint" => Field::ArgumentHint,
        "license" => Field::License,
        "source" => Field::Source,
        _ => Field::Written(
            written(word).ok_or_else(|| format!("expected a field, found `{word}`"))?,
        ),
    })
}

/// Returns the dotted path in the front matter of `metadata.x.y` or `extra.x`.
fn written(word: &str) -> Option<String> {
    match word.split_once('.')? {
        (_, "") => None,
        ("metadata", _) => Some(word.to_owned()),
        ("extra", path) => Some(path.to_owned()),
        _ => None,
    }
}

fn want(scan: &mut Scan<'_>) -> Result<Want, ParseError> {
    if scan.take("=") {
        scan.json().map(Want::Is)
    } else if scan.take("length") {
        scan.number().map(Want::Length)
    } else if scan.take("has") {
        scan.json().map(Want::Has)
    } else if scan.take("lacks") {
        scan.json().map(Want::Lacks)
    } else {
        Err(scan.unread("`=`, `has`, `lacks` or `length`"))
    }
}

fn text_want(scan: &mut Scan<'_>) -> Result<Want, ParseError> {
    match want(scan)? {
        Want::Is(value) if !value.is_string() => Err(format!("expected a text, found `{value}`")),
        want => Ok(want),
    }
}

fn read_want(scan: &mut Scan<'_>) -> Result<ReadWant, ParseError> {
    if scan.take("= ok") {
        Ok(ReadWant::Ok)
    } else if scan.take("= error") {
        Ok(ReadWant::Error)
    } else {
        text_want(scan).map(ReadWant::Text)
    }
}

fn diagnostic(scan: &mut Scan<'_>) -> Result<Check, ParseError> {
    if scan.take("none") {
        return Ok(Check::NoDiagnostic(if scan.take("*") {
            None
        } else {
            Some(scan.name()?)
        }));
    }
    let level = if scan.take("any") {
        None
    } else if scan.take("warning") {
        Some(Severity::Warning)
    } else if scan.take("error") {
        Some(Severity::Error)
    } else {
        return Err(scan.unread("`error`, `warning`, `any` or `none`"));
    };
    let path = scan.name()?;
    let has = if scan.take("has") {
        Some(scan.json()?)
    } else {
        None
    };
    Ok(Check::Diagnostic { level, path, has })
}

fn after(scan: &mut Scan<'_>, previous: &mut Previous) -> Result<Check, ParseError> {
    let step = scan.number()?;
    match wrapped(scan, previous)? {
        Check::After { .. } | Check::Never(_) => {
            Err("expected a check that holds after the step".to_owned())
        }
        check => Ok(Check::After {
            step,
            check: Box::new(check),
        }),
    }
}

fn wrapped(scan: &mut Scan<'_>, previous: &mut Previous) -> Result<Check, ParseError> {
    check(std::mem::replace(scan, Scan::new("")).rest(), previous)
}
