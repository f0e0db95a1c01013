//! What a stream of a process brings.

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::Printed;

/// The first bytes of a stream, and how many there were.
#[derive(Debug)]
pub(crate) struct Capture<R> {
    stream: Option<R>,
    most: usize,
    kept: Vec<u8>,
    total: u64,
}

impl<R: AsyncRead + Unpin> Capture<R> {
    pub(crate) fn new(stream: Option<R>, most: usize) -> Capture<R> {
        Capture { stream, most, kept: Vec::new(), total: 0 }
    }

    /// Reads to the end. What is over the cap is read too, so that the writer is not held up, and counted alone.
    ///
    /// # Cancel safety
    /// What was read is kept, and the rest can be read by another call.
    pub(crate) async fn fill(&mut self) {
        let mut chunk = [0; 8192];
        while let Some(stream) = &mut self.stream {
            match stream.read(&mut chunk).await {
                // A stream that breaks has no more to say.
                Ok(0) | Err(_) => self.stream = None,
                Ok(count) => {
                    let room = self.most.saturating_sub(self.kept.len()).min(count);
                    self.kept.extend_from_slice(&chunk[..room]);
                    self.total += count as u64;
                }
            }
        }
    }

    pub(crate) fn printed(&self) -> Printed {
        Printed::new(&self.kept, self.total)
    }
}
