//! Any text as front matter, or the front matter of a file: what is read without the YAML parser is what it would read.

#![no_main]

use repertoire_core::skill_md;

libfuzzer_sys::fuzz_target!(|text: &str| {
    skill_md::reads_alike(text);
    if let Some((yaml, _)) = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---"))
    {
        skill_md::reads_alike(&format!("{yaml}\n"));
    }
});
