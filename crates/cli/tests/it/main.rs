//! The command line, called as a library wherever a process is not the point.

mod book;
mod book_links;
mod builtin;
mod cases;
mod catalog;
mod chain;
mod check;
mod client_plugins;
mod config;
mod config_schema;
mod escapes;
mod external;
mod fmt;
mod hooks;
mod kept;
mod killed;
mod labels;
#[cfg(unix)]
mod links;
mod list;
mod lock;
mod man;
mod new;
mod pipe;
mod places;
mod plugin;
mod read;
mod render;
mod sarif;
mod schema;
mod search;
mod serve;
mod simulate;
mod tools;
mod watch;
mod world;
