//! A host of plugins: `plugin-host NAME LIBRARY OPTIONS DIGEST`.
//!
//! Lists the skills of a library twice: loaded into this process, and loaded into one of its own.

use std::process::ExitCode;
use std::time::Duration;

use repertoire::{Mount, SkillRegistry};
use repertoire::source::plugin::{PluginOptions, PluginSource, ProcessOptions, plugin_host};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<ExitCode, Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        // This program started itself, to run a plugin alone.
        [word, ..] if word == "plugin-host" => Ok(plugin_host()),
        [name, library, options, digest] => {
            let plugin = PluginOptions::new(library).pinned(digest.parse()?).with_options(serde_json::from_str(options)?);
            // No time limit: it also runs where builds take all processors.
            list(name, plugin.within(Duration::from_secs(3600)))?;
            Ok(ExitCode::SUCCESS)
        }
        _ => Err("expected: plugin-host NAME LIBRARY OPTIONS DIGEST".into()),
    }
}

#[tokio::main]
async fn list(name: &str, plugin: PluginOptions) -> Result<(), Failure> {
    let own_process = ProcessOptions::new(plugin.clone(), std::env::current_exe()?);
    let registry = SkillRegistry::builder()
        .plugin(PluginSource::new(name, plugin))
        .mount(Mount::plugin(PluginSource::spawn(format!("{name}-apart"), own_process)).namespaced())
        .load()
        .await?;
    let snapshot = registry.snapshot();
    for entry in snapshot.entries() {
        let body = registry.body(&entry.candidate).await?;
        println!("{} ({}): {}", entry.id, entry.candidate.trust, body.text.trim());
    }
    for diagnostic in snapshot.diagnostics() {
        println!("{}: {}", diagnostic.source, diagnostic.diagnostic);
    }
    Ok(())
}
