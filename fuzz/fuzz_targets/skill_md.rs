//! Any bytes as a `SKILL.md`: the laws of the parser hold.

#![no_main]

#[path = "../../crates/core/tests/laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::hold(bytes));
