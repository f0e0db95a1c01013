//! The source kinds of this workspace, for configuration files.

#[cfg(feature = "fs")]
pub(crate) mod fs;
#[cfg(feature = "mcp-client")]
mod mcp;
#[cfg(feature = "plugin")]
pub(crate) mod plugin;
#[cfg(feature = "remote")]
mod remote;
#[cfg(feature = "inventory")]
mod statics;
