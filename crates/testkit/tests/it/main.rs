//! The conformance tests with a correct source, and with sources that have one fault each.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod agents;
mod faulty;
mod memory;

mod sound {
    use crate::memory::MemoryFixture;

    repertoire_testkit::conformance!(MemoryFixture::default());
}
