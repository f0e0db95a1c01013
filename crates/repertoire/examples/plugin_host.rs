//! A host that loads a source from a shared library, once a person has approved the file by its digest.
//!
//! `cargo run -p repertoire --features plugin --example plugin_host -- LIBRARY [DIGEST OPTIONS]`

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use repertoire::SkillRegistry;
use repertoire::source::plugin::{Inspection, PluginOptions, PluginSource};

const USAGE: &str = "usage: plugin_host LIBRARY [DIGEST OPTIONS]
`cargo build -p repertoire-plugin-hello` builds a library; its options are {\"people\": [\"Ann\"]}";

/// Prints what the file says about itself, without running any of it.
pub(crate) fn inspect(library: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let Inspection {
        name, abi, digest, ..
    } = Inspection::read(library)?;
    writeln!(out, "{name}, for version {abi} of the boundary\n{digest}")?;
    Ok(())
}

/// Loads the library into this process if its digest is this one, and prints its skills and diagnostics.
pub(crate) async fn list(
    library: &Path,
    digest: &str,
    options: &str,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let plugin = PluginOptions::new(library)
        .pinned(digest.parse()?)
        .with_options(serde_json::from_str(options)?);
    let registry = SkillRegistry::builder()
        .plugin(PluginSource::new("plugin", plugin))
        .load()
        .await?;
    let snapshot = registry.snapshot();
    for entry in snapshot.entries() {
        let body = registry.body(&entry.candidate).await?;
        let trust = entry.candidate.trust;
        writeln!(out, "{} ({trust}): {}", entry.id, body.text.trim())?;
    }
    for diagnostic in snapshot.diagnostics() {
        writeln!(out, "{}: {}", diagnostic.source, diagnostic.diagnostic)?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [library] => inspect(library.as_ref(), &mut io::stdout()),
        [library, digest, options] => {
            list(library.as_ref(), digest, options, &mut io::stdout()).await
        }
        _ => {
            println!("{USAGE}");
            Ok(())
        }
    }
}
