//! The source at its public door.

mod source;
mod ui;
