//! Pages of lists, with cursors that name a version of the list.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListVersion {
    pub(crate) server: u64,
    pub(crate) generation: u64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    version: ListVersion,
    pub(crate) first: usize,
}

impl Page {
    pub(crate) fn of(
        request: Option<&PaginatedRequestParams>,
        version: ListVersion,
    ) -> Result<Page, ErrorData> {
        Page::at(
            request.and_then(|request| request.cursor.as_deref()),
            version,
        )
    }

    pub(crate) fn at(cursor: Option<&str>, version: ListVersion) -> Result<Page, ErrorData> {
        // Some clients send an empty text for each optional argument.
        let Some(cursor) = cursor.filter(|cursor| !cursor.is_empty()) else {
            return Ok(Page { version, first: 0 });
        };
        match parse(cursor) {
            Some(page) if page.version == version => Ok(page),
            Some(_) => Err(ErrorData::invalid_params(
                "the list has changed since this cursor was given: list from the start",
                None,
            )),
            None => Err(ErrorData::invalid_params(
                "unknown cursor: list from the start",
                None,
            )),
        }
    }

    pub(crate) fn next(self, first: usize, total: usize) -> Option<String> {
        let ListVersion { server, generation } = self.version;
        (first < total).then(|| format!("{server:016x}.{generation}.{first}"))
    }

    pub(crate) fn cut<T>(self, rows: &[T], most: usize) -> (&[T], Option<String>) {
        let first = self.first.min(rows.len());
        let end = first.saturating_add(most).min(rows.len());
        (&rows[first..end], self.next(end, rows.len()))
    }
}

fn parse(cursor: &str) -> Option<Page> {
    let (server, rest) = cursor.split_once('.')?;
    let (generation, first) = rest.split_once('.')?;
    let version = ListVersion {
        server: u64::from_str_radix(server, 16).ok()?,
        generation: generation.parse().ok()?,
    };
    Some(Page {
        version,
        first: first.parse().ok()?,
    })
}
