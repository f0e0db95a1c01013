//! What is registered and switched off in code.

use repertoire_core::{Id, Item, Source};

use crate::{RegisterError, Registered, Registry, Rules};

impl<T: Item> Registry<T> {
    /// Adds an entry in code. It is there when this returns.
    ///
    /// # Errors
    /// [`RegisterError::AlreadyRegistered`]: entries of other sources may share the id, registered ones not.
    pub fn register(&self, item: impl Into<Registered<T>>) -> Result<&Self, RegisterError> {
        self.memory().register(item)?;
        Ok(self.publish_memory())
    }

    /// Adds many entries in code, in one view: all of them or, when one is refused, none.
    ///
    /// # Errors
    /// As [`register`](Registry::register), also for an id that comes twice.
    pub fn register_all<R: Into<Registered<T>>>(
        &self,
        items: impl IntoIterator<Item = R>,
    ) -> Result<&Self, RegisterError> {
        self.memory().register_all(items)?;
        Ok(self.publish_memory())
    }

    /// Puts an entry registered in code in place of the one with its id; the position stays.
    ///
    /// # Errors
    /// First [`RegisterError::NotRegistered`], then [`RegisterError::IdMismatch`].
    pub fn replace(&self, id: &Id, item: impl Into<Registered<T>>) -> Result<&Self, RegisterError> {
        self.memory().replace(id, item)?;
        Ok(self.publish_memory())
    }

    /// Takes an entry registered in code out; an unknown id is fine. A shadow of it steps forward.
    pub fn unregister(&self, id: &str) -> &Self {
        self.memory().unregister(id);
        self.publish_memory()
    }

    /// Takes every entry registered in code out.
    pub fn clear(&self) -> &Self {
        self.memory().clear();
        self.publish_memory()
    }

    /// Puts `rules` in place of those there are. They hold when this returns.
    pub fn set_rules(&self, rules: &Rules) -> &Self {
        self.publish(|current| current.with_rules(rules));
        self.tell();
        self
    }

    fn publish_memory(&self) -> &Self {
        // Listed inside the publishing turn, so that a later change is never overwritten by an earlier one.
        self.publish(|current| {
            let name = self.memory().name();
            current.with_listing(name, self.memory().listing())
        });
        self.tell();
        self
    }
}
