//! The checks of a case.

use std::ops::RangeInclusive;
use std::time::Duration;

use repertoire_core::Severity;
use repertoire_permission::Audience;
use serde_json::Value;

use super::verdict::Verdict;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Check {
    /// Exactly these effective ids are offered, sorted by bytes.
    Loads(Vec<String>),
    /// These ids are among the offered ones.
    LoadsAtLeast(Vec<String>),
    /// This number of ids is offered.
    LoadCount(usize),
    /// These files are no skills, and each has a diagnostic.
    Skips(Vec<String>),
    /// Exactly these files are overridden by a skill of that id.
    Shadowed(Vec<(String, String)>),
    Field(Subject, Field, Want),
    Body(String, Want),
    Diagnostic {
        level: Option<Severity>,
        path: String,
        has: Option<String>,
    },
    /// No diagnostic above info, for a path or for all.
    NoDiagnostic(Option<String>),
    SaysDropped(String),
    Catalog {
        budget: Option<usize>,
        want: CatalogWant,
    },
    CatalogAtEveryBudget(RangeInclusive<usize>),
    Read {
        name: String,
        path: String,
        want: ReadWant,
    },
    Resources(String, Want),
    UserList(Want),
    Command(CommandLine),
    Render(Box<RenderLine>),
    Activate(Box<Activation>),
    Session(SessionLine),
    Tools(Vec<String>),
    /// The names of skills in the schemas of the tools.
    ToolsEnum(Vec<String>),
    Disabled(Vec<String>, Box<Check>),
    Either(Vec<Check>),
    Never(Vec<Never>),
    /// The time of a full scan.
    Within(Duration),
    /// The peak memory of a full scan, in bytes.
    Memory(u64),
    After {
        /// The number of the step; the first is 1.
        step: usize,
        check: Box<Check>,
    },
    CatalogUnchanged,
    /// The maximum number of watched folders.
    Watches(usize),
    Mcp(McpLine),
}

impl Check {
    /// Returns whether the check makes a call in the session, which cannot be repeated.
    pub(crate) fn is_call(&self) -> bool {
        match self {
            Check::Session(SessionLine::Calls(..)) => true,
            Check::Either(checks) => checks.iter().any(Check::is_call),
            Check::Disabled(_, check) | Check::After { check, .. } => check.is_call(),
            _ => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    Named(String),
    /// The only skill of the case.
    Only,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Field {
    Description,
    AllowedTools,
    DisableModelInvocation,
    UserInvocable,
    ArgumentHint,
    License,
    /// The scope of the root, as the case spells it.
    Source,
    /// Front matter below `metadata`, or at the top level, by dotted path.
    Written(String),
    /// The same value, as text.
    WrittenText(String),
}

/// An expectation about a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Want {
    Is(Value),
    /// Part of a text, or an item of a list.
    Has(String),
    Lacks(String),
    /// In characters.
    Length(usize),
}

impl Want {
    pub(crate) fn check(&self, found: impl Into<Value>) -> Verdict {
        let found = found.into();
        Verdict::of(self.holds(&found), format_args!("{self:?}"), found)
    }

    pub(crate) fn holds(&self, found: &Value) -> bool {
        match self {
            Want::Is(wanted) => wanted == found,
            Want::Has(part) => has(found, part),
            Want::Lacks(part) => !has(found, part),
            Want::Length(length) => found
                .as_str()
                .is_some_and(|text| text.chars().count() == *length),
        }
    }
}

fn has(found: &Value, part: &str) -> bool {
    match found {
        Value::String(text) => text.contains(part),
        Value::Array(items) => items.iter().any(|item| item == part),
        _ => false,
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ReadWant {
    Ok,
    Error,
    Text(Want),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CatalogWant {
    Text(Want),
    /// The number of occurrences of a part.
    Count(String, usize),
    /// Exactly these names, in this order.
    Order(Vec<String>),
    Xml,
    Description(String, Want),
    /// This many processes print the same bytes.
    SameBytes(usize),
    NoCharacter(RangeInclusive<char>),
    /// The number of names, with none omitted.
    AllNames(usize),
    WithinBudget,
    Report(Vec<Tally>),
    ReportNamesShortened,
}

/// A sum of numbers of a catalog's report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) counted: Vec<Counted>,
    pub(crate) allowed: RangeInclusive<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    Listed,
    Shortened,
    Omitted,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandLine {
    pub(crate) arguments: Vec<String>,
    /// Reads a part of the output and closes the pipe.
    pub(crate) reader: Option<Head>,
    pub(crate) wants: Vec<CommandWant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Head {
    Lines(usize),
    Bytes(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommandWant {
    ExitOneOf(Vec<i32>),
    ExitIsNot(i32),
    /// On standard output.
    Json,
    StderrEmpty,
    NoByte(u8),
    NoCharacter(char),
    Within(Duration),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Never {
    Text(String),
    /// A glob for file names in the copy.
    File(String),
    /// The command lines of processes that still run after the case.
    ProcessLeft(Vec<String>),
    ChildDuring(Vec<String>),
    Skill {
        names: Vec<String>,
        field: Option<String>,
    },
    Panic,
    /// `list` fails.
    FailedScan,
    /// A text that is linked to a named test.
    Plain(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Activation {
    pub(crate) by: Audience,
    pub(crate) asked: RequestedSkill,
    pub(crate) want: ActivationWant,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestedSkill {
    Name(String),
    PathOf(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ActivationWant {
    Ok,
    Error,
    ErrorText(Want),
    Text(Want),
    PathOf(String),
    AtMost(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum McpLine {
    List(Want),
    /// A value of the `initialize` result at a dotted path; `*` is every key.
    Initialize {
        path: String,
        value: Value,
    },
    StdoutIsMessages,
    /// One notification for each list with `listChanged`; `*` stands for the list.
    NotifiedOnce {
        notice: String,
        within: Duration,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RenderLine {
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) shell: Shell,
    pub(crate) timeout: Option<Duration>,
    pub(crate) within: Option<Duration>,
    pub(crate) want: RenderWant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shell {
    Off,
    On,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RenderWant {
    Text(Want),
    PathOf { path: String, followed_by: String },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SessionLine {
    Active(Vec<String>),
    Calls(Vec<SessionCall>, Want),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionCall {
    Activate(String),
    Force(String),
    Reset,
}
