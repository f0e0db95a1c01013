//! References as text, for users and locks.

use std::fmt;
use std::str::FromStr;

use repertoire_core::ResourcePath;

use super::{GITHUB, Reference, ReferencePlace, WELL_KNOWN};
use crate::install_error::InstallError;

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
