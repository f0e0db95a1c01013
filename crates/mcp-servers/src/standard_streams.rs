//! Standard input and output of a server, which the service of `rmcp` and calls of tools share.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};

use futures_util::FutureExt;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::process::ChildStdin;
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::waiting_calls::WaitingCalls;

/// Standard input for calls. It is closed when the [`LineWriter`] is dropped.
#[derive(Clone)]
pub(crate) struct SharedStdin(Weak<Mutex<ChildStdin>>);

/// Standard input for the service. Lines of others come between its lines only.
pub(crate) struct LineWriter {
    stdin: Arc<Mutex<ChildStdin>>,
    turn: Turn,
}

/// The right to write, from the beginning to the end of a line.
enum Turn {
    None,
    Locking(Pin<Box<dyn Future<Output = OwnedMutexGuard<ChildStdin>> + Send>>),
    Held(OwnedMutexGuard<ChildStdin>),
}

/// Standard output without the lines that answer calls, which are delivered.
pub(crate) struct LineReader<R> {
    inner: R,
    waiting: WaitingCalls,
    /// The beginning of the next line.
    line: Vec<u8>,
    /// Lines for the service, and how much of them it has.
    lines: Vec<u8>,
    read: usize,
    has_ended: bool,
}

const READ_BYTES: usize = 8192;

impl LineWriter {
    pub(crate) fn new(stdin: ChildStdin) -> (LineWriter, SharedStdin) {
        let stdin = Arc::new(Mutex::new(stdin));
        let shared = SharedStdin(Arc::downgrade(&stdin));
        let turn = Turn::None;
        (LineWriter { stdin, turn }, shared)
    }
}

impl SharedStdin {
    /// Writes a line.
    ///
    /// # Cancel safety
    /// May be dropped at any await. A line that was begun is ended.
    pub(crate) async fn send_line(&self, line: Vec<u8>) -> io::Result<()> {
        let stdin = self.0.upgrade().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut write = Box::pin(async move {
            let mut stdin = stdin.lock_owned().await;
            stdin.write_all(&line).await?;
            stdin.flush().await
        });
        match (&mut write).now_or_never() {
            Some(written) => written,
            None => tokio::spawn(write).await.map_err(io::Error::other)?,
        }
    }
}

impl fmt::Debug for SharedStdin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedStdin").finish_non_exhaustive()
    }
}

impl AsyncWrite for LineWriter {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            self.turn = match &mut self.turn {
                Turn::None => Turn::Locking(Box::pin(Arc::clone(&self.stdin).lock_owned())),
                Turn::Locking(turn) => Turn::Held(ready!(turn.as_mut().poll(context))),
                Turn::Held(stdin) => {
                    let written = ready!(Pin::new(&mut **stdin).poll_write(context, bytes))?;
                    if written == bytes.len() && bytes.ends_with(b"\n") {
                        self.turn = Turn::None;
                    }
                    return Poll::Ready(Ok(written));
                }
            };
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.turn {
            Turn::Held(stdin) => Pin::new(&mut **stdin).poll_flush(context),
            Turn::None | Turn::Locking(_) => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

impl<R> LineReader<R> {
    pub(crate) fn new(inner: R, waiting: WaitingCalls) -> LineReader<R> {
        LineReader {
            inner,
            waiting,
            line: Vec::new(),
            lines: Vec::new(),
            read: 0,
            has_ended: false,
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.finish_line();
            }
        }
    }

    /// Takes the last line, which needs no line feed.
    fn take_last(&mut self) {
        if !self.line.is_empty() {
            self.finish_line();
        }
    }

    fn finish_line(&mut self) {
        if !self.waiting.deliver(&self.line) {
            self.lines.extend_from_slice(&self.line);
        }
        self.line.clear();
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LineReader<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let rest = &self.lines[self.read..];
            if !rest.is_empty() || self.has_ended {
                let count = rest.len().min(buffer.remaining());
                buffer.put_slice(&rest[..count]);
                self.read += count;
                return Poll::Ready(Ok(()));
            }
            (self.lines, self.read) = (Vec::new(), 0);
            let mut bytes = [0; READ_BYTES];
            let mut part = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut self.inner).poll_read(context, &mut part))?;
            self.has_ended = part.filled().is_empty();
            match self.has_ended {
                true => self.take_last(),
                false => self.take(part.filled()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn the_last_line_needs_no_newline() {
        let waiting = WaitingCalls::default();
        let call = waiting.add(7);
        let output: &[u8] = b"a line\n{\"id\":7,\"result\":1}";
        let mut rest = String::new();
        let mut reader = LineReader::new(output, waiting.clone());
        reader.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "a line\n");
        let expected = serde_json::json!({"id": 7, "result": 1});
        assert_eq!(call.message().await, Some(expected));
    }
}
