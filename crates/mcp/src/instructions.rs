//! What a client tells the model at the start.

use repertoire::Catalog;

use crate::view::View;
use crate::{Face, Faces, Server};

impl Server {
    /// What the model shall know from the start; nothing where there is nothing to see.
    ///
    /// A client that has the skills extension makes a catalog of its own, so it gets a pointer. Every other one gets the catalog.
    pub(crate) fn instructions(&self, view: &View, faces: Faces, has_extension: bool) -> Option<String> {
        if !faces.has(Face::Instructions) || view.rows.is_empty() {
            return None;
        }
        let name = &self.options().name;
        if has_extension && faces.has(Face::Extension) {
            return Some(format!(
                "The server `{name}` has skills: instructions for tasks, with files beside them. `skills/list` tells which. \
                 Load the one that fits before you begin a task, and follow it."
            ));
        }
        let how = if faces.has(Face::Tools) {
            let read = &self.options().tools.read.name;
            format!("read it with the tool `{read}` of this server before you begin, and follow what it answers.")
        } else if faces.has(Face::Resources) {
            "read it from this server's resources before you begin, and follow it.".to_owned()
        } else {
            return None;
        };
        let catalog = self.options().catalog.clone().modes(self.options().modes.clone());
        let catalog = Catalog::of(&view.snapshot, &catalog).text;
        Some(format!(
            "The server `{name}` has skills: instructions for tasks. When a task fits what one is for, {how}\n\n{catalog}"
        ))
    }
}
