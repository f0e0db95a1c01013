//! Lists the skills of a server as a client would.

use repertoire::Model;
use repertoire::skill::Severity;

use super::client::ServerAddress;
use crate::Environment;
use crate::compose::{NamedFolders, compose};
use crate::failure::Failure;
use crate::options::SourceOptions;
use crate::source_cache::SourceCache;

/// Starts the server or connects to it, and returns the names of its skills.
///
/// # Errors
/// The server does not start or does not answer.
pub(super) async fn skills(
    server: &ServerAddress<'_>,
    environment: &mut Environment<'_>,
) -> Result<Vec<String>, Failure> {
    let text = |text: &str| toml_edit::Value::from(text).to_string();
    let options = match server {
        ServerAddress::Local { program, arguments } => {
            let arguments: toml_edit::Array = arguments.iter().copied().collect();
            format!("command = {}, args = {arguments}", text(program))
        }
        ServerAddress::Remote { url, token } => {
            let token = token.map(|name| format!(", token-env = {}", text(name)));
            format!("url = {}{}", text(url), token.unwrap_or_default())
        }
    };
    let sources = SourceOptions {
        sources: vec![format!("mcp:server:{options}")],
        no_defaults: true,
        ..SourceOptions::default()
    };
    let named = NamedFolders::Plain(&[]);
    let cache = SourceCache::default();
    let context = compose(&sources, named, Model::default(), cache, environment).await?;
    let entries = context.snapshot.entries().iter();
    let names: Vec<_> = entries
        .map(|entry| entry.candidate.item.id.to_string())
        .collect();
    let reported = context.diagnostics();
    let failed = reported
        .iter()
        .find(|one| one.diagnostic.severity == Severity::Error);
    match failed {
        Some(failed) if names.is_empty() => {
            let message = format!("the server does not work: {}", failed.diagnostic.message);
            Err(Failure::new(message).help("start it by hand to see its errors"))
        }
        _ => Ok(names),
    }
}
