//! The page of the gateway in a browser.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod accessibility;
mod broken_example;
mod browser;
mod faults;
mod live;
mod running_gateway;
mod views;

/// Returns a variable that `cargo xtask browser` sets.
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("`{name}` is not set; run `cargo xtask browser`"))
}
