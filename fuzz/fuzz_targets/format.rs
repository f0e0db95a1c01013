//! Any bytes as a `SKILL.md`, and as the front matter of one: the laws of the formatter hold.

#![no_main]

#[path = "../../crates/core/tests/laws/formatting.rs"]
mod formatting;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    formatting::hold(bytes);
    // Few made-up files have a description.
    formatting::hold(&[b"---\ndescription: Does it.\n", bytes, b"\n---\nBody.\n"].concat());
});
