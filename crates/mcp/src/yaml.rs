//! Front matter in the types that readers of YAML give it.

use repertoire::skill::Value;
use serde_json::{Number, Value as Json};

/// `value` as JSON, its plain scalars typed by YAML's core schema: `1.10` is the number 1.1, and `no` is a text.
///
/// Whoever reads the file compares its own reading with this, field by field. A spelling that the type has no room for can
/// only be seen in the file; what JSON has no number for, such as `.inf`, stays a text.
pub(crate) fn as_read(value: &Value) -> Json {
    match value {
        Value::Scalar(scalar) if scalar.plain => plain(&scalar.text),
        Value::List(items) => items.iter().map(as_read).collect(),
        Value::Map(rows) => rows.iter().map(|(key, value)| (key.to_string(), as_read(value))).collect(),
        other => other.json(),
    }
}

fn plain(text: &str) -> Json {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Json::Null,
        "true" | "True" | "TRUE" => true.into(),
        "false" | "False" | "FALSE" => false.into(),
        _ => number(text).map_or_else(|| text.into(), Json::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    let radix = |digits: &str, radix| {
        let is_plain = digits.chars().all(|digit| digit.is_digit(radix));
        is_plain.then(|| u64::from_str_radix(digits, radix).ok()).flatten().map(Number::from)
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    // Rust also reads `inf` and `nan`; the rest of its grammar is YAML's.
    if !text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) {
        return None;
    }
    let signed = text.parse::<i64>().ok().map(Number::from);
    let unsigned = || text.parse::<u64>().ok().map(Number::from);
    signed.or_else(unsigned).or_else(|| text.parse().ok().and_then(Number::from_f64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_plain_scalar_has_the_type_of_the_core_schema() {
        for (text, json) in [
            ("1.10", json!(1.1)),
            ("1.0", json!(1.0)),
            ("7", json!(7)),
            ("+7", json!(7)),
            ("-7", json!(-7)),
            ("007", json!(7)),
            ("18446744073709551615", json!(u64::MAX)),
            ("18446744073709551616", json!(18_446_744_073_709_551_616.0)),
            (".5", json!(0.5)),
            ("5.", json!(5.0)),
            ("12e03", json!(12_000.0)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("True", json!(true)),
            ("FALSE", json!(false)),
            ("~", json!(null)),
            ("", json!(null)),
        ] {
            assert_eq!(as_read(&Value::plain(text)), json, "{text}");
            assert_eq!(as_read(&Value::text(text)), json!(text), "{text}, quoted");
        }
        for text in [
            "no",
            "yes",
            "1_000",
            "1.2.3",
            "2026-01-02",
            "0x",
            "0x+1",
            "0b1",
            "-0x1",
            ".",
            "-",
            "e5",
            "1e",
            ".inf",
            "inf",
            ".nan",
            "1e999",
            "12:30",
            "tRUE",
        ] {
            assert_eq!(as_read(&Value::plain(text)), json!(text), "{text}");
        }
    }

    #[test]
    fn what_lies_inside_is_typed_too() {
        let list = Value::List(vec![Value::plain("1.10"), Value::text("1.10")]);
        let map = Value::Map(vec![("2".into(), list), ("none".into(), Value::plain(""))]);
        assert_eq!(as_read(&map), json!({"2": [1.1, "1.10"], "none": null}));
    }
}
