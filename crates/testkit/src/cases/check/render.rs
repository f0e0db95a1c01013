//! What a `render` line asks for.

use std::time::Duration;

use super::Want;

/// A body as a model gets it on activation, without what stands around it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RenderLine {
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) shell: Shell,
    /// For each command.
    pub(crate) timeout: Option<Duration>,
    /// For all of it.
    pub(crate) within: Option<Duration>,
    pub(crate) want: RenderWant,
}

/// Whether commands are switched on and approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shell {
    Off,
    On,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RenderWant {
    Text(Want),
    /// It has the absolute path of something in the case, and this behind it.
    PathOf {
        path: String,
        followed_by: String,
    },
}
