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
//! # What counts as a skill
//! A folder that holds a `SKILL.md` which a pattern selects. Nothing below it is another skill, also when
//! the file is broken; only the folder where a search starts is searched on. Wildcards never match a hidden
//! folder or one of the [skipped](FsOptions#skipped-folders) ones: a pattern that spells the name does.
//! Ignore files say what to commit, not what to load, and are not read. Links are followed, wherever they
//! lead; every real folder is read once, and under its own path rather than a link's where it has one.
//!
//! # What is read when
//! Listing reads front matter only, in parallel on tokio's blocking pool, so [`list`](repertoire_core::Source::list)
//! must run inside a tokio runtime. A second listing costs one `stat` a skill. Bodies and resources are
//! read when asked for, beneath the skill's own folder. No process is started, nothing is written, and
//! neither the environment nor the working folder of the process is consulted.
//!
//! # Where to look
//! [`discover`] gives the folders in which the clients of the field keep skills, nearest project first, home last.
//! Each becomes one [`FsSource`], composed in that order. [`ClientPlugins::find`] gives the plugins that clients install as
//! folders, one version of each; each becomes one source of its own,
//! composed namespaced. [`ClientPluginsOptions`] is what a configuration says of them.
//!
//! # Watching
//! [`FsSource::watching`] makes [`changed`](repertoire_core::Source::changed) tell of changes, those of a skill's other
//! files too. Watched are [`FsSource::folders`], each by itself and never a tree, and every folder on the way to a root:
//! the count grows with skills and not with what they carry, and a root may come, go and be swapped. An event means
//! "look there again", once it was quiet for [`debounce`](WatchOptions::debounce) or after
//! [`longest`](WatchOptions::longest); when events were lost, everything is looked at. Folders that cannot be watched
//! are polled, with a `watch-degraded` diagnostic that names the limit, until they can be.
//!
//! All sources of a process share one watcher and its thread, and a folder that several watch is watched once. The last
//! source to be dropped waits for the thread and closes all. On Linux a file system that is mounted or unmounted counts
//! as a change of everything, since what is below a mount makes no event; other systems tell nothing of mounts, and a
//! root that lies on one is best [polled](WatchBy::Polling).
//!
//! What counts is content. After the first listing, and while there is nothing else to do, the files of every skill are
//! read once; from then on a row changes when its content does, and tells [which part](repertoire_core::Parts) did, and a
//! touch or a rewrite of the same is no change. Content that is over a limit or cannot be read stays unknown, and there
//! every touch counts. A look after an event costs what was touched, however many skills there are.
//!
//! There is no task: who awaits `changed` does the work, and what happens while nobody does is kept for the next. While
//! nothing happens, nothing runs.
//!
//! # For hosts
//! [`FsSource::new`] searches one folder, [`FsSource::from_options`] what a person configured. Trust is yours to give: a
//! project's folder holds what strangers checked in. What was skipped and why is in the listing's diagnostics; whether each
//! root is there is in [`FsSource::roots`].
//!
//! # For authors of skills
//! Every file in the folder of a skill is a resource of it, but for version control, dependencies, caches, what systems and
//! editors leave, and files that hold secrets by convention. Its path in there is what the skill's text may call it by. A
//! link counts as what it leads to, and not at all if that lies outside. A file that is too large, cannot be read or has a
//! name that is not a path everywhere is left out, named as an [omission](repertoire_core::Omission), and hides no other.
//!
//! # For whoever changes this crate
//! A scan makes the next one cheap: records are kept by stamp, and a stamp that is too young to be trusted is looked at again.
//! Every file is opened beneath the folder that was found, never by a path put together from a name. What a client
//! keeps where is one table, `clients.rs`. The conformance suite of `repertoire-testkit` runs over this source as over any other.

mod beside;
mod blocks;
mod bounds;
mod client_plugins;
mod clients;
mod discovery;
mod edit;
mod file;
mod file_system;
mod folder;
mod limits;
mod location;
mod manifest;
mod near;
mod options;
mod owner;
mod pattern;
mod record;
mod records;
mod root;
mod scan;
mod source;
mod stamp;
mod survey;
mod text_link;
mod visit;
mod walk;
mod watch;
mod workers;

pub use client_plugins::{ClientPlugin, ClientPlugins, ClientPluginsFindings, ClientPluginsOptions, Layout};
pub use clients::Client;
pub use discovery::{Discovery, Root, Scope, discover};
pub use limits::FsLimits;
pub use options::{FsOptions, InvalidOptions};
pub use root::RootReport;
pub use source::FsSource;
pub use watch::{WatchBy, WatchOptions};

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<FsSource>();
    shared::<FsOptions>();
    shared::<InvalidOptions>();
    shared::<Root>();
    shared::<RootReport>();
};
