//! The real folders that bound one walk.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use repertoire_core::SkippedFolder;

use crate::file_system::FileSystem;
use crate::owner::{self, FileOwner};
use crate::pattern::FILE_NAME;
use crate::root::SearchPlan;

/// The real folders that bound one walk: links are compared with these.
#[derive(Debug, Default)]
pub(crate) struct LinkBounds {
    /// The real folder of each root that exists.
    roots: Vec<PathBuf>,
    /// The real folder that no link may leave, if the plan names one.
    within: Option<PathBuf>,
    /// The positions of the roots that no other user can change.
    own_roots: Vec<usize>,
    /// For each device that was checked, whether it is a pseudo file system of the kernel.
    kernel_devices: Mutex<HashMap<u64, bool>>,
}

impl LinkBounds {
    pub(crate) fn of(plan: &SearchPlan) -> LinkBounds {
        let mut roots: Vec<PathBuf> = plan
            .starts
            .iter()
            .filter_map(|start| start.root_folder().canonicalize().ok())
            .collect();
        roots.dedup();
        let within = plan
            .within
            .as_ref()
            .map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.clone()));
        let mut own_roots: Vec<usize> = plan
            .starts
            .iter()
            .filter(|start| owner::distrust(start.root_folder()).is_none())
            .map(|start| start.root)
            .collect();
        own_roots.dedup();
        LinkBounds {
            roots,
            within,
            own_roots,
            kernel_devices: Mutex::default(),
        }
    }

    /// Returns whether `path`, on the device of this number, is a table of the kernel. Asks the system once for each device.
    pub(crate) fn is_of_kernel(&self, device: u64, path: &Path) -> bool {
        let mut devices = self.kernel_devices.lock();
        *devices
            .entry(device)
            .or_insert_with(|| FileSystem::of(path) == FileSystem::Kernel)
    }

    /// Returns the reason why `path` of this owner is left out of a root that no other user can change.
    pub(crate) fn distrust(&self, root: usize, owner: FileOwner, path: &Path) -> Option<String> {
        owner
            .distrust(path)
            .filter(|_| self.own_roots.contains(&root))
    }

    pub(crate) fn admit(&self, real: &Path) -> bool {
        self.within
            .as_ref()
            .is_none_or(|within| real.starts_with(within))
    }

    pub(crate) fn hold(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| real.starts_with(root))
    }

    /// Returns whether diagnostics may quote the file with the real path `real`, to which a link led.
    ///
    /// A root can hold secrets too, as in `.git/config`: only files that the walk could have found itself are quoted.
    pub(crate) fn let_quote(&self, real: &Path) -> bool {
        let is_open = |name: &OsStr| {
            name.as_encoded_bytes().first() != Some(&b'.') && SkippedFolder::of(name).is_none()
        };
        let is_found = |below: &Path| {
            let is_named = below
                .file_name()
                .is_some_and(|name| name.eq_ignore_ascii_case(FILE_NAME));
            is_named && below.components().all(|part| is_open(part.as_os_str()))
        };
        self.roots
            .iter()
            .any(|root| real.strip_prefix(root).is_ok_and(is_found))
    }
}
