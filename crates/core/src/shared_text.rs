//! Short texts that many skills have in common.

use std::cell::RefCell;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::thread::LocalKey;

use foldhash::fast::FixedState;

/// The number of texts that a thread caches: several times the 40 keys that make up nearly all front matter.
const PLACES: usize = 512;

/// The longest text that is shared, in bytes. Longer ones are mostly of one skill.
const LONGEST: usize = 48;

/// The last text of each place. One for each thread: threads that count one text's owners would wait for each other.
type TextCache = RefCell<Vec<Option<Arc<str>>>>;

thread_local! {
    static KEYS: TextCache = const { RefCell::new(Vec::new()) };
    // Apart, because a value that only one skill has would take the place of a key.
    static VALUES: TextCache = const { RefCell::new(Vec::new()) };
}

/// Returns a key of front matter. Equal ones mostly share one text.
pub(crate) fn shared_key(key: &str) -> Arc<str> {
    shared(&KEYS, key)
}

/// Returns a text that is a value, or a part of one. Equal short ones often share one text.
pub(crate) fn shared_value(text: &str) -> Arc<str> {
    shared(&VALUES, text)
}

fn shared(cache: &'static LocalKey<TextCache>, text: &str) -> Arc<str> {
    if text.len() > LONGEST {
        return text.into();
    }
    cache.with_borrow_mut(|texts| {
        if texts.is_empty() {
            texts.resize(PLACES, None);
        }
        let hash = FixedState::default().hash_one(text) as usize;
        match &mut texts[hash % PLACES] {
            Some(known) if known.as_ref() == text => known.clone(),
            place => place.insert(text.into()).clone(),
        }
    })
}
