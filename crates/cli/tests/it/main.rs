//! The command line, called as a library wherever a process is not the point.

#[cfg(unix)]
mod agent_home;
#[cfg(unix)]
mod agent_life;
mod agents;
mod book;
mod book_links;
mod builtin;
mod cache;
mod cases;
mod catalog;
mod chain;
mod check;
mod client_plugins;
mod config;
mod config_schema;
mod escapes;
mod eval;
mod fmt;
#[cfg(unix)]
mod gateway;
#[cfg(unix)]
mod gateway_lists;
mod hooks;
#[cfg(unix)]
mod install;
#[cfg(unix)]
mod install_kills;
#[cfg(unix)]
mod install_locks;
#[cfg(unix)]
mod install_mcp;
#[cfg(unix)]
mod install_policy;
#[cfg(unix)]
mod install_web;
mod kept;
mod labels;
#[cfg(unix)]
mod links;
mod list;
#[cfg(all(target_os = "linux", feature = "watch"))]
mod live_status;
mod lock;
mod man;
mod manners;
mod mcp_config;
mod names;
mod new;
mod observed;
mod options;
mod parts;
mod pipe;
mod places;
mod plugin;
mod program;
mod read;
#[cfg(unix)]
mod remote_sources;
mod render;
mod sarif;
mod schema;
mod search;
mod search_parity;
mod serve;
mod simulate;
#[cfg(unix)]
mod status;
mod tampering;
mod test_env;
#[cfg(unix)]
mod tool_locks;
mod tools;
#[cfg(all(unix, feature = "otlp"))]
mod traces;
mod watch;
#[cfg(all(target_os = "linux", feature = "watch"))]
mod workflow;

/// Tests of the nextest profile `slow`.
mod slow {
    mod external;
    #[cfg(unix)]
    mod install_kills;
    mod killed;
    mod new_crate;
    #[cfg(all(unix, feature = "postgres"))]
    mod shared_store;
}
