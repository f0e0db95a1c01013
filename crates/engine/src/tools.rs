//! The tools that a model finds and reads skills with.

mod answer;
mod arguments;
mod declare;
mod list;
mod live;
mod options;
mod preset;
mod provider;
mod read;
mod reader;
#[cfg(test)]
mod tests;
mod toolset;
mod wrapped;

pub use answer::{Answer, AnswerCode, SkillRead};
pub use live::LiveTools;
pub use options::ToolOptions;
pub use preset::{ReadTool, ResourceTool, Rows, ToolPreset, Wrapper};
pub use provider::ToolFormat;
pub use reader::Reader;
pub use toolset::Toolset;
pub(crate) use toolset::quoted;
pub(crate) use wrapped::Instructions;
