//! Keys that many files share.

use std::cell::RefCell;
use std::sync::Arc;

/// A power of two, a few times the 40 keys that make up nearly all front matter.
const SLOTS: usize = 256;

/// Longer keys are rare, and not worth keeping.
const LONGEST: usize = 32;

thread_local! {
    /// The last key of each hash. One for each thread: threads that count one key's owners would wait for each other.
    static KEYS: RefCell<Vec<Option<Arc<str>>>> = const { RefCell::new(Vec::new()) };
}

/// `key`, shared with the files that this thread has read before. What it keeps is bounded.
pub(super) fn shared(key: &str) -> Arc<str> {
    if key.len() > LONGEST {
        return key.into();
    }
    KEYS.with_borrow_mut(|keys| {
        keys.resize(SLOTS, None);
        let hash = key.bytes().fold(key.len(), |hash, byte| hash.wrapping_mul(31) + usize::from(byte));
        match &mut keys[hash % SLOTS] {
            Some(known) if known.as_ref() == key => known.clone(),
            slot => slot.insert(key.into()).clone(),
        }
    })
}
