//! What a line of an `expect.txt` asks for.

mod door;
mod mcp;
mod render;
mod session;

use std::ops::RangeInclusive;
use std::time::Duration;

use repertoire_core::Severity;
use serde_json::Value;

pub(crate) use self::door::{Activation, ActivationWant, Asked};
pub(crate) use self::mcp::McpLine;
pub(crate) use self::render::{RenderLine, RenderWant, Shell};
pub(crate) use self::session::{SessionCall, SessionLine};

/// One check.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Check {
    /// Exactly these effective ids are offered, sorted by bytes.
    Loads(Vec<String>),
    /// These are among them.
    LoadsAtLeast(Vec<String>),
    /// So many are.
    LoadCount(usize),
    /// These files give no skill, and something is said about each.
    Skips(Vec<String>),
    /// These files, and no others, are hidden by a winner of that id.
    Shadowed(Vec<(String, String)>),
    Field(Subject, Field, Want),
    Body(String, Want),
    /// A finding on a path; of any level if none is given.
    Finding {
        level: Option<Severity>,
        path: String,
        has: Option<String>,
    },
    /// Nothing above info, on a path or on any.
    NoFinding(Option<String>),
    /// A finding says that this was dropped.
    SaysDropped(String),
    Catalog {
        budget: Option<usize>,
        want: CatalogWant,
    },
    /// No panic, and text, for each of these budgets.
    CatalogAtEveryBudget(RangeInclusive<usize>),
    Read {
        name: String,
        path: String,
        want: ReadWant,
    },
    Resources(String, Want),
    /// The ids that a user is offered.
    UserList(Want),
    Command(CommandLine),
    Render(Box<RenderLine>),
    Activate(Box<Activation>),
    Session(SessionLine),
    /// Exactly these tools are offered to a model.
    Tools(Vec<String>),
    /// They take exactly these names of skills.
    ToolsEnum(Vec<String>),
    /// While these skills are switched off.
    Disabled(Vec<String>, Box<Check>),
    /// One of them holds.
    Either(Vec<Check>),
    /// None of them happens.
    Never(Vec<Never>),
    /// A full scan takes no longer.
    Within(Duration),
    /// A full scan never holds as many bytes.
    Memory(u64),
    /// After a step, once the registry has caught up with it.
    After {
        /// From 1.
        step: usize,
        check: Box<Check>,
    },
    /// The catalog is what it was before the step, byte for byte.
    CatalogUnchanged,
    /// The registry watches no more folders.
    Watches(usize),
    /// What a client of the MCP server sees.
    Mcp(McpLine),
}

impl Check {
    /// Whether verifying it calls the one session, so that a second time has another answer.
    pub(crate) fn is_call(&self) -> bool {
        match self {
            Check::Session(SessionLine::Calls(..)) => true,
            Check::Either(checks) => checks.iter().any(Check::is_call),
            Check::Disabled(_, check) | Check::After { check, .. } => check.is_call(),
            _ => false,
        }
    }
}

/// Whose field is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    Named(String),
    /// The case has but one skill.
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
    /// The same, as the text its author typed.
    WrittenText(String),
}

/// What is asked of a found value.
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
    pub(crate) fn holds(&self, found: &Value) -> bool {
        let has = |part: &str| match found {
            Value::String(text) => text.contains(part),
            Value::Array(items) => items.iter().any(|item| item == part),
            _ => false,
        };
        match self {
            Want::Is(wanted) => wanted == found,
            Want::Has(part) => has(part),
            Want::Lacks(part) => !has(part),
            Want::Length(length) => found.as_str().is_some_and(|text| text.chars().count() == *length),
        }
    }
}

/// What is asked of a file that is read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ReadWant {
    Ok,
    Error,
    Text(Want),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CatalogWant {
    Text(Want),
    /// A part comes so many times.
    Count(String, usize),
    /// Exactly these names, in this order.
    Order(Vec<String>),
    Xml,
    /// What a reader of the catalog takes for the description of a skill.
    Description(String, Want),
    /// So many fresh processes print the same bytes.
    SameBytes(usize),
    NoCharacter(RangeInclusive<char>),
    /// So many names, and none is left out.
    AllNames(usize),
    WithinBudget,
    Report(Vec<Tally>),
    /// The report names every shortened skill with its old and its new length.
    ReportNamesShortened,
}

/// One number of a catalog's report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Added up.
    pub(crate) counted: Vec<Counted>,
    pub(crate) allowed: RangeInclusive<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    Listed,
    Shortened,
    Omitted,
}

/// A line for the real binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandLine {
    pub(crate) arguments: Vec<String>,
    /// Who reads its output and then closes the pipe.
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
    /// In nothing that the case printed or rendered.
    Text(String),
    /// Of a name that fits, anywhere in the copy.
    File(String),
    /// Of one of these command lines, when all is over.
    ProcessLeft(Vec<String>),
    /// While one of these commands runs.
    ChildDuring(Vec<String>),
    /// Of one of these names; if a field is given, one that declares it.
    Skill {
        names: Vec<String>,
        field: Option<String>,
    },
    Panic,
    /// A fresh process that lists everything ends with an exit code that is not 0.
    FailedScan,
    /// In plain words: a named test shows it.
    Plain(String),
}
