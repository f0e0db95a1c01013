//! The suite over a sound source, and over sources that each break one promise.

mod faulty;
mod shelf;

mod sound {
    use crate::shelf::ShelfFixture;

    repertoire_testkit::conformance!(ShelfFixture::default());
}
