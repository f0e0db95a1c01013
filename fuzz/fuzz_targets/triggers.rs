//! Any triggers and any message: the laws of triggers hold. The first lines, up to eight, are triggers, the rest is the message.

#![no_main]

#[path = "../../crates/engine/tests/laws/triggers.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut parts: Vec<&str> = text.splitn(9, '\n').collect();
    let message = parts.pop().unwrap_or_default();
    laws::hold(&parts, message);
});
