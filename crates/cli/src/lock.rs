//! Lock files: what was there when somebody looked, written down.

mod compared;
mod document;
mod folder_hash;
mod inventory;
mod name_order;
mod repertoire_lock;
mod skill_lock;
mod skills_lock;

pub(crate) use compared::NotCompared;
pub(crate) use document::{Outcome, write};
pub(crate) use folder_hash::{Hashed, folder_hash, line_feeds};
pub(crate) use inventory::{Inventory, LeftOut, Present};
#[cfg(feature = "schema")]
pub(crate) use repertoire_lock::Document as LockDocument;
pub(crate) use repertoire_lock::RepertoireLock;
pub(crate) use skill_lock::{InstalledRow, SkillLock};
pub(crate) use skills_lock::SkillsLock;
