//! The kind `mcp`.

use std::sync::Arc;

use repertoire_registry::{SourceConfig, SourceKind, inventory};
use repertoire_source_mcp::{BearerToken, McpOptions, McpSource};

inventory::submit! {
    SourceKind::foreign("mcp", "the skills of another MCP server, a program or an address", |config| {
        let source = McpSource::new(config.name.as_str(), placed(config.options()?, config));
        Ok(Arc::new(source?))
    })
    .namespaced()
    .connecting()
}

fn placed(mut options: McpOptions, config: &SourceConfig) -> McpOptions {
    // A name without a folder is searched in PATH.
    options.command = options
        .command
        .map(|command| match command.components().count() {
            1 => command,
            _ => config.path(command),
        });
    options.directory = Some(
        options
            .directory
            .map_or_else(|| config.base.clone(), |folder| config.path(folder)),
    );
    options.token_file = options.token_file.map(|file| config.path(file));
    options.ca_file = options.ca_file.map(|file| config.path(file));
    options.token = options
        .token_env
        .as_deref()
        .and_then(|name| BearerToken::new(config.variable(name)?.to_str()?));
    options.inherit(|name| config.variable(name));
    options.supervisor = config.supervisor.to_vec();
    options
}
