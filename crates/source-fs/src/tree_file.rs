//! A file whose name a pattern selects.

use std::path::PathBuf;

use crate::root::bytes;
use crate::stamp::FileStamp;

/// A file that a pattern selects, in the version that the walk saw. It was not opened.
#[derive(Debug, Clone)]
pub(crate) struct TreeFile {
    /// The position of its root, which comes before the path in the order of files.
    pub(crate) root: usize,
    pub(crate) path: PathBuf,
    pub(crate) stamp: FileStamp,
    /// `true` if a later version is sure to have a different stamp.
    pub(crate) is_settled: bool,
    pub(crate) is_link: bool,
}

impl TreeFile {
    pub(crate) fn order(&self) -> (usize, &[u8]) {
        (self.root, bytes(&self.path))
    }
}

/// Equal files have the same version for sure.
impl PartialEq for TreeFile {
    fn eq(&self, later: &TreeFile) -> bool {
        self.is_settled
            && self.order() == later.order()
            && (self.stamp, self.is_link) == (later.stamp, later.is_link)
    }
}
