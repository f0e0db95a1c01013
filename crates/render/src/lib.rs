//! Rendering of skill bodies for a model: variables, arguments, commands and scripts.
//!
//! A body is parsed once, into a [`Plan`] of literal text and placeholders. Rendering concatenates the parts. Inserted text is never
//! searched for placeholders, so arguments, values of variables and output of commands stay text.
//!
//! ```
//! use repertoire_render::{Arguments, Context, Plan, Syntax};
//!
//! let body = "Review $ARGUMENTS with ${SKILL_DIR}/rules.md.\n\nNow: !`date`\n\nAn example: ``!`date` `` costs $5.\n";
//! let plan = Plan::new(body, &Syntax::default());
//!
//! // The directives are known before any argument is.
//! assert_eq!(plan.directives().len(), 1);
//! assert_eq!(plan.directives()[0].to_string(), "date");
//!
//! let context = Context::new().arguments(Arguments::new("src/ !`rm x`")).skill_dir("/skills/review");
//! let rendered = plan.render(&context, [])?;
//! assert_eq!(
//!     rendered.text,
//!     "Review src/ !`rm x` with /skills/review/rules.md.\n\n\
//!      Now: !`date` [shell command execution disabled by policy]\n\n\
//!      An example: ``!`date` `` costs $5.\n"
//! );
//! # Ok::<(), repertoire_render::RenderError>(())
//! ```
//!
//! # Placeholders
//! Placeholders are in text only: not in code spans, fenced or indented code, or comments. So a skill can document them. In the
//! dialect `claude` the variables of folders are replaced in code too.
//!
//! | written | replaced by |
//! |---|---|
//! | `$ARGUMENTS` | the arguments as typed |
//! | `$ARGUMENTS[N]`, `${N}` | one word of them, counted as the [`Dialect`] does |
//! | `$N` | the same, if the skill declares `arguments` or a dialect is named; else it may be a price, or a field of `awk` |
//! | `$name` | the word at the position of `name` in the skill's `arguments` |
//! | `${NAME}` | a variable: built in, of the host or of the skill; see [`Context`] |
//! | `` !`command` `` | the output of a command, at the start of a line or after a blank |
//! | a fence with the info string `!` | the output of a command of several lines |
//! | `!{script: path, key: value}` | the output of a script of the skill, at the start of a line or after a blank, on one line |
//!
//! In the dialect `openclaw`, `{baseDir}` is the only placeholder: the folder of the skill, in text and code.
//!
//! - A backslash before a placeholder makes it text, and is removed. It has no effect before a variable in braces.
//! - Words are matched whole: `$10` is the tenth argument, and `$ARGUMENTSX` is text.
//! - A number without an argument is unchanged, and a name without one is removed.
//! - Arguments that no placeholder uses are appended in a last line.
//!
//! # For hosts
//! Commands and scripts are off by default. A host that runs them asks [`ApprovalState::permit`] for each: the source must be
//! trusted, and the content [approved](CommandApprovals). A refused directive leaves a note in the text and a [`DirectiveOutcome`].
//!
//! With the feature `process`, `DirectiveRunner` runs permitted directives in the folder of the skill, with few variables, limits of
//! time and output, and no process left at the end. On Linux a helper program ends all descendants, and a `Confinement` restricts
//! files, privileges and sockets. The helper program, and the function `helper` for hosts that are their own, need the feature
//! `sandbox`.
//!
//! [`Wrapper`] puts an element with the name of the skill and its folder around a body.
//!
//! # For authors of skills
//! One line of output replaces the command in place. Several lines are fenced, as is a line that opens code or a comment. Control
//! sequences are removed, and tags of wrappers are escaped. A command that fails leaves its output and its exit code.
//!
//! # Limits
//! - A script directive has at most 4096 bytes.
//! - A code span over several lines is never a command.
//! - Directives in a block of HTML are ignored, and placeholders there are replaced.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod approvals;
mod arguments;
mod context;
mod dialect;
mod directive;
mod outcome;
mod plan;
#[cfg(feature = "process")]
mod process;
mod region;
mod rendered;
mod script;
mod substitution;
mod syntax;
mod warning;
mod wrapper;

pub use approvals::{ApprovalState, Binding, CommandApprovals};
pub use arguments::Arguments;
pub use context::{Context, Unknown};
pub use dialect::Dialect;
pub use directive::{Directive, DirectiveAction};
pub use outcome::{
    CapturedOutput, CompletedRun, DirectiveOutcome, MissingRule, Refusal, RunEnd, Sandbox,
};
pub use plan::Plan;
#[cfg(feature = "process")]
pub use process::{Call, CommandShell, Confinement, DirectiveRunner, RunLimits};
#[cfg(all(target_os = "linux", feature = "sandbox"))]
pub use process::{SUPERVISE, helper};
pub use rendered::{RenderError, RenderOutput};
#[cfg(feature = "process")]
pub use repertoire_process::ApprovalFile;
pub use repertoire_process::CleanupScope;
pub use syntax::{DialectBy, Syntax};
pub use warning::Warning;
pub use wrapper::Wrapper;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
