//! Messages between a host and the process of a plugin.
//!
//! A frame is twelve bytes and a message. The bytes are three numbers in little-endian order: the length of the message, the
//! number of the call, and a tag. The tag is a method in a request, and a status in a reply.

use std::io::{self, Read, Write};

/// One frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PluginFrame {
    pub(crate) call: u32,
    pub(crate) tag: u32,
    pub(crate) message: Vec<u8>,
}

/// The tag of the first request, which makes the source.
pub(crate) const CREATE: u32 = 1;

/// The tag of a reply that is an error message.
pub(crate) const ERROR: u32 = 1;

pub(crate) fn write(to: &mut impl Write, call: u32, tag: u32, message: &[u8]) -> io::Result<()> {
    let length = u32::try_from(message.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
    let mut head = Vec::with_capacity(12);
    for number in [length, call, tag] {
        head.extend(number.to_le_bytes());
    }
    to.write_all(&head)?;
    to.write_all(message)?;
    to.flush()
}

/// Reads a frame, or returns `None` at the end of the stream. `limit` returns the most bytes for the number of a call.
pub(crate) fn read(
    from: &mut impl Read,
    limit: impl FnOnce(u32) -> usize,
) -> io::Result<Option<PluginFrame>> {
    let mut head = [0; 12];
    let mut filled = 0;
    while filled < head.len() {
        match from.read(&mut head[filled..])? {
            0 if filled == 0 => return Ok(None),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            more => filled += more,
        }
    }
    let [length, call, tag] = [0, 4, 8].map(|at| {
        u32::from_le_bytes(
            *head[at..]
                .first_chunk()
                .expect("three numbers of four bytes"),
        )
    });
    let length = length as usize;
    let most = limit(call);
    if length > most {
        let message = format!("it sent {length} bytes, and at most {most} are read");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    let mut message = Vec::new();
    from.take(length as u64).read_to_end(&mut message)?;
    if message.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(PluginFrame { call, tag, message }))
}
