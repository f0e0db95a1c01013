//! The pages of a list.

use std::collections::HashSet;

use repertoire_core::{SourceError, text};
use rmcp::model::PaginatedRequestParams;
use serde_json::Value;

use crate::error::too_large;

/// The most bytes of a cursor.
const CURSOR: usize = 16 << 10;

/// The pages of one list that were read.
#[derive(Debug, Default)]
pub struct ListPages {
    count: usize,
    cursors: HashSet<String>,
    next: Option<String>,
}

impl ListPages {
    /// Returns the parameters of the request for the next page.
    pub fn params(&self) -> Option<PaginatedRequestParams> {
        let cursor = self.next.clone()?;
        Some(PaginatedRequestParams::default().with_cursor(Some(cursor)))
    }

    /// Counts `page`, and returns whether another one follows.
    ///
    /// # Errors
    /// Returns an error for a cursor that was used before or is too long, and after `most` pages.
    pub fn advance(&mut self, page: &Value, most: usize) -> Result<bool, SourceError> {
        self.count += 1;
        let Some(cursor) = page.get("nextCursor").and_then(Value::as_str) else {
            return Ok(false);
        };
        if cursor.len() > CURSOR {
            return Err(too_large(format!(
                "a cursor of the list has more than {CURSOR} bytes"
            )));
        }
        if !self.cursors.insert(cursor.to_owned()) {
            let cursor = text::excerpt(cursor, 200);
            return Err(SourceError::invalid(format!(
                "the list does not end: the cursor `{cursor}` is repeated"
            )));
        }
        if self.count >= most {
            return Err(too_large(format!(
                "the list has more than {most} pages; the limit is `limits.pages`"
            )));
        }
        self.next = Some(cursor.to_owned());
        Ok(true)
    }
}
