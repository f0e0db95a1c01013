//! The measurement of a load, as the bench does it, for rivals.

#[path = "../../../xtask/src/bench/sample.rs"]
mod sample;

pub use sample::main;
