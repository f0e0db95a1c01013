//! What a registry shows, and how it becomes the next.

use repertoire_core::{Code, Diagnostic, Item};

use crate::refresh::{Digests, with_digests};
use crate::{Layer, Registry, Snapshot};

/// What a registry shows: its own sources over the view of its base, if it has one.
#[derive(Debug)]
pub(crate) struct View<T: Item> {
    /// Of its own sources.
    pub(crate) own: Snapshot<T>,
    /// What readers see. Without a base, the very same.
    pub(crate) merged: Snapshot<T>,
    /// What it was laid over.
    under: Option<Snapshot<T>>,
}

impl<T: Item> View<T> {
    /// The first view.
    pub(crate) fn new(own: Snapshot<T>, under: Option<Snapshot<T>>) -> View<T> {
        View { merged: laid(&own, under.as_ref()), own, under }
    }

    /// The view after this one. Its generation is a new one if readers see anything of the difference.
    fn next(&self, own: Snapshot<T>, under: Option<Snapshot<T>>) -> View<T> {
        let merged = laid(&own, under.as_ref());
        let generation = self.merged.generation() + u64::from(!merged.is_like(&self.merged));
        let merged = merged.of_generation(generation);
        View { own: if under.is_some() { own } else { merged.clone() }, merged, under }
    }

    fn is_over(&self, under: &Snapshot<T>) -> bool {
        self.under.as_ref().is_some_and(|seen| seen.is(under))
    }
}

fn laid<T: Item>(own: &Snapshot<T>, under: Option<&Snapshot<T>>) -> Snapshot<T> {
    under.map_or_else(|| own.clone(), |under| own.over(under))
}

impl<T: Item> Snapshot<T> {
    /// Lays this view over another: its layers are composed before those of `base`, its rules come after. Costs the rows
    /// of this one; what they do not touch is shared with `base`.
    fn over(&self, base: &Snapshot<T>) -> Snapshot<T> {
        let is_own = |name: &str| self.layer(name).is_some();
        let own = self.layers().iter().map(|layer| match base.layer(&layer.origin.source) {
            Some(hidden) => with_hidden_source(layer, hidden),
            None => layer.clone(),
        });
        let theirs = base.layers().iter().filter(|layer| !is_own(&layer.origin.source));
        let shifted = |layer: &Layer<T>| Layer { position: self.layers().len() + layer.position, ..layer.clone() };
        let mut draft = base.draft();
        draft.set_layers(own.chain(theirs.map(shifted)).collect(), is_own);
        draft.set_rules(&base.rules().and(self.rules()));
        base.revised(draft)
    }
}

/// Returns `layer` with a diagnostic that it hides one of the same name.
fn with_hidden_source<T: Item>(layer: &Layer<T>, hidden: &Layer<T>) -> Layer<T> {
    let message = format!("source `{}` hides the {} that was composed later", layer.origin.source, hidden.origin);
    let diagnostic = Diagnostic::new(Code::SOURCE_HIDDEN, message).help("give one of them another name");
    let diagnostics: Vec<_> = layer.listing.diagnostics().iter().cloned().chain([diagnostic]).collect();
    Layer { listing: layer.listing.clone().with_diagnostics(diagnostics), ..layer.clone() }
}

impl<T: Item> Registry<T> {
    /// The current view: one atomic load, and one more for each registry that this one [lies over](Registry::overlay).
    ///
    /// When a base has moved on, the view is laid over it first: that costs this registry's own rows.
    pub fn snapshot(&self) -> Snapshot<T> {
        let view = self.current().load();
        match self.base() {
            None => view.merged.clone(),
            Some(base) if view.is_over(&base.snapshot()) => view.merged.clone(),
            Some(base) => self.catch_up(base),
        }
    }

    /// Reads the current view.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&Snapshot<T>) -> R) -> R {
        if self.base().is_none() { read(&self.current().load().merged) } else { read(&self.snapshot()) }
    }

    /// The view of its own sources.
    pub(crate) fn own(&self) -> Snapshot<T> {
        self.current().load().own.clone()
    }

    /// What readers would see with this view of its own sources.
    pub(crate) fn shown(&self, own: &Snapshot<T>) -> Snapshot<T> {
        laid(own, self.base().map(Registry::snapshot).as_ref())
    }

    /// Lays the view over what `base` shows now. Nobody needs to hear of it: whoever waits for this registry waits for its
    /// base as well.
    fn catch_up(&self, base: &Registry<T>) -> Snapshot<T> {
        loop {
            // Loaded in this order, an older view of the base is never laid under in place of a newer one.
            let view = self.current().load_full();
            let under = base.snapshot();
            if view.is_over(&under) {
                return view.merged.clone();
            }
            let next = view.next(view.own.clone(), Some(under)).into();
            // Whoever was faster, the next round returns.
            self.current().compare_and_swap(&view, next);
        }
    }

    /// Derives the next view of its own sources from the current one and publishes it if anything changed. Callbacks are
    /// told after that, by whoever has given up every lock and turn.
    pub(crate) fn publish(&self, next: impl FnOnce(&Snapshot<T>) -> Snapshot<T>) {
        let _turn = self.publishing().lock();
        let before = self.own();
        let own = next(&before);
        if own.is(&before) {
            return;
        }
        loop {
            let view = self.current().load_full();
            let next = view.next(own.clone(), self.base().map(Registry::snapshot));
            let generation = next.merged.generation();
            let found = self.current().compare_and_swap(&view, next.into());
            // Only a reader that catches up with the base can come in between.
            if std::ptr::eq(&raw const **found, &raw const *view) {
                // Also when it only knows more of contents than before: what is told next is told against that.
                self.announce(generation);
                return;
            }
        }
    }

    /// Adds what became known of contents to its own sources, and to those of its base.
    pub(crate) fn learn(&self, digests: Digests) {
        if digests.is_empty() {
            return;
        }
        let own = self.own();
        let (mine, theirs): (Digests, Digests) =
            digests.into_iter().partition(|(source, _)| own.layer(source).is_some());
        self.publish(|current| with_digests(current.clone(), &mine));
        if let Some(base) = self.base() {
            base.learn(theirs);
        }
    }
}
