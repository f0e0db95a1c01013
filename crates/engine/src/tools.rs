//! The tools that models find and read skills with.

mod declare;
mod format;
mod options;
mod output;
mod plan;
mod preset;
#[cfg(feature = "process")]
mod process;
mod read;
mod reader;
mod toolset;

pub use format::ToolFormat;
pub use options::ToolOptions;
pub(crate) use output::quoted;
pub use output::{SkillRead, ToolOutput, ToolStatus};
pub use preset::ToolPreset;
#[cfg(feature = "process")]
pub use process::ApprovedCommands;
pub(crate) use read::Wrapped;
pub use reader::{CommandRunner, Instructions, Renderer, SkillReader};
pub use toolset::{LiveTools, Toolset};

#[cfg(test)]
mod tests;
