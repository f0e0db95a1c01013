//! One skill as a server lists it.

use std::collections::{BTreeMap, HashSet};

use repertoire_core::{Digest, Omission, OmissionReason, Resource, ResourcePath, SkippedFile, Stamp};
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
    /// The files that the server lists and that cannot be files of a skill.
    pub(crate) omitted: Vec<Omission>,
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
        let (files, omitted) = match value.get("resources") {
            Some(Value::String(word)) if word == "dynamic" => (Files::Dynamic, Vec::new()),
            Some(Value::Array(rows)) => {
                let rows = rows.iter().map(|row| {
                    let address = row.get("uri").and_then(Value::as_str).unwrap_or_default();
                    Listed::read(&uri, address, row, "digest")
                });
                files(rows, limits)?
            }
            _ => return Err("its `resources` are neither a list nor \"dynamic\"".to_owned()),
        };
        Ok(Entry { uri, said: Said::All(fields), files, omitted })
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
        let omitted: Vec<_> = self.omitted.iter().map(|one| (one.path.as_ref(), one.reason.name())).collect();
        Stamp::of(&(self.uri.as_str(), fields, files, omitted))
    }

    /// About how many bytes it takes here, which may be many more than on the way.
    pub(crate) fn weight(&self) -> usize {
        let fields: usize = self.said.fields().iter().map(|(key, value)| ROW + key.len() + weight(value)).sum();
        let files = match &self.files {
            // Its address, and its path in that.
            Files::Listed(files) => files.values().map(|file| size_of::<Listed>() + ROW + 2 * file.uri.len()).sum(),
            _ => 0,
        };
        let omitted = self.omitted.iter().map(|one| size_of::<Omission>() + one.path.len() + one.detail.len());
        2 * self.uri.as_str().len() + fields + files + omitted.sum::<usize>()
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

impl Listed {
    /// Reads one file of the skill at `skill`, whose digest is under `key`.
    ///
    /// # Errors
    /// The omission that takes its place.
    pub(crate) fn read(
        skill: &ServerUri,
        uri: &str,
        row: &Value,
        key: &str,
    ) -> Result<(ResourcePath, Listed), Omission> {
        let shown = told(uri.strip_prefix(skill.root()).unwrap_or(uri));
        let omit = |reason| move |why: String| Omission::new(&shown, reason).detail(why);
        if !uri.starts_with(skill.root()) && !uri.is_empty() {
            let why = format!("`{}` is outside of the skill", told(uri));
            return Err(omit(OmissionReason::LinkOut)(why));
        }
        let path = skill.path_of(uri).map_err(omit(OmissionReason::OddName))?;
        let listed = size(row).and_then(|size| Ok((size, digest(text(row, key)?)?)));
        let (size, digest) =
            listed.map_err(|why| Omission::new(path.as_str(), OmissionReason::Unreadable).detail(why))?;
        Ok((path, Listed { uri: uri.to_owned(), size, digest }))
    }
}

/// The files of a skill, `SKILL.md` among them, and those that are omitted.
///
/// # Errors
/// The reason why `SKILL.md` itself cannot be read.
pub(crate) fn files(
    rows: impl Iterator<Item = Result<(ResourcePath, Listed), Omission>>,
    limits: &McpLimits,
) -> Result<(Files, Vec<Omission>), String> {
    let (mut files, mut beside, mut omitted) = (BTreeMap::new(), Vec::new(), Vec::new());
    for row in rows {
        match row {
            Ok((path, file)) if path.as_str() == SKILL_MD && files.is_empty() => {
                files.insert(path, file);
            }
            Ok(row) => beside.push(row),
            Err(omission) if omission.path.as_ref() == SKILL_MD => return Err(omission.detail.to_string()),
            Err(omission) => omitted.push(omission),
        }
    }
    let Some(size) = files.values().next().map(|file: &Listed| file.size) else {
        return Err(format!("its files are listed without `{SKILL_MD}`"));
    };
    if size > limits.file_bytes {
        return Err(format!(
            "its `{SKILL_MD}` has more than {} bytes; the limit is `limits.file-bytes`",
            limits.file_bytes
        ));
    }
    let mut left = limits.skill_bytes.saturating_sub(size);
    let mut spellings = HashSet::from([SKILL_MD.to_owned()]);
    let mut beyond = 0;
    for (path, file) in beside {
        let fault = if files.contains_key(&path) {
            Some((OmissionReason::OddName, "the server lists it twice".to_owned()))
        } else if folded(path.as_str()) == folded(SKILL_MD) {
            // On some systems it would be the same file.
            Some((OmissionReason::OddName, format!("it is another spelling of `{SKILL_MD}`")))
        } else if !spellings.insert(path.as_str().nfc().collect()) {
            Some((OmissionReason::OddName, "the server lists it in two spellings of Unicode".to_owned()))
        } else if let Some(skipped) = SkippedFile::of(path.as_str().rsplit('/').next().unwrap_or_default()) {
            match skipped {
                SkippedFile::Secret => Some((OmissionReason::Secret, String::new())),
                _ => continue,
            }
        } else if files.len() >= limits.files {
            beyond += 1;
            if beyond > 1 {
                continue;
            }
            Some((OmissionReason::TooMany, format!("more than {}, the limit `limits.files`", limits.files)))
        } else if file.size > left {
            let limit = limits.skill_bytes;
            Some((OmissionReason::TooLargeTogether, format!("more than {limit} bytes, the limit `limits.skill-bytes`")))
        } else {
            None
        };
        match fault {
            Some((reason, why)) => omitted.push(Omission::new(path.as_str(), reason).detail(why)),
            None => {
                left -= file.size;
                files.insert(path, file);
            }
        }
    }
    omitted.sort();
    omitted.dedup();
    Ok((Files::Listed(files), omitted))
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
