//! Collects diagnostics of one file and gives them their places.

use std::sync::Arc;

use super::fence;
use crate::{Code, Diagnostic, Strictness};

/// The diagnostics of one file.
pub(super) struct Findings<'a> {
    strictness: Strictness,
    path: &'a str,
    bytes: &'a [u8],
    shared_path: Option<Arc<str>>,
    lines: Vec<usize>,
    list: Vec<Diagnostic>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(path: &'a str, bytes: &'a [u8], strictness: Strictness) -> Findings<'a> {
        Findings { strictness, path, bytes, shared_path: None, lines: Vec::new(), list: Vec::new() }
    }

    pub(super) fn is_strict(&self) -> bool {
        self.strictness == Strictness::Strict
    }

    /// Adds a finding about the byte at `offset` of the file.
    pub(super) fn add(&mut self, offset: usize, finding: Diagnostic) {
        let (line, column) = self.place(offset);
        let path = self.shared_path.get_or_insert_with(|| self.path.into()).clone();
        self.list.push(finding.at_path(path).at(line, column).under(self.strictness));
    }

    /// Adds a finding without advice.
    pub(super) fn say(&mut self, offset: usize, code: Code, message: impl Into<String>) {
        self.add(offset, Diagnostic::new(code, message));
    }

    /// The line and the column, in characters, of a byte. Both start at 1.
    pub(super) fn place(&mut self, offset: usize) -> (u32, u32) {
        if self.lines.is_empty() {
            self.lines.push(fence::past_bom(self.bytes));
            let mut at = 0;
            while at < self.bytes.len() {
                let (end, next) = fence::line(self.bytes, at);
                if next > end {
                    self.lines.push(next);
                }
                at = next;
            }
        }
        let index = self.lines.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.lines[index].min(offset);
        let before = &self.bytes[start..offset.min(self.bytes.len())];
        // Every byte that is no continuation byte begins a character; this holds for broken UTF-8 too.
        let column = before.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        (count(index) + 1, count(column) + 1)
    }

    pub(super) fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
