//! The promises of the crate, each against a tree in a temporary folder.

mod budgets;
mod files;
mod golden;
mod hidden;
mod tree;
