//! Answers of HTTP servers.

use std::io::{self, Read};

/// The answer of an HTTP server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HttpAnswer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

/// The error returned for an answer that cannot be read.
#[derive(Debug)]
pub(crate) enum AnswerError {
    /// The connection failed.
    Connection(io::Error),
    /// The answer has this fault.
    Malformed(&'static str),
}

impl HttpAnswer {
    /// Reads an answer up to the end of the connection, or up to `most` bytes.
    pub(crate) fn read(stream: impl Read, most: u64) -> Result<HttpAnswer, AnswerError> {
        let mut answer = Vec::new();
        let read = stream.take(most).read_to_end(&mut answer);
        read.map_err(AnswerError::Connection)?;
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let end = end.ok_or(AnswerError::Malformed("did not answer in HTTP"))?;
        let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
        let status = head.split_whitespace().nth(1);
        let status = status.and_then(|status| status.parse().ok());
        let status = status.ok_or(AnswerError::Malformed("did not answer in HTTP"))?;
        let body = &answer[end + 4..];
        let is_chunked = head
            .lines()
            .any(|line| line.starts_with("transfer-encoding:") && line.contains("chunked"));
        let body = match is_chunked {
            true => {
                joined_chunks(body).ok_or(AnswerError::Malformed("sent an incomplete answer"))?
            }
            false => body.to_vec(),
        };
        let body = String::from_utf8(body);
        let body = body.map_err(|_| AnswerError::Malformed("sent an answer that is not UTF-8"))?;
        Ok(HttpAnswer { status, body })
    }
}

/// Returns the body of a chunked answer; `None` if its last chunk is missing.
fn joined_chunks(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::new();
    loop {
        let end = body.windows(2).position(|bytes| bytes == b"\r\n")?;
        let size = std::str::from_utf8(&body[..end]).ok()?;
        let size = size.split(';').next()?.trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        if size == 0 {
            return Some(joined);
        }
        let begin = end + 2;
        let chunk = body.get(begin..begin.checked_add(size)?)?;
        joined.extend_from_slice(chunk);
        body = body.get(begin + size + 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_joined_up_to_the_last() {
        let whole = b"4;x=1\r\nabcd\r\nA\r\n0123456789\r\n0\r\n\r\n";
        assert_eq!(
            joined_chunks(whole).as_deref(),
            Some(&b"abcd0123456789"[..])
        );
        for cut in [0, 5, 12, 20, 29] {
            assert_eq!(joined_chunks(&whole[..cut]), None, "{cut}");
        }
        assert_eq!(joined_chunks(b"ffffffffffffffff\r\nabc"), None);
    }
}
