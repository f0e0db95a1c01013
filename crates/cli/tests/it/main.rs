//! The command line, called as a library wherever a process is not the point.

mod book;
mod book_links;
mod builtin;
mod cases;
mod catalog;
mod check;
mod config;
mod config_schema;
mod escapes;
mod external;
mod fmt;
mod hooks;
mod list;
mod lock;
mod man;
mod new;
mod pipe;
mod places;
mod read;
mod render;
mod sarif;
mod schema;
mod search;
mod tools;
mod watch;
mod world;
