//! The command line, called as a library wherever a process is not the point.

mod cases;
mod catalog;
mod check;
mod config;
mod escapes;
mod external;
mod list;
mod pipe;
mod places;
mod read;
mod schema;
mod world;
