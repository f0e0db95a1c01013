//! The tasks that measure, run from start to end.

/// Tests of the nextest profile `slow`.
mod slow {
    mod bench;
    mod mcp_load;
}
