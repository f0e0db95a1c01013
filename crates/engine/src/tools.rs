//! The tools that a model finds and reads skills with.

mod answer;
mod arguments;
mod commands;
mod declare;
mod instructions;
mod list;
mod live;
mod options;
mod preset;
#[cfg(feature = "process")]
mod process;
mod provider;
mod read;
mod reader;
mod renderer;
#[cfg(test)]
mod tests;
mod toolset;
mod wrapped;

pub use answer::{Answer, AnswerCode, SkillRead};
pub use commands::{Asked, Commands};
pub use instructions::Instructions;
pub use live::LiveTools;
pub use options::ToolOptions;
pub use preset::{ReadTool, ResourceTool, Rows, ToolPreset, Wrapper};
#[cfg(feature = "process")]
pub use process::ApprovedCommands;
pub use provider::ToolFormat;
pub use reader::Reader;
pub use renderer::Renderer;
pub use toolset::Toolset;
