//! The tools that models find and read skills with.

mod declare;
mod format;
mod options;
mod output;
#[cfg(feature = "process")]
mod process;
mod read;
mod reader;
mod toolset;

pub use format::ToolFormat;
pub use options::{ToolOptions, ToolPreset};
pub use output::{SkillRead, ToolOutput, ToolStatus};
#[cfg(feature = "process")]
pub use process::ApprovedCommands;
pub(crate) use read::Wrapped;
pub use reader::{CommandRunner, Instructions, Renderer, SkillReader};
pub(crate) use toolset::quoted;
pub use toolset::{LiveTools, Toolset};

#[cfg(test)]
mod tests;
