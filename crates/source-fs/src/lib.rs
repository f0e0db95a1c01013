//! Skills from folder trees: a [`Source`](repertoire_core::Source) that finds every `SKILL.md` below its roots.
//!
//! ```
//! use repertoire_core::Source;
//! use repertoire_source_fs::FsSource;
//!
//! # let folder = tempfile::tempdir()?;
//! # std::fs::create_dir(folder.path().join("tidy-up"))?;
//! # std::fs::write(folder.path().join("tidy-up/SKILL.md"), "---\nname: tidy-up\ndescription: Sorts.\n---\nSort.\n")?;
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let source = FsSource::new("project", folder.path());
//! let listing = source.list().await?;
//! for row in listing.iter() {
//!     println!("{}: {}", row.item.id, row.item.description);
//! }
//! # Ok::<(), repertoire_core::SourceError>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Skills
//! A skill is a folder that holds a `SKILL.md` which a pattern selects. Nothing below it is a skill, even if the file is broken;
//! only the folder where a search starts is searched further.
//!
//! - Wildcards never match a hidden folder or a [skipped](FsOptions#skipped-folders) one. A pattern that spells the name does.
//! - Ignore files are not read: they are about commits, not about skills.
//! - Links are followed. Every real folder is read once, and under its own path rather than a link's if it has one.
//! - Every file in the folder of a skill is a resource, except version control, dependencies, caches, litter of systems and
//!   editors, and files that hold secrets by convention. A link counts as its target, if that is inside of the folder.
//! - A file that is too large, cannot be read or has no portable name is an [omission](repertoire_core::Omission).
//! - In a root that no other user can change, a skill or folder that another user can change is omitted, with a
//!   [`foreign-owner`](repertoire_core::Code::FOREIGN_OWNER) diagnostic: trust in the root does not extend to it.
//!
//! # Files
//! [`FileSource`] lists items of any kind of which each is one file: it shares search, watching and limits with [`FsSource`].
//!
//! # Reading
//! A listing reads front matter only, in parallel on tokio's blocking pool, so [`list`](repertoire_core::Source::list) must be
//! called inside a tokio runtime. A second listing costs one `stat` for each skill, and a first one two, if the host
//! saves scans. Bodies and resources are read on request, beneath the skill's own folder. The crate starts no process, writes
//! nothing else, and reads neither the environment nor the working folder of the process.
//!
//! # Roots
//! [`discover`] returns the folders in which agents keep skills, nearest project first, home last. Each becomes one
//! [`FsSource`], composed in that order. A project's folder holds what strangers checked in: the host decides about its trust.
//! [`InstalledPlugins::find`] returns the plugins that clients install as folders, one version of each. Each becomes one source,
//! composed namespaced. [`InstalledPluginOptions`] configures them.
//!
//! The diagnostics of a listing name what was omitted and why. [`FsSource::roots`] reports whether each root exists.
//!
//! # Watching
//! [`changed`](repertoire_core::Source::changed) notifies of changes of skills and of their other files; a registry that is started
//! awaits it. The source watches each folder that it reads by itself, never a tree, and every folder on the way to a root, so a
//! root may come, go and be replaced. [`FsSource::watching`] sets the options.
//!
//! - A scan follows an event after [`debounce`](WatchOptions::debounce) of quiet, at the latest after
//!   [`longest`](WatchOptions::longest). It costs what was touched. When events were lost, everything is scanned.
//! - Folders that cannot be watched are polled, with a `watch-degraded` diagnostic that names the limit, until they can be.
//! - All sources of a process share one watcher and its thread. The last source that is dropped waits for the thread.
//! - On Linux a mount or an unmount counts as a change of everything. Other systems do not report mounts: a root that lies on one
//!   is best [polled](WatchBy::Polling).
//! - Content decides. After the first listing the files of every skill are read once, while the source is idle. From then on a row
//!   changes when its content does, and names [the part](repertoire_core::ContentDigests) that did. Content over a limit stays unknown, and
//!   every touch of it counts.
//! - The future that awaits `changed` does the work. Events wait for the next one. An idle source runs nothing.
//!
//! # Contributing
//! A scan makes the next one cheap: files are cached by stamp, and a stamp that is too young to be trusted is checked again. Every
//! file is opened beneath the folder that was found. The folders of agents are in `repertoire-profiles`. The conformance suite of
//! `repertoire-testkit` runs over this source.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod agent_folders;
mod apart;
mod discovery;
mod earlier_scans;
mod file;
mod file_change;
mod file_record;
mod file_source;
mod file_system;
mod folder;
mod frontier;
mod installed_plugins;
mod limits;
mod link_bounds;
mod manifest;
mod options;
mod owner;
mod parent_dir;
mod pattern;
mod root;
mod saved_scan;
mod scan;
mod sibling_files;
mod skill_file;
mod skill_files;
mod skill_path;
mod source;
mod stamp;
mod survey;
mod text_link;
mod tree_file;
mod visit;
mod walk;
mod watch;
mod workers;

pub use agent_folders::AgentFolders;
pub use discovery::{Root, discover};
pub use file_record::{FileItem, ListedFile};
pub use file_source::FileSource;
pub use installed_plugins::{InstalledPlugin, InstalledPluginOptions, InstalledPlugins};
pub use limits::FsLimits;
pub use options::FsOptions;
pub use root::RootReport;
pub use saved_scan::remove_saved_scans;
pub use source::FsSource;
pub use watch::{WatchBy, WatchOptions};

#[cfg(fuzzing)]
#[doc(hidden)]
pub use saved_scan::read_any;

// The command line shares it. It is not a public interface.
#[doc(hidden)]
pub use text_link::is_text_link;

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<FsSource>();
    shared::<FsOptions>();
    shared::<Root>();
    shared::<RootReport>();
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
