//! Text of strangers at a terminal: the names that this crate uses for the escapes of core.

pub(crate) use repertoire::text::{masked as veiled, terminal_line as shown, terminal_lines as shown_lines};
