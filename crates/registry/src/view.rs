//! The published state of a registry.

use repertoire_core::{Code, Diagnostic, Item};

use crate::layers::name_skeleton;
use crate::refresh::{Digests, with_digests};
use crate::{Builder, Layer, Registry, Snapshot};

#[derive(Debug)]
pub(crate) struct View<T: Item> {
    pub(crate) own: Snapshot<T>,
    /// The snapshot that readers see. Equal to `own` without a base.
    pub(crate) merged: Snapshot<T>,
    /// The snapshot of the base that `merged` was made over.
    base: Option<Snapshot<T>>,
}

impl<T: Item> View<T> {
    pub(crate) fn new(own: Snapshot<T>, under: Option<Snapshot<T>>) -> View<T> {
        View {
            merged: overlay_on(&own, under.as_ref()),
            own,
            base: under,
        }
    }

    fn next(&self, own: Snapshot<T>, under: Option<Snapshot<T>>) -> View<T> {
        let merged = overlay_on(&own, under.as_ref());
        let generation = self.merged.generation() + u64::from(!merged.is_like(&self.merged));
        let merged = merged.of_generation(generation);
        View {
            own: if under.is_some() { own } else { merged.clone() },
            merged,
            base: under,
        }
    }

    fn is_over(&self, under: &Snapshot<T>) -> bool {
        self.base.as_ref().is_some_and(|seen| seen.ptr_eq(under))
    }
}

fn overlay_on<T: Item>(own: &Snapshot<T>, under: Option<&Snapshot<T>>) -> Snapshot<T> {
    under.map_or_else(|| own.clone(), |under| own.over(under))
}

impl<T: Item> Snapshot<T> {
    fn over(&self, base: &Snapshot<T>) -> Snapshot<T> {
        let mut layers = Vec::new();
        for layer in self.layers() {
            let hidden = base
                .all_layers()
                .alike(&name_skeleton(&layer.origin.source));
            layers.push(
                hidden.map_or_else(|| layer.clone(), |hidden| with_hidden_source(layer, hidden)),
            );
        }
        for layer in base.layers().iter().filter(|layer| {
            self.all_layers()
                .alike(&name_skeleton(&layer.origin.source))
                .is_none()
        }) {
            layers.push(Layer {
                position: self.layers().len() + layer.position,
                ..layer.clone()
            });
        }
        let mut builder = base.builder();
        builder.set_layers(layers, |source| self.layer(source).is_some());
        builder.set_rules(&base.rules().and(self.rules()));
        base.revised(builder)
    }
}

fn with_hidden_source<T: Item>(layer: &Layer<T>, hidden: &Layer<T>) -> Layer<T> {
    let message = format!(
        "source `{}` hides the {} that was composed later",
        layer.origin.source, hidden.origin
    );
    let diagnostic =
        Diagnostic::new(Code::SOURCE_HIDDEN, message).help("give one of them another name");
    let diagnostics: Vec<_> = layer
        .listing
        .diagnostics()
        .iter()
        .cloned()
        .chain([diagnostic])
        .collect();
    Layer {
        listing: layer.listing.clone().with_diagnostics(diagnostics),
        ..layer.clone()
    }
}

impl<T: Item> Registry<T> {
    /// The name of the source that holds what is registered in code on an [overlay](Registry::overlay). On an overlay of
    /// an overlay it is `session-2`, and so on.
    pub(crate) const SESSION: &str = "session";

    /// Composes a registry over this one, for a session with sources, entries and rules of its own.
    ///
    /// - It shows what this registry shows. Inside each tier, the overlay's own sources and entries come first.
    /// - Its rules come after those of this registry.
    /// - Entries that its own rows do not touch are shared with this registry.
    /// - It follows the changes of this registry. Changes to the overlay are not visible in this registry.
    /// - Dropping or closing the overlay does not affect this registry, which stays alive until its last overlay is dropped.
    /// - When this registry is closed, subscriptions and callbacks of its overlays end.
    ///
    /// Names of sources are unique in both. When this registry later gets a source of a name that the overlay has, the overlay
    /// omits it, with a diagnostic. Whether a copy is identical to one that this registry got later is known after the next
    /// [`refresh`](Registry::refresh) of the overlay.
    ///
    /// ```
    /// use repertoire_core::Skill;
    /// use repertoire_registry::{MemorySource, SkillRegistry};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let named = |name: &str, id: &str| -> Result<_, Box<dyn std::error::Error>> {
    ///     let source = MemorySource::new(name);
    ///     source.register(Skill::new(id.parse()?, name))?;
    ///     Ok(source)
    /// };
    /// let shared = SkillRegistry::builder().user(named("home", "tidy")?).load().await?;
    /// let session = shared.overlay().user(named("project", "tidy")?).load().await?;
    /// session.register(Skill::new("greet".parse()?, "Greets people."))?;
    ///
    /// assert_eq!(session.get("tidy").ok_or("gone")?.origin().source.as_ref(), "project");
    /// assert_eq!(shared.get("tidy").ok_or("gone")?.origin().source.as_ref(), "home");
    /// assert!(session.get("greet").is_some() && shared.get("greet").is_none());
    ///
    /// shared.register(Skill::new("plan".parse()?, "Makes plans."))?;
    /// assert!(session.get("plan").is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub fn overlay(&self) -> Builder<T> {
        Builder::over(self.clone())
    }

    /// Returns the current snapshot: one atomic load, and one more for each base of an [overlay](Registry::overlay).
    ///
    /// When a base has a newer snapshot, the overlay is applied to it first. That costs this registry's own rows.
    pub fn snapshot(&self) -> Snapshot<T> {
        let view = self.0.current.load();
        match self.base() {
            None => view.merged.clone(),
            Some(base) if view.is_over(&base.snapshot()) => view.merged.clone(),
            Some(base) => self.catch_up(base),
        }
    }

    pub(crate) fn read<R>(&self, read: impl FnOnce(&Snapshot<T>) -> R) -> R {
        if self.base().is_none() {
            read(&self.0.current.load().merged)
        } else {
            read(&self.snapshot())
        }
    }

    pub(crate) fn own(&self) -> Snapshot<T> {
        self.0.current.load().own.clone()
    }

    pub(crate) fn shown(&self, own: &Snapshot<T>) -> Snapshot<T> {
        overlay_on(own, self.base().map(Registry::snapshot).as_ref())
    }

    fn catch_up(&self, base: &Registry<T>) -> Snapshot<T> {
        loop {
            // In this order, an older snapshot of the base never replaces a newer one.
            let view = self.0.current.load_full();
            let under = base.snapshot();
            if view.is_over(&under) {
                return view.merged.clone();
            }
            let next = view.next(view.own.clone(), Some(under)).into();
            // If another thread was faster, the next round returns its snapshot.
            self.0.current.compare_and_swap(&view, next);
        }
    }

    pub(crate) fn publish(&self, next: impl FnOnce(&Snapshot<T>) -> Snapshot<T>) {
        let _turn = self.0.publishing.lock();
        if self.closing().is_closed() {
            return;
        }
        let before = self.own();
        let own = next(&before);
        if own.ptr_eq(&before) {
            return;
        }
        loop {
            let view = self.0.current.load_full();
            let next = view.next(own.clone(), self.base().map(Registry::snapshot));
            let generation = next.merged.generation();
            let found = self.0.current.compare_and_swap(&view, next.into());
            // Only a reader that catches up with the base can come in between.
            if std::ptr::eq(&raw const **found, &raw const *view) {
                // Also when only more is known about contents, because the next change is compared with that.
                self.0.notices.send_replace(generation);
                return;
            }
        }
    }

    /// Adds digests to the own sources of the view and to those of its base.
    pub(crate) fn add_digests(&self, digests: Digests) {
        if digests.is_empty() {
            return;
        }
        let own = self.own();
        let (mine, theirs): (Digests, Digests) = digests
            .into_iter()
            .partition(|(source, _)| own.layer(source).is_some());
        self.publish(|current| with_digests(current.clone(), &mine));
        if let Some(base) = self.base() {
            base.add_digests(theirs);
        }
    }
}
