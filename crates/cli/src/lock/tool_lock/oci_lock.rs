//! The rows of `skills.lock.json` for skills that `repertoire add` installed from OCI registries.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use repertoire_install::InstalledSkill;
use serde_json::{Map, Value, json};

use super::OCI;
use crate::failure::Failure;
use crate::lock::{self, RepertoireLock};

/// Returns the text of `skills.lock.json` in `folder` with exactly the skills of `lock` from registries.
///
/// Rows of skills that are neither in `before` nor in `lock` stay. `now` is a time as `2026-11-30T02:33:42Z`.
///
/// # Errors
/// The file is invalid or of an unknown version.
pub(crate) fn text(
    folder: &Path,
    (before, lock): (&RepertoireLock, &RepertoireLock),
    now: &str,
) -> Result<String, Failure> {
    let old = lock::read(&folder.join(OCI), OCI)?;
    if let Some(old) = &old {
        super::oci_rows(lock::typed(old.clone(), OCI)?)?;
    }
    let mut document = match old {
        Some(Value::Object(fields)) => fields,
        _ => Map::from_iter([("lockfileVersion".to_owned(), 1.into())]),
    };
    let old = document.get("skills").and_then(Value::as_array);
    let old = old.cloned().unwrap_or_default();
    let name = |row: &Value| row["name"].as_str().unwrap_or_default().to_owned();
    let installed = before.installed.values().chain(lock.installed.values());
    let ours: BTreeSet<&str> = installed.map(|skill| skill.id.as_str()).collect();
    let others = old.iter().filter(|row| !ours.contains(&*name(row)));
    let mut rows: BTreeMap<String, Value> = others.map(|row| (name(row), row.clone())).collect();
    for (id, skills) in lock.installed_by_id() {
        let known = old.iter().find(|row| name(row) == id.as_str());
        rows.extend(new_row(&skills, known, now).map(|row| (id.to_string(), row)));
    }
    let rows: Vec<Value> = rows.into_values().collect();
    if rows != old || !document.contains_key("skills") {
        document.insert("generatedAt".to_owned(), now.into());
        document.insert("skills".to_owned(), rows.into());
    }
    Ok(lock::to_text(&document))
}

/// Returns the row of a skill in one or more folders; `None` if it is not from a registry.
fn new_row(skills: &[&InstalledSkill], known: Option<&Value>, now: &str) -> Option<Value> {
    let (first, others) = skills.split_first()?;
    let artifact = first.reference.oci()?;
    let digest = first.archive?.to_string();
    let known = known.filter(|row| row["source"]["digest"] == *digest);
    let installed = known.map_or_else(|| now.into(), |row| row["installedAt"].clone());
    let mut source = json!({ "registry": artifact.registry, "repository": artifact.repository });
    if let Some(tag) = artifact.tag() {
        source["tag"] = tag.into();
    }
    source["digest"] = digest.into();
    source["ref"] = artifact.to_string().trim_start_matches("oci://").into();
    let mut row = json!({
        "name": first.id,
        "path": first.path,
        "source": source,
        "installedAt": installed,
    });
    if !others.is_empty() {
        let paths = others.iter().map(|skill| skill.path.as_str());
        row["additionalInstalledPaths"] = paths.collect();
    }
    Some(row)
}
