//! A folder of one agent in one place.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::schema::{Below, Depth, RootRule};
use crate::view::{RootScope, UnseenReason};

/// A folder that an agent reads or would read, whether it exists or not.
#[derive(Debug, Clone)]
pub(crate) struct PlacedRoot {
    pub(crate) path: Arc<Path>,
    pub(crate) scope: RootScope,
    /// The position of its rule; lower ones are preferred.
    pub(crate) rank: usize,
    /// The steps from the current folder up.
    pub(crate) level: usize,
    pub(crate) commands: bool,
    pub(crate) depth: Option<Depth>,
    pub(crate) loose_files: Option<bool>,
    /// The reason why nothing in it loads.
    pub(crate) off: Option<UnseenReason>,
    /// `true` if no source says whether that reason applies.
    pub(crate) is_off_unknown: bool,
    /// The name ahead of the names of its skills.
    pub(crate) prefix: Option<Arc<str>>,
    /// For a root below the current folder: its rule and its folder.
    pub(crate) below: Option<(Below, Arc<Path>)>,
}

impl PlacedRoot {
    pub(crate) fn new(path: impl Into<Arc<Path>>, scope: RootScope, rank: usize) -> PlacedRoot {
        PlacedRoot {
            path: path.into(),
            scope,
            rank,
            level: 0,
            commands: false,
            depth: None,
            loose_files: None,
            off: None,
            is_off_unknown: false,
            prefix: None,
            below: None,
        }
    }

    pub(crate) fn of(rule: &RootRule, path: PathBuf, rank: usize, level: usize) -> PlacedRoot {
        PlacedRoot {
            level,
            commands: rule.commands,
            depth: rule.depth,
            loose_files: rule.loose_files,
            ..PlacedRoot::new(path, rule.scope, rank)
        }
    }
}
