//! A host that reads `repertoire.toml`, with a kind of source of its own.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use repertoire::config::{Configuration, HostSettings};
use repertoire::registry::{ConfigError, SourceConfig, SourceKind, Status, inventory};
use repertoire::{Id, MemorySource, Registered, Skill, SkillRegistry};

inventory::submit! {
    SourceKind::new("glossary", "one skill a term", glossary)
}

/// The options of the kind `glossary`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Glossary {
    terms: BTreeMap<String, String>,
}

fn glossary(
    config: &SourceConfig,
) -> Result<Arc<dyn repertoire::skill::Source<Skill>>, ConfigError> {
    let source = MemorySource::new(config.name.as_str());
    for (term, meaning) in config.options::<Glossary>()?.terms {
        // The error points to this term in the file.
        let key = format!("terms.{term}");
        let id = Id::new(&term.to_lowercase())
            .map_err(|error| ConfigError::in_option(&key, error.to_string()))?;
        let skill = Skill::new(id, format!("Explains the word {term}."));
        let registered = source.register(Registered::new(skill, meaning));
        registered.map_err(|error| ConfigError::in_option(&key, error.to_string()))?;
    }
    Ok(Arc::new(source))
}

/// Prints the skills that the file at `path` configures.
pub(crate) async fn list(path: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut settings = HostSettings::new(std::env::current_dir()?);
    settings.home = std::env::home_dir();
    let configuration = Configuration::read(path, &settings)?;
    let builder = configuration.compose(SkillRegistry::builder())?;
    let registry = builder
        .load()
        .await
        .map_err(|error| configuration.locate(&error))?;
    for entry in registry.snapshot().entries() {
        let skill = &entry.candidate;
        // A rule of the file may have disabled it.
        if skill.status != Status::Active {
            continue;
        }
        writeln!(
            out,
            "{} from {}, {}, {}",
            entry.id, skill.origin.source, skill.trust, skill.item.description
        )?;
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let path = std::env::args_os()
        .nth(1)
        .unwrap_or_else(|| "repertoire.toml".into());
    if let Err(error) = list(path.as_ref(), &mut std::io::stdout()).await {
        // The alternate form also prints the line of the file.
        eprintln!("error: {error:#}");
    }
}
