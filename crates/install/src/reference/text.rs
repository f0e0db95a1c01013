//! References as text, for users and locks, and the places that they are below.

use std::fmt;
use std::str::FromStr;

use repertoire_core::ResourcePath;

use super::{GITHUB, MCP, Reference, ReferencePlace, WELL_KNOWN};
use crate::install_error::InstallError;
use crate::oci_reference::SCHEME;

impl Reference {
    /// Returns whether the reference is at or below a place: a repository, an owner, a host, a registry or a folder, without a
    /// revision.
    ///
    /// A reference with `.`, `..` or an escape in its URL is below no place, as programs resolve it in different ways.
    ///
    /// ```
    /// use repertoire_install::Reference;
    ///
    /// let reference: Reference = "anthropics/skills@main".parse()?;
    /// assert!(reference.is_within("anthropics/skills"));
    /// assert!(reference.is_within("https://github.com/anthropics"));
    /// assert!(!reference.is_within("https://github.com/anthropic"));
    /// # Ok::<(), repertoire_install::InstallError>(())
    /// ```
    pub fn is_within(&self, place: &str) -> bool {
        let known = place.parse::<Reference>();
        let place = known.map_or_else(|_| place.to_owned(), |known| known.location());
        let (place, location) = (place.trim_end_matches('/'), self.location());
        let is_ambiguous = match location.split_once("://") {
            Some((_, rest)) => {
                let mut segments = rest.trim_start_matches('/').split('/');
                rest.contains(['%', '\\']) || segments.any(|name| [".", "..", ""].contains(&name))
            }
            None => location.contains("/.."),
        };
        let below = location.strip_prefix(place);
        !is_ambiguous && below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    }

    /// Returns the place without a revision.
    fn location(&self) -> String {
        match &self.place {
            ReferencePlace::GitProgram(url) => url.strip_suffix(".git").unwrap_or(url).to_owned(),
            ReferencePlace::Oci(artifact) => {
                format!("{SCHEME}{}/{}", artifact.registry, artifact.repository)
            }
            ReferencePlace::McpServer(url) => format!("{MCP}{url}"),
            ReferencePlace::Folder(text)
            | ReferencePlace::Archive(text)
            | ReferencePlace::ArchiveUrl(text)
            | ReferencePlace::WellKnown(text) => text.clone(),
        }
    }
}

impl FromStr for Reference {
    type Err = InstallError;

    fn from_str(text: &str) -> Result<Reference, InstallError> {
        Reference::parse(text)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = match &self.place {
            ReferencePlace::Folder(path) | ReferencePlace::Archive(path) => {
                return f.write_str(path);
            }
            ReferencePlace::ArchiveUrl(url) => {
                return write_located(f, url, self.folder.as_ref());
            }
            ReferencePlace::McpServer(url) => {
                let url = format!("{MCP}{url}");
                return write_located(f, &url, self.folder.as_ref());
            }
            ReferencePlace::WellKnown(base) => {
                let has_path = base
                    .split_once("://")
                    .is_some_and(|(_, rest)| rest.contains('/'));
                let url = match has_path {
                    true => format!("{base}{WELL_KNOWN}agent-skills"),
                    false => base.clone(),
                };
                return write_located(f, &url, self.folder.as_ref());
            }
            ReferencePlace::Oci(artifact) => {
                return write_located(f, &artifact.to_string(), self.folder.as_ref());
            }
            ReferencePlace::GitProgram(url) => url,
        };
        let folder = self.folder.as_ref().map_or("", ResourcePath::as_str);
        let [slash, hash] = [(folder, "/"), (folder, "#")].map(|(folder, sign)| match folder {
            "" => String::new(),
            folder => format!("{sign}{folder}"),
        });
        let revision = self.revision.as_deref();
        let revision = revision.map_or_else(String::new, |revision| format!("@{revision}"));
        if let Some(path) = url
            .strip_prefix(GITHUB)
            .and_then(|path| path.strip_suffix(".git"))
        {
            let short = format!("{path}{slash}{revision}");
            // Some names are read differently without the host.
            if Reference::parse(&short).is_ok_and(|parsed| parsed == *self) {
                return f.write_str(&short);
            }
        }
        write!(f, "{url}{revision}{hash}")
    }
}

fn write_located(
    f: &mut fmt::Formatter<'_>,
    url: &str,
    folder: Option<&ResourcePath>,
) -> fmt::Result {
    match folder {
        Some(folder) => write!(f, "{url}#{folder}"),
        None => f.write_str(url),
    }
}

impl TryFrom<String> for Reference {
    type Error = InstallError;

    fn try_from(text: String) -> Result<Reference, InstallError> {
        text.parse()
    }
}

impl From<Reference> for String {
    fn from(reference: Reference) -> String {
        reference.to_string()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Reference {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Reference".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "minLength": 1 })
    }
}
