//! The instructions of a skill as text for a model: variables, arguments, commands and scripts, where they are meant and
//! nowhere else.
//!
//! A body is read once, into a [`Plan`]: what of it is literal, and what stands for something else. Rendering writes the
//! parts one behind the other. Nothing is ever searched for in what was inserted, so what is typed, what a variable holds and
//! what a command prints stay text.
//!
//! ```
//! use repertoire_render::{Arguments, Context, Plan, Syntax};
//!
//! let body = "Review $ARGUMENTS with ${SKILL_DIR}/rules.md.\n\nNow: !`date`\n\nAn example: ``!`date` `` costs $5.\n";
//! let plan = Plan::new(body, &Syntax::default());
//!
//! // What it would run is known before anything is typed.
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
//! # What stands for something else
//! In text only: not in code spans, fenced or indented code, or comments. What documents a placeholder keeps it. One
//! exception: in the dialect `claude`, the variables of folders stand for them in code too.
//!
//! | written | is |
//! |---|---|
//! | `$ARGUMENTS` | what was typed, as it was typed |
//! | `$ARGUMENTS[N]`, `${N}` | one word of it; from which number they count is the [`Dialect`]'s |
//! | `$N` | the same, if the skill declares `arguments` or somebody named a dialect; else a price, or `awk`'s |
//! | `$name` | the word at the place of `name` in the skill's `arguments` |
//! | `${NAME}` | a variable: built in, of the host or of the skill; see [`Context`] |
//! | `` !`command` `` | a command, at the start of a line or after a blank |
//! | a fence whose info string is `!` | a command of several lines |
//! | `!{script: path, key: value}` | a script of the skill, at the start of a line or after a blank, on one line |
//!
//! In the dialect `openclaw` only `{baseDir}` stands for something, the folder of the skill, and it does so in code too.
//!
//! A backslash before any of these makes it text, and goes; before a variable in braces it does not.
//! Words are taken whole: `$10` is the tenth, `$ARGUMENTSX` nothing. A number without an argument stays as it is, a name
//! without one becomes nothing, and arguments that no placeholder took are told in a last line.
//!
//! # For hosts
//! Commands and scripts are off. [`Rights::permit`] is the one place that decides whether one may run, and says who refused:
//! the host's switch, the trust of the source, the [approval](Approvals) of exactly this content, the host's gate. What may
//! not run leaves a note in the text and a typed [`Outcome`], and the body is rendered.
//!
//! With the feature `process`, `Runner` runs what was permitted: a shell of the host's choice, the folder of the skill, few
//! variables, limits on time and output, and no process left when it returns or is dropped. On Linux a helper sees to that,
//! and a `Confinement` takes from what runs what it does not need: files, new privileges, sockets; each run tells what was
//! kept of both. The helper program, and the function `helper` for hosts that are their own, come with the feature `sandbox`.
//!
//! [`Wrapper`] puts around a body whose it is and where its relative paths start.
//!
//! # For authors of skills
//! What a command prints stands where the command stood: one line as it is, more of them in a fence, as does one that begins
//! code or a comment. It is cleaned of what a terminal would obey, and of tags that could close what stands around a skill. A
//! command that fails leaves its output, and how it ended.
//!
//! # For whoever changes this crate
//! The order of work is the order of the modules: `region` tells text from the rest, `plan` finds what stands for something
//! else, `rendered` writes, `shown` says what stands in place of a directive. Without the feature `process` nothing here touches
//! the world, and with it only the module of that name. The laws in `tests/laws` are held by property tests and by a fuzz target.
//!
//! # Limits
//! A script directive is at most 4096 bytes long. A skill that uses what CommonMark calls a code span over several lines has
//! no command there. Placeholders in a block of HTML are found, directives are not.

mod approvals;
mod arguments;
mod compat;
mod context;
mod dialect;
mod directive;
mod outcome;
mod placeholder;
mod plan;
#[cfg(feature = "process")]
mod process;
mod region;
mod rendered;
mod rights;
mod sandbox;
mod script;
mod shown;
mod sweep;
mod syntax;
mod warning;
mod work;
mod wrapper;

pub use approvals::{Approval, Approvals, Approved, Binding};
pub use arguments::Arguments;
pub use compat::Compat;
pub use context::{Context, OnRefusal, OnSuccess, Unknown, Unplaced};
pub use dialect::{Dialect, Surplus, UnknownDialect};
pub use directive::{Action, Directive, directives};
pub use outcome::{Ended, Failure, Outcome, Printed, Refusal, Run};
pub use placeholder::{Placeholder, PlaceholderKind};
pub use plan::Plan;
#[cfg(feature = "process")]
pub use process::{Call, Confinement, ENVIRONMENT, Limits, Runner, Shell};
#[cfg(all(target_os = "linux", feature = "sandbox"))]
pub use process::{HOLD, helper};
pub use rendered::{RenderError, Rendered};
pub use rights::{Rights, Switch, Verdict};
pub use sandbox::{Gap, Sandbox};
pub use sweep::Sweep;
pub use syntax::{DialectBy, Reach, Syntax};
pub use warning::Warning;
pub use wrapper::Wrapper;
