//! An entry that is added to a settings file. Everything else in the text stays as it is, comments included.

use jsonc_parser::cst::{CstObject, CstRootNode};
use repertoire_profiles::HidingSetting;
use serde_json::{Value, json};
use toml_edit::{Item, TableLike};

use crate::failure::Failure;
use crate::settings_file::{WrittenFile, json_input, json_with_comments, parse_toml, rewrite};

/// Writes the entry into its file.
///
/// # Errors
/// The file cannot be written, or its text cannot be changed safely.
pub(crate) fn write(setting: &HidingSetting) -> Result<WrittenFile, Failure> {
    rewrite(setting.file.clone(), |before| with_entry(before, setting))
}

/// Returns the text with the entry, which is JSON with comments or TOML by the name of the file.
fn with_entry(before: &str, setting: &HidingSetting) -> Result<String, String> {
    let is_toml = setting.file.extension().is_some_and(|end| end == "toml");
    let parse = if is_toml { toml_value } else { json_value };
    let edit = if is_toml { with_toml } else { with_json };
    let mut expected = parse(before)?;
    add_value(&mut expected, setting)?;
    let after = edit(before, setting)?;
    match parse(&after) {
        Ok(found) if found == expected => Ok(after),
        _ => Err("the entry cannot be added without a change of other settings".to_owned()),
    }
}

fn json_value(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(json!({}));
    }
    let root = CstRootNode::parse(text, &json_with_comments());
    let value = root.map_err(|error| error.to_string())?.to_serde_value();
    value.ok_or_else(|| "expected a value".to_owned())
}

fn toml_value(text: &str) -> Result<Value, String> {
    toml_edit::de::from_str(text).map_err(|error| error.message().to_owned())
}

/// Adds the entry to the meaning of a file.
fn add_value(root: &mut Value, setting: &HidingSetting) -> Result<(), String> {
    let mut place = root;
    for key in &setting.key {
        if place.is_null() {
            *place = json!({});
        }
        let map = place.as_object_mut().ok_or_else(|| unexpected(setting))?;
        place = map.entry(key.clone()).or_insert(Value::Null);
    }
    if place.is_null() {
        *place = setting.entry.clone();
        return Ok(());
    }
    match (place, &setting.entry) {
        (Value::Object(map), Value::Object(members)) => map.extend(members.clone()),
        (Value::Array(list), Value::Array(items)) => list.extend(items.clone()),
        _ => return Err(unexpected(setting)),
    }
    Ok(())
}

fn with_json(before: &str, setting: &HidingSetting) -> Result<String, String> {
    let before = if before.trim().is_empty() {
        "{}\n"
    } else {
        before
    };
    let root = CstRootNode::parse(before, &json_with_comments());
    let root = root.map_err(|error| error.to_string())?;
    let (last, above) = setting
        .key
        .split_last()
        .ok_or_else(|| unexpected(setting))?;
    let mut map = root
        .object_value_or_create()
        .ok_or_else(|| unexpected(setting))?;
    for key in above {
        let below = map.object_value_or_create(key);
        map = below.ok_or_else(|| unexpected(setting))?;
    }
    add_json(&map, last, setting).ok_or_else(|| unexpected(setting))?;
    Ok(root.to_string())
}

fn add_json(map: &CstObject, key: &str, setting: &HidingSetting) -> Option<()> {
    match &setting.entry {
        Value::Object(members) => {
            let map = map.object_value_or_create(key)?;
            for (name, value) in members {
                // The last member counts where patterns are members.
                if let Some(known) = map.get(name) {
                    known.remove();
                }
                map.append(name, json_input(value));
            }
        }
        Value::Array(items) => {
            let list = map.array_value_or_create(key)?;
            for item in items {
                list.append(json_input(item));
            }
        }
        _ => return None,
    }
    Some(())
}

fn with_toml(before: &str, setting: &HidingSetting) -> Result<String, String> {
    let mut document = parse_toml(before)?;
    let (last, above) = setting
        .key
        .split_last()
        .ok_or_else(|| unexpected(setting))?;
    let mut map: &mut dyn TableLike = document.as_table_mut();
    for key in above {
        let below = map.entry(key).or_insert_with(|| {
            let mut table = toml_edit::Table::new();
            table.set_implicit(true);
            table.into()
        });
        map = below
            .as_table_like_mut()
            .ok_or_else(|| unexpected(setting))?;
    }
    match &setting.entry {
        Value::Object(members) => {
            let table = map
                .entry(last)
                .or_insert_with(|| toml_edit::Table::new().into());
            let table = table
                .as_table_like_mut()
                .ok_or_else(|| unexpected(setting))?;
            for (name, value) in members {
                table.insert(name, toml_item(value)?);
            }
        }
        Value::Array(items) => {
            let list = map
                .entry(last)
                .or_insert_with(|| Item::ArrayOfTables(toml_edit::ArrayOfTables::new()));
            for item in items {
                push_toml(list, item)?.ok_or_else(|| unexpected(setting))?;
            }
        }
        _ => return Err(unexpected(setting)),
    }
    Ok(document.to_string())
}

/// Adds an item at the end of a list; `None` if it is not a list of such items.
fn push_toml(list: &mut Item, item: &Value) -> Result<Option<()>, String> {
    match (list, toml_item(item)?) {
        (Item::ArrayOfTables(list), Item::Value(toml_edit::Value::InlineTable(item))) => {
            let mut table = item.into_table();
            table.decor_mut().set_prefix("\n");
            list.push(table);
        }
        (Item::Value(toml_edit::Value::Array(list)), Item::Value(item)) => list.push(item),
        _ => return Ok(None),
    }
    Ok(Some(()))
}

/// Returns a value in the form that fits into a line.
fn toml_item(value: &Value) -> Result<Item, String> {
    let document = toml_edit::ser::to_document(&json!({ "value": value }));
    let mut document = document.map_err(|error| error.to_string())?;
    let item = document.remove("value").ok_or("expected a value")?;
    let value = item.into_value().map_err(|_| "expected a value")?;
    Ok(Item::Value(value))
}

fn unexpected(setting: &HidingSetting) -> String {
    let form = match setting.entry.is_array() {
        true => "list",
        false => "map",
    };
    format!("expected a {form} in `{}`", setting.key.join("."))
}

#[cfg(test)]
mod tests;
