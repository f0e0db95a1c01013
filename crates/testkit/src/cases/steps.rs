//! What happens while the registry of a case runs.

use std::fs;
use std::io;
use std::path::Path;

/// The blocks of a script that lines `## step N` divide, N counting from 1 to `count`.
pub(crate) fn blocks(script: &Path, count: usize) -> io::Result<Vec<String>> {
    let mut blocks: Vec<String> = Vec::new();
    for line in fs::read_to_string(script)?.lines() {
        if let Some(number) = line.strip_prefix("## step ") {
            let expected = blocks.len() + 1;
            if number.trim_end().parse() != Ok(expected) {
                return Err(invalid(format!("expected `## step {expected}`, found `{line}`")));
            }
            blocks.push(String::new());
        } else if let Some(block) = blocks.last_mut() {
            *block += line;
            block.push('\n');
        } else if !line.trim().is_empty() {
            return Err(invalid(format!("expected `## step 1`, found `{line}`")));
        }
    }
    if blocks.len() != count {
        return Err(invalid(format!("expected {count} steps, found {}", blocks.len())));
    }
    Ok(blocks)
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}
