//! Any body and whatever is typed: the laws of rendering hold. The first line is what is typed.

#![no_main]

#[path = "../../crates/render/tests/laws/mod.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (typed, body) = text.split_once('\n').unwrap_or(("", text));
    laws::hold(body, typed);
});
