//! The source at its public door.

mod collected;
mod embedded;
mod external;
mod mirai;
mod source;
mod ui;
