//! Any bytes as a saved scan: they are read or refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| repertoire_source_fs::read_any(bytes));
