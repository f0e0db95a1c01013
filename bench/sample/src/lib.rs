//! How a load is measured: what the bench does itself, for rivals.

#[path = "../../../xtask/src/bench/sample.rs"]
mod sample;

pub use sample::main;
