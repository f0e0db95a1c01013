//! One skill as a server lists it.

use std::collections::{BTreeMap, HashSet};

use repertoire_core::{Digest, Resource, ResourcePath, Stamp};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use crate::McpLimits;
use crate::front_matter::Fields;
use crate::told::told;
use repertoire_core::skill_uri::{SKILL_MD, ServerUri};

/// One skill as a server lists it, checked as far as that is possible without reading a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) uri: ServerUri,
    pub(crate) said: Said,
    pub(crate) files: Files,
}

/// What the list says of the front matter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said {
    /// Everything in it.
    All(Fields),
    /// As much as a list of resources can: name and description.
    Some(Fields),
}

/// What the server says of the files.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Files {
    /// All of them, `SKILL.md` among them.
    Listed(BTreeMap<ResourcePath, Listed>),
    /// Their list is a resource of its own, read when it is needed.
    Beside,
    /// Only `SKILL.md` is known; the digest where the server gives one.
    Alone(Option<Digest>),
    /// They come to be when they are read, so nobody can say what they hold.
    Dynamic,
}

/// One file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Listed {
    pub(crate) uri: String,
    pub(crate) size: u64,
    pub(crate) digest: Digest,
}

impl Said {
    pub(crate) fn fields(&self) -> &Fields {
        match self {
            Said::All(fields) | Said::Some(fields) => fields,
        }
    }
}

impl Entry {
    /// Reads an entry of `skills/list` or `skills/get`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(mut value: Value, limits: &McpLimits) -> Result<Entry, String> {
        let uri = ServerUri::parse(text(&value, "uri")?)?;
        let Some(Value::Object(fields)) = value.get_mut("frontmatter").map(Value::take) else {
            return Err("it has no `frontmatter`".to_owned());
        };
        let files = match value.get("resources") {
            Some(Value::String(word)) if word == "dynamic" => Files::Dynamic,
            Some(Value::Array(rows)) => {
                let rows = rows.iter().map(|row| {
                    let address = text(row, "uri")?;
                    Ok((uri.path_of(address)?, address.to_owned(), size(row)?, digest(text(row, "digest")?)?))
                });
                files(rows, limits)?
            }
            _ => return Err("its `resources` are neither a list nor \"dynamic\"".to_owned()),
        };
        Ok(Entry { uri, said: Said::All(fields), files })
    }

    /// The digest of `SKILL.md`, where the server gives one.
    pub(crate) fn digest(&self) -> Option<Digest> {
        match &self.files {
            Files::Listed(files) => files.get(&skill_md()).map(|file| file.digest),
            Files::Alone(digest) => *digest,
            Files::Beside | Files::Dynamic => None,
        }
    }

    /// Whether nobody can tell if what is read is what was listed.
    pub(crate) fn is_unverified(&self) -> bool {
        matches!(self.files, Files::Dynamic | Files::Alone(None))
    }

    /// A fingerprint of everything that the server says.
    pub(crate) fn stamp(&self) -> Stamp {
        let fields = serde_json::to_string(self.said.fields()).unwrap_or_default();
        let files = match &self.files {
            Files::Listed(files) => {
                files.iter().map(|(path, file)| (path.as_str(), file.size, file.digest.to_string())).collect()
            }
            Files::Alone(Some(digest)) => vec![(SKILL_MD, 0, digest.to_string())],
            Files::Beside | Files::Dynamic | Files::Alone(None) => Vec::new(),
        };
        Stamp::of(&(self.uri.as_str(), fields, files))
    }

    /// About how many bytes it takes here, which may be many more than on the way.
    pub(crate) fn weight(&self) -> usize {
        let fields: usize = self.said.fields().iter().map(|(key, value)| ROW + key.len() + weight(value)).sum();
        let files = match &self.files {
            // Its address, and its path in that.
            Files::Listed(files) => files.values().map(|file| size_of::<Listed>() + ROW + 2 * file.uri.len()).sum(),
            _ => 0,
        };
        2 * self.uri.as_str().len() + fields + files
    }

    /// The files beside `SKILL.md`, sorted by path.
    pub(crate) fn resources(files: &BTreeMap<ResourcePath, Listed>) -> Vec<Resource> {
        let rows = files.iter().filter(|(path, _)| path.as_str() != SKILL_MD);
        rows.map(|(path, file)| Resource::new(path.clone(), file.size, file.digest)).collect()
    }
}

/// The path of the file that makes a folder a skill.
pub(crate) fn skill_md() -> ResourcePath {
    SKILL_MD.parse().expect("a file name is a path")
}

/// A complete list of files: every file once, `SKILL.md` among them, and no more than fits.
pub(crate) fn files(
    rows: impl Iterator<Item = Result<(ResourcePath, String, u64, Digest), String>>,
    limits: &McpLimits,
) -> Result<Files, String> {
    let (mut files, mut spellings) = (BTreeMap::new(), HashSet::new());
    let mut left = limits.skill_bytes;
    for row in rows {
        let (path, uri, size, digest) = row?;
        if files.len() == limits.files {
            return Err(format!("it has more than {} files; the limit is `limits.files`", limits.files));
        }
        left = left.checked_sub(size).ok_or_else(|| {
            format!("its files have more than {} bytes; the limit is `limits.skill-bytes`", limits.skill_bytes)
        })?;
        let shown = told(path.as_str());
        // Beside the file itself, another spelling would be the same file on some systems.
        if path.as_str() != SKILL_MD && folded(path.as_str()) == folded(SKILL_MD) {
            return Err(format!("`{shown}` is another spelling of `{SKILL_MD}`"));
        }
        // One that is listed twice is told below, as what it is.
        if !spellings.insert(path.as_str().nfc().collect::<String>()) && !files.contains_key(&path) {
            return Err(format!("it lists `{shown}` in two spellings of Unicode"));
        }
        if files.insert(path, Listed { uri, size, digest }).is_some() {
            return Err(format!("it lists `{shown}` twice"));
        }
    }
    match files.get(&skill_md()) {
        None => Err(format!("its files are listed without `{SKILL_MD}`")),
        Some(file) if file.size > limits.file_bytes => {
            Err(format!("its `{SKILL_MD}` has more than {} bytes; the limit is `limits.file-bytes`", limits.file_bytes))
        }
        Some(_) => Ok(Files::Listed(files)),
    }
}

/// What `path` is to a file system that tells neither letter case nor compatible letters apart.
fn folded(path: &str) -> String {
    path.nfkc().collect::<String>().to_uppercase()
}

/// The text under `key`.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, String> {
    value.get(key).and_then(Value::as_str).ok_or_else(|| format!("it has no `{key}`"))
}

pub(crate) fn size(value: &Value) -> Result<u64, String> {
    value.get("size").and_then(Value::as_u64).ok_or_else(|| "a file has no `size`".to_owned())
}

pub(crate) fn digest(text: &str) -> Result<Digest, String> {
    text.parse().map_err(|_| format!("`{}` is not a digest: expected `sha256:` and 64 hexadecimal digits", told(text)))
}

/// About what a key costs beside its text.
const ROW: usize = 2 * size_of::<String>();

fn weight(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(rows) => rows.iter().map(|(key, item)| ROW + key.len() + weight(item)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + inside
}
