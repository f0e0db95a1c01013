//! What skills pre-approve while they are active.

mod grants;
#[cfg(test)]
mod tests;

pub use grants::Grants;
