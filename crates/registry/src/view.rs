//! The published state of a registry.

use repertoire_core::{Code, Diagnostic, Item};

use crate::layer::name_skeleton;
use crate::{Layer, Snapshot};

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

    pub(crate) fn next(&self, own: Snapshot<T>, under: Option<Snapshot<T>>) -> View<T> {
        let merged = overlay_on(&own, under.as_ref());
        let generation = self.merged.generation() + u64::from(!merged.is_like(&self.merged));
        let merged = merged.of_generation(generation);
        View {
            own: if under.is_some() { own } else { merged.clone() },
            merged,
            base: under,
        }
    }

    pub(crate) fn is_over(&self, under: &Snapshot<T>) -> bool {
        self.base.as_ref().is_some_and(|seen| seen.ptr_eq(under))
    }
}

pub(crate) fn overlay_on<T: Item>(own: &Snapshot<T>, under: Option<&Snapshot<T>>) -> Snapshot<T> {
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
