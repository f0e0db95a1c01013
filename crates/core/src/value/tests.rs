use super::*;

#[test]
fn plain_scalars_retain_their_spelling_in_json() {
    for (text, json) in [
        ("true", serde_json::json!(true)),
        ("7", serde_json::json!(7)),
        ("1.5", serde_json::json!(1.5)),
        ("null", serde_json::json!(null)),
        ("", serde_json::json!(null)),
        ("no", serde_json::json!("no")),
        ("1.10", serde_json::json!("1.10")),
        ("0x10", serde_json::json!("0x10")),
        ("True", serde_json::json!("True")),
    ] {
        assert_eq!(Value::plain(text).json(), json, "{text}");
        assert_eq!(
            serde_json::to_value(Value::plain(text)).unwrap(),
            json,
            "{text}"
        );
        assert_eq!(
            Value::text(text).json(),
            serde_json::json!(text),
            "{text}, quoted"
        );
    }
}

#[test]
fn a_flag_is_read_in_every_spelling() {
    for text in ["true", "Yes", "ON", "1", " true "] {
        assert_eq!(
            (Value::plain(text).as_bool(), Value::text(text).as_bool()),
            (Some(true), Some(true)),
            "{text}"
        );
    }
    for text in ["false", "No", "OFF", "0"] {
        assert_eq!(
            (Value::plain(text).as_bool(), Value::text(text).as_bool()),
            (Some(false), Some(false)),
            "{text}"
        );
    }
    for value in [
        Value::plain("ture"),
        Value::plain(""),
        Value::text(""),
        Value::List(vec![Value::plain("true")]),
    ] {
        assert_eq!(value.as_bool(), None, "{value:?}");
    }
}

#[test]
fn a_text_is_a_list_of_one() {
    let (a, b) = (Value::plain("a"), Value::plain("b"));
    assert_eq!(
        Value::List(vec![a.clone(), b.clone()]).items(),
        [a.clone(), b]
    );
    assert_eq!(a.items(), std::slice::from_ref(&a));
    assert_eq!(Value::plain("null").items(), []);
    assert_eq!(Value::Map(vec![("a".into(), a)]).items(), []);
}

#[test]
fn a_path_walks_maps() {
    let inner = Value::Map(vec![("bins".into(), Value::plain("jq"))]);
    let map = Value::Map(vec![("requires".into(), inner.clone())]);
    assert_eq!(map.at("requires"), Some(&inner));
    assert_eq!(map.at("requires.bins"), Some(&Value::plain("jq")));
    assert_eq!(
        (
            map.at("requires.env"),
            map.at("bins"),
            map.at("requires.bins.x")
        ),
        (None, None, None)
    );
}
