//! The instructions of the server for a client.

use repertoire::Catalog;

use crate::served_view::ServedView;
use crate::{McpFeatures, Server};

pub(crate) fn instructions(
    server: &Server,
    view: &ServedView,
    features: McpFeatures,
    has_extension: bool,
) -> Option<String> {
    if !features.contains(McpFeatures::INSTRUCTIONS) || view.skills.is_empty() {
        return None;
    }
    let name = &server.options().name;
    if has_extension && features.contains(McpFeatures::EXTENSION) {
        return Some(format!(
            "The server `{name}` has skills: instructions for tasks, with files beside them. List them with `skills/list`. \
             Load the one that fits before you begin a task, and follow it."
        ));
    }
    let how = if features.contains(McpFeatures::TOOLS) {
        let read = server.options().tools.read_name();
        format!(
            "read it with the tool `{read}` of this server before you begin, and follow what it answers."
        )
    } else if features.contains(McpFeatures::RESOURCES) {
        "read it from this server's resources before you begin, and follow it.".to_owned()
    } else {
        return None;
    };
    let catalog = server.options().catalog_options();
    let catalog = catalog.marking_not_ready(view.unready_ids());
    let catalog = Catalog::new(&view.snapshot, &catalog).text;
    Some(format!(
        "The server `{name}` has skills: instructions for tasks. When a task fits what one is for, {how}\n\n{catalog}"
    ))
}
