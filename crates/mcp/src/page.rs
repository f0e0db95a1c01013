//! Pages of lists.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// Where a page begins in a list that is of one version.
///
/// A cursor names the version, so that the pages of two are never put together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    version: u64,
    pub(crate) first: usize,
}

impl Page {
    /// The page that is asked for, of a list that is in `version`.
    pub(crate) fn of(request: Option<&PaginatedRequestParams>, version: u64) -> Result<Page, ErrorData> {
        Page::at(request.and_then(|request| request.cursor.as_deref()), version)
    }

    /// The page at `cursor`, or the first.
    pub(crate) fn at(cursor: Option<&str>, version: u64) -> Result<Page, ErrorData> {
        let Some(cursor) = cursor else { return Ok(Page { version, first: 0 }) };
        let number = |text: &str| text.parse::<u64>().ok();
        let parts = cursor.split_once('.').and_then(|(version, first)| Some((number(version)?, number(first)?)));
        let parts = parts.and_then(|(version, first)| Some((version, usize::try_from(first).ok()?)));
        match parts {
            Some((of, first)) if of == version => Ok(Page { version, first }),
            Some((of, _)) if of < version => Err(ErrorData::invalid_params(
                "the list has changed since this cursor was given: list from the start",
                None,
            )),
            _ => Err(ErrorData::invalid_params("unknown cursor: list from the start", None)),
        }
    }

    /// The cursor of the page that begins at `first`, if there is any of `total` left.
    pub(crate) fn next(self, first: usize, total: usize) -> Option<String> {
        (first < total).then(|| format!("{}.{first}", self.version))
    }

    /// At most `most` of `rows`, and the cursor of what is left.
    pub(crate) fn cut<T>(self, rows: &[T], most: usize) -> (&[T], Option<String>) {
        let first = self.first.min(rows.len());
        let end = first.saturating_add(most).min(rows.len());
        (&rows[first..end], self.next(end, rows.len()))
    }
}
