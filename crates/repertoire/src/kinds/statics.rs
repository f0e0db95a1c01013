//! The kind `static`.

use std::sync::Arc;

use repertoire_registry::{ConfigError, SourceKind, inventory};
use repertoire_source_static::{StaticList, StaticSource};

inventory::submit! {
    SourceKind::new("static", "skills compiled into this program", |config| {
        let Options { list } = config.options()?;
        let named = list.as_deref().unwrap_or_default();
        let skills = StaticList::declared(named).map_err(|error| ConfigError::in_option("list", error.to_string()))?;
        if skills.iter().next().is_none() {
            return Err(match &list {
                Some(name) => {
                    let message = format!("`list` is `{name}`, and no crate of this program declares skills of this name");
                    ConfigError::in_option("list", message)
                }
                None => ConfigError::new("no crate of this program declares skills"),
            });
        }
        Ok(Arc::new(StaticSource::new("static", skills).with_name(config.name.as_str())))
    })
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    /// The name of a constant of `declare_skill!`; every declared skill if it is absent.
    #[serde(default)]
    list: Option<String>,
}
