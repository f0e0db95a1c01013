//! What comes over a program's standard output, a line at a time and no line too long.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

/// Why a connection ended that did not end by itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fault(Arc<OnceLock<String>>);

impl Fault {
    pub(crate) fn told(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// Bytes of a message for each value in it. A value takes a hundred times its two bytes where it is kept, so that a message of
/// nothing but small ones would be gigabytes.
const BYTES_OF_A_VALUE: usize = 16;

/// A reader that ends at a line of more than `limit` bytes, or of more values than that is for: what never ends would be kept
/// until there is no memory left.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    inner: R,
    limit: usize,
    line: Line,
    fault: Fault,
}

/// What came of a line.
#[derive(Debug, Default)]
struct Line {
    bytes: usize,
    values: usize,
    /// Inside of a text, and behind a backslash in it.
    in_text: bool,
    is_escaped: bool,
}

impl Line {
    fn take(&mut self, byte: u8) {
        self.bytes += 1;
        match byte {
            b'\n' => *self = Line::default(),
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = self.in_text,
            b'"' => self.in_text = !self.in_text,
            b',' | b'[' | b'{' if !self.in_text => self.values += 1,
            _ => {}
        }
    }
}

impl<R> Lines<R> {
    pub(crate) fn new(inner: R, limit: usize, fault: Fault) -> Lines<R> {
        Lines { inner, limit, line: Line::default(), fault }
    }

    /// Why the line is too long, if it is.
    fn excess(&self) -> Option<String> {
        let values = self.limit / BYTES_OF_A_VALUE;
        let (most, what) = match &self.line {
            line if line.bytes > self.limit => (self.limit, "bytes"),
            line if line.values > values => (values, "values"),
            _ => return None,
        };
        Some(format!("a message has more than {most} {what}; the limit is `limits.message-bytes`"))
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let poll = Pin::new(&mut self.inner).poll_read(context, buffer);
        for byte in &buffer.filled()[before..] {
            self.line.take(*byte);
            if let Some(message) = self.excess() {
                let _ = self.fault.0.set(message.clone());
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, message)));
            }
        }
        poll
    }
}
