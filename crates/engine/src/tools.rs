//! The tools that models find and read skills with.

mod commands;
mod declare;
mod options;
mod output;
#[cfg(feature = "process")]
mod process;
mod read;
mod reader;
mod toolset;

pub use commands::{CommandRequest, CommandRunner};
pub use declare::ToolFormat;
pub use options::{BodyWrapper, ReadTool, ResourceTool, RowFormat, ToolOptions, ToolPreset};
pub use output::{SkillRead, ToolOutput, ToolStatus};
#[cfg(feature = "process")]
pub use process::ApprovedCommands;
pub(crate) use read::Wrapped;
pub use reader::{Instructions, Renderer, SkillReader};
pub(crate) use toolset::quoted;
pub use toolset::{LiveTools, Toolset};

#[cfg(test)]
mod tests;
