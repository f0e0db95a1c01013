//! The tools that a model finds and reads skills with.

mod commands;
mod declare;
mod options;
mod output;
#[cfg(feature = "process")]
mod process;
mod read;
mod reader;
mod toolset;

pub use commands::{Asked, Commands};
pub use declare::ToolFormat;
pub use options::{ReadTool, ResourceTool, Rows, ToolOptions, ToolPreset, Wrapper};
pub use output::{Answer, AnswerCode, SkillRead};
#[cfg(feature = "process")]
pub use process::ApprovedCommands;
pub(crate) use read::Wrapped;
pub use reader::{Instructions, Reader, Renderer};
pub(crate) use toolset::quoted;
pub use toolset::{LiveTools, Toolset};

#[cfg(test)]
mod tests;
