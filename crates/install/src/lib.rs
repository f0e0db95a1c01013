//! Installs skills from git, archives, folders, web servers and OCI registries.
//!
//! 1. A [`Reference`] names a place. A [`Fetcher`] reads the skills there, without running anything of it.
//! 2. The [`Store`] holds the files of skills by their digest, and verifies them on every use.
//! 3. A [`ProjectFolder`] replaces folders of skills and its lock together. After a crash it is in the old or in the new state.
//!
//! ```
//! use repertoire_install::{Fetcher, FolderChange, GitProgram, ProjectFolder, ProjectChange, Store};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path().canonicalize()?;
//! # let (project, store) = (folder.join("project"), folder.join("store"));
//! # std::fs::create_dir(&project)?;
//! let skill = folder.join("shared/tidy");
//! std::fs::create_dir_all(&skill)?;
//! std::fs::write(skill.join("SKILL.md"), "---\nname: tidy\ndescription: Sorts files.\n---\nSort.\n")?;
//!
//! let fetcher = Fetcher::new(GitProgram::new("git", []), &folder);
//! let fetched = fetcher.fetch(&"./shared".parse()?)?;
//! let store = Store::open(store)?;
//! let digest = store.put(&fetched.skills[0].tree)?;
//! let change = ProjectChange {
//!     folders: vec![FolderChange {
//!         path: ".agents/skills/tidy".parse()?,
//!         before: None,
//!         after: Some(digest),
//!         keeps_backup: false,
//!     }],
//!     locks: [("repertoire.lock.json".to_owned(), "{}\n".to_owned())].into(),
//! };
//! ProjectFolder::open(&project, &store)?.apply(&store, &change)?;
//! assert!(project.join(".agents/skills/tidy/SKILL.md").is_file());
//! # Ok(())
//! # }
//! ```
//!
//! # Hostile content
//! Content of other people is data: it is parsed in memory, checked by name, and written only after every check.
//! [`unpack`] lists what is refused in an archive. [`GitProgram`] describes how repositories are read.
//!
//! [`HttpSettings`] describes what is refused of web servers.
//!
//! # Contributing
//! The tests make more than 60 hostile archives (`tests/it/hostile.rs`). A new check comes with an archive.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod archive;
mod fetcher;
mod file_tree;
mod folder;
mod git;
#[cfg(feature = "http")]
mod http;
mod install_error;
mod installed_skill;
mod limits;
#[cfg(feature = "http")]
mod oci;
mod oci_reference;
mod project;
mod reference;
mod skill_folders;
mod source_skill;
mod source_trees;
mod stated_time;
mod store;
#[cfg(feature = "http")]
mod well_known;

pub use archive::unpack;
pub use fetcher::{Fetched, FetchedRevision, Fetcher, LatestRevision};
pub use file_tree::{FileTree, content_digest};
pub use git::GitProgram;
#[cfg(feature = "http")]
pub use http::HttpSettings;
pub use install_error::{InstallError, InstallErrorKind};
pub use installed_skill::InstalledSkill;
#[cfg(feature = "http")]
pub use oci::docker_config_file;
pub use oci_reference::OciReference;
pub use project::{
    FileChange, FileChangeKind, FolderChange, ProjectChange, ProjectFolder, SkillFolderState,
};
pub use reference::Reference;
pub use source_skill::SourceSkill;
pub use store::{Store, StoreGc};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
