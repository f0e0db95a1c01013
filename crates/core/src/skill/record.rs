//! Skills in records.

use std::sync::Arc;

use crate::record::{RecordReader, RecordWriter};
use crate::{Id, Scalar, Skill, SurfaceMode, Value};

/// The limit of nested values that are read. The parser accepts fewer.
const DEPTH: usize = 256;

const MODES: [SurfaceMode; 3] = [
    SurfaceMode::SystemPrompt,
    SurfaceMode::ToolOnly,
    SurfaceMode::Both,
];

impl Skill {
    /// Writes every field.
    #[doc(hidden)]
    pub fn write(&self, record: &mut RecordWriter) {
        let Skill {
            id,
            description,
            surface,
            allowed_tools,
            disable_model_invocation,
            user_invocable,
            allowed_workflows,
            location,
            fields,
            argument_hint,
            real_location,
        } = self;
        record.text(id.shared_text());
        record.text(description);
        let mode = surface.and_then(|mode| MODES.iter().position(|known| *known == mode));
        record.byte(mode.map_or(0, |mode| mode as u8 + 1));
        write_names(allowed_tools.as_ref(), record);
        record.byte((*disable_model_invocation).into());
        record.byte((*user_invocable).into());
        write_names(allowed_workflows.as_ref(), record);
        record.optional_text(location.as_ref());
        write_rows(fields, record);
        record.optional_text(argument_hint.as_deref());
        record.optional_text(real_location.as_ref());
    }

    /// Reads what [`write`](Skill::write) wrote.
    #[doc(hidden)]
    pub fn read(record: &mut RecordReader<'_>) -> Option<Skill> {
        let name = record.text()?;
        let id = Id::shared(&name).ok().filter(|id| id.as_str() == &*name)?;
        Some(Skill {
            id,
            description: record.text()?,
            surface: match record.byte()? {
                0 => None,
                mode => Some(*MODES.get(usize::from(mode) - 1)?),
            },
            allowed_tools: read_names(record)?,
            disable_model_invocation: record.flag()?,
            user_invocable: record.flag()?,
            allowed_workflows: read_names(record)?,
            location: record.optional_text()?,
            fields: read_rows(record, DEPTH)?,
            argument_hint: record.optional_text()?.map(Box::new),
            real_location: record.optional_text()?,
        })
    }
}

fn write_names(names: Option<&Vec<Arc<str>>>, record: &mut RecordWriter) {
    record.byte(names.is_some().into());
    if let Some(names) = names {
        record.count(names.len());
        names.iter().for_each(|name| record.text(name));
    }
}

fn read_names(record: &mut RecordReader<'_>) -> Option<Option<Vec<Arc<str>>>> {
    record.optional(|record| record.items(RecordReader::text))
}

fn write_rows(rows: &[(Arc<str>, Value)], record: &mut RecordWriter) {
    record.count(rows.len());
    for (key, value) in rows {
        record.text(key);
        write_value(value, record);
    }
}

fn read_rows(record: &mut RecordReader<'_>, depth: usize) -> Option<Vec<(Arc<str>, Value)>> {
    record.items(|record| Some((record.key()?, read_value(record, depth)?)))
}

fn write_value(value: &Value, record: &mut RecordWriter) {
    match value {
        Value::Scalar(Scalar { text, plain }) => {
            record.byte((*plain).into());
            record.text(text);
        }
        Value::List(items) => {
            record.byte(2);
            record.count(items.len());
            items.iter().for_each(|item| write_value(item, record));
        }
        Value::Map(rows) => {
            record.byte(3);
            write_rows(rows, record);
        }
    }
}

fn read_value(record: &mut RecordReader<'_>, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    Some(match record.byte()? {
        plain @ (0 | 1) => Value::Scalar(Scalar {
            text: record.text()?,
            plain: plain == 1,
        }),
        2 => Value::List(record.items(|record| read_value(record, depth))?),
        3 => Value::Map(read_rows(record, depth)?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
