//! The source at its public door.

mod collected;
mod embedded;
mod mirai;
mod source;

/// Tests of the nextest profile `slow`.
mod slow {
    mod external;
    mod refused;
}
