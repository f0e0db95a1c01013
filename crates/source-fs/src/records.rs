//! Every `SKILL.md` of one source.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use repertoire_core::Id;

use crate::record::Record;

/// Records in the order of the listing, and the ways to find one. An index is made when it is first used.
#[derive(Debug, Default)]
pub(crate) struct Records {
    list: Vec<Arc<Record>>,
    by_id: OnceLock<HashMap<Id, Arc<Record>>>,
    by_path: OnceLock<HashSet<ByPath>>,
}

impl Records {
    pub(crate) fn new(list: Vec<Arc<Record>>) -> Records {
        Records { list, ..Records::default() }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Record>> {
        self.list.iter()
    }

    /// The file behind the row `id`: the first that has it.
    pub(crate) fn of(&self, id: &Id) -> Option<&Arc<Record>> {
        let by_id = self.by_id.get_or_init(|| {
            let mut index = HashMap::with_capacity(self.list.len());
            for record in &self.list {
                if let Some(row) = &record.row {
                    index.entry(row.item.id.clone()).or_insert_with(|| record.clone());
                }
            }
            index
        });
        by_id.get(id)
    }

    /// The record of the file `path`.
    #[expect(clippy::mutable_key_type, reason = "the path, which alone is compared, never changes")]
    pub(crate) fn at(&self, path: &Path) -> Option<&Arc<Record>> {
        let by_path = self.by_path.get_or_init(|| self.list.iter().cloned().map(ByPath).collect());
        by_path.get(path.as_os_str().as_encoded_bytes()).map(|found| &found.0)
    }

    /// Whether these are the very same records.
    pub(crate) fn are(&self, others: &[Arc<Record>]) -> bool {
        self.list.len() == others.len() && self.list.iter().zip(others).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// Whether a listing of `other` would say the same.
    pub(crate) fn list_like(&self, other: &Records) -> bool {
        let same = |(a, b): (&Arc<Record>, &Arc<Record>)| Arc::ptr_eq(a, b) || a.lists_like(b);
        self.list.len() == other.list.len() && self.list.iter().zip(&other.list).all(same)
    }
}

/// A record that is found by the bytes of its path, which are cheaper to hash than its components.
#[derive(Debug)]
struct ByPath(Arc<Record>);

impl Borrow<[u8]> for ByPath {
    fn borrow(&self) -> &[u8] {
        self.0.path.as_os_str().as_encoded_bytes()
    }
}

impl Hash for ByPath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let path: &[u8] = self.borrow();
        path.hash(state);
    }
}

impl PartialEq for ByPath {
    fn eq(&self, other: &ByPath) -> bool {
        self.0.path.as_os_str() == other.0.path.as_os_str()
    }
}

impl Eq for ByPath {}
