//! One skill of a server's list.

use std::collections::{BTreeMap, HashSet};

use repertoire_core::{
    Digest, Omission, OmissionReason, Resource, ResourcePath, SkippedFile, Stamp,
};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use crate::McpLimits;
use crate::error::excerpt;
use crate::front_matter::Fields;
use repertoire_core::skill_uri::{SKILL_MD, ServerUri};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ListedSkill {
    pub(crate) uri: ServerUri,
    pub(crate) fields: ListedFields,
    pub(crate) files: ListedFiles,
    pub(crate) omitted: Vec<Omission>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ListedFields {
    Complete(Fields),
    Partial(Fields),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ListedFiles {
    Listed(BTreeMap<ResourcePath, ListedFile>),
    Beside,
    Alone(Option<Digest>),
    Dynamic,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ListedFile {
    pub(crate) uri: String,
    pub(crate) size: u64,
    pub(crate) digest: Digest,
}

impl ListedFields {
    pub(crate) fn fields(&self) -> &Fields {
        match self {
            ListedFields::Complete(fields) | ListedFields::Partial(fields) => fields,
        }
    }
}

impl ListedSkill {
    pub(crate) fn parse(mut value: Value, limits: &McpLimits) -> Result<ListedSkill, String> {
        let uri = ServerUri::parse(text(&value, "uri")?)?;
        let Some(Value::Object(fields)) = value.get_mut("frontmatter").map(Value::take) else {
            return Err("it has no `frontmatter`".to_owned());
        };
        let (files, omitted) = match value.get("resources") {
            Some(Value::String(word)) if word == "dynamic" => (ListedFiles::Dynamic, Vec::new()),
            Some(Value::Array(rows)) => {
                let rows = rows.iter().map(|row| {
                    let address = row.get("uri").and_then(Value::as_str).unwrap_or_default();
                    ListedFile::parse(&uri, address, row, "digest")
                });
                files(rows, limits)?
            }
            _ => return Err("its `resources` are neither a list nor \"dynamic\"".to_owned()),
        };
        Ok(ListedSkill {
            uri,
            fields: ListedFields::Complete(fields),
            files,
            omitted,
        })
    }

    pub(crate) fn digest(&self) -> Option<Digest> {
        match &self.files {
            ListedFiles::Listed(files) => files.get(&skill_md()).map(|file| file.digest),
            ListedFiles::Alone(digest) => *digest,
            ListedFiles::Beside | ListedFiles::Dynamic => None,
        }
    }

    pub(crate) fn is_unverified(&self) -> bool {
        matches!(self.files, ListedFiles::Dynamic | ListedFiles::Alone(None))
    }

    pub(crate) fn stamp(&self) -> Stamp {
        let fields = serde_json::to_string(self.fields.fields()).unwrap_or_default();
        let files = match &self.files {
            ListedFiles::Listed(files) => files
                .iter()
                .map(|(path, file)| (path.as_str(), file.size, file.digest.to_string()))
                .collect(),
            ListedFiles::Alone(Some(digest)) => vec![(SKILL_MD, 0, digest.to_string())],
            ListedFiles::Beside | ListedFiles::Dynamic | ListedFiles::Alone(None) => Vec::new(),
        };
        let omitted: Vec<_> = self
            .omitted
            .iter()
            .map(|one| (one.path.as_ref(), one.reason.name()))
            .collect();
        Stamp::of(&(self.uri.as_str(), fields, files, omitted))
    }

    pub(crate) fn weight(&self) -> usize {
        let fields: usize = self
            .fields
            .fields()
            .iter()
            .map(|(key, value)| ROW + key.len() + weight(value))
            .sum();
        let files = match &self.files {
            // The URI is stored twice: as itself and as the path in it.
            ListedFiles::Listed(files) => files
                .values()
                .map(|file| size_of::<ListedFile>() + ROW + 2 * file.uri.len())
                .sum(),
            _ => 0,
        };
        let omitted = self
            .omitted
            .iter()
            .map(|one| size_of::<Omission>() + one.path.len() + one.detail.len());
        2 * self.uri.as_str().len() + fields + files + omitted.sum::<usize>()
    }

    pub(crate) fn resources(files: &BTreeMap<ResourcePath, ListedFile>) -> Vec<Resource> {
        let rows = files.iter().filter(|(path, _)| path.as_str() != SKILL_MD);
        rows.map(|(path, file)| Resource::new(path.clone(), file.size, file.digest))
            .collect()
    }
}

pub(crate) fn skill_md() -> ResourcePath {
    SKILL_MD.parse().expect("a file name is a path")
}

impl ListedFile {
    pub(crate) fn parse(
        skill: &ServerUri,
        uri: &str,
        row: &Value,
        key: &str,
    ) -> Result<(ResourcePath, ListedFile), Omission> {
        let shown = excerpt(uri.strip_prefix(skill.root()).unwrap_or(uri));
        if !uri.starts_with(skill.root()) && !uri.is_empty() {
            let why = format!("`{}` is outside of the skill", excerpt(uri));
            return Err(Omission::new(&shown, OmissionReason::LinkOut).detail(why));
        }
        let path = skill
            .path_of(uri)
            .map_err(|why| Omission::new(&shown, OmissionReason::OddName).detail(why))?;
        if !path.is_typeable() {
            return Err(Omission::new(&shown, OmissionReason::OddName));
        }
        let listed = size(row).and_then(|size| Ok((size, digest(text(row, key)?)?)));
        let (size, digest) = listed
            .map_err(|why| Omission::new(path.as_str(), OmissionReason::Unreadable).detail(why))?;
        Ok((
            path,
            ListedFile {
                uri: uri.to_owned(),
                size,
                digest,
            },
        ))
    }
}

pub(crate) fn files(
    rows: impl Iterator<Item = Result<(ResourcePath, ListedFile), Omission>>,
    limits: &McpLimits,
) -> Result<(ListedFiles, Vec<Omission>), String> {
    let rows = separated(rows)?;
    let mut omitted = rows.omitted;
    let Some((path, own)) = rows.own else {
        return Err(format!("its files are listed without `{SKILL_MD}`"));
    };
    let size = own.size;
    if size > limits.file_bytes {
        return Err(format!(
            "its `{SKILL_MD}` has more than {} bytes; the limit is `limits.file-bytes`",
            limits.file_bytes
        ));
    }
    let mut files = BTreeMap::from([(path, own)]);
    let mut left = limits.skill_bytes.saturating_sub(size);
    let mut spellings = HashSet::from([SKILL_MD.to_owned()]);
    let mut beyond = 0;
    for (path, file) in rows.beside {
        let fault = if files.contains_key(&path) {
            let why = "the server lists it twice".to_owned();
            Some((OmissionReason::OddName, why))
        } else if let Some(why) = odd_spelling(&path, &mut spellings) {
            Some((OmissionReason::OddName, why))
        } else if let Some(skipped) =
            SkippedFile::of(path.as_str().rsplit('/').next().unwrap_or_default())
        {
            match skipped {
                SkippedFile::Secret => Some((OmissionReason::Secret, String::new())),
                _ => continue,
            }
        } else if files.len() >= limits.files {
            beyond += 1;
            if beyond > 1 {
                continue;
            }
            let why = format!("more than {}, the limit `limits.files`", limits.files);
            Some((OmissionReason::TooMany, why))
        } else if file.size > left {
            let limit = limits.skill_bytes;
            let why = format!("more than {limit} bytes, the limit `limits.skill-bytes`");
            Some((OmissionReason::TooLargeTogether, why))
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
    Ok((ListedFiles::Listed(files), omitted))
}

/// Returns the reason if the server lists a path like this one. Adds the path to `spellings`.
fn odd_spelling(path: &ResourcePath, spellings: &mut HashSet<String>) -> Option<String> {
    if folded(path.as_str()) == folded(SKILL_MD) {
        // On some file systems both names are one file.
        return Some(format!("it is another spelling of `{SKILL_MD}`"));
    }
    let is_new = spellings.insert(path.as_str().nfc().collect());
    (!is_new).then(|| "the server lists it in two spellings of Unicode".to_owned())
}

type ListedRow = (ResourcePath, ListedFile);

#[derive(Default)]
struct SeparatedRows {
    /// The row of the `SKILL.md`.
    own: Option<ListedRow>,
    beside: Vec<ListedRow>,
    omitted: Vec<Omission>,
}

fn separated(
    rows: impl Iterator<Item = Result<ListedRow, Omission>>,
) -> Result<SeparatedRows, String> {
    let mut separated = SeparatedRows::default();
    for row in rows {
        match row {
            Ok(row) if row.0.as_str() == SKILL_MD && separated.own.is_none() => {
                separated.own = Some(row);
            }
            Ok(row) => separated.beside.push(row),
            Err(omission) if omission.path.as_ref() == SKILL_MD => {
                return Err(omission.detail.to_string());
            }
            Err(omission) => separated.omitted.push(omission),
        }
    }
    Ok(separated)
}

fn folded(path: &str) -> String {
    path.nfkc().collect::<String>().to_uppercase()
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, String> {
    value
        .get(key)
        .and_then(Value::as_str)
        .ok_or_else(|| format!("it has no `{key}`"))
}

pub(crate) fn size(value: &Value) -> Result<u64, String> {
    value
        .get("size")
        .and_then(Value::as_u64)
        .ok_or_else(|| "a file has no `size`".to_owned())
}

pub(crate) fn digest(text: &str) -> Result<Digest, String> {
    text.parse().map_err(|_| {
        format!(
            "`{}` is not a digest: expected `sha256:` and 64 hexadecimal digits",
            excerpt(text)
        )
    })
}

const ROW: usize = 2 * size_of::<String>();

fn weight(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(rows) => rows
            .iter()
            .map(|(key, item)| ROW + key.len() + weight(item))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + inside
}
