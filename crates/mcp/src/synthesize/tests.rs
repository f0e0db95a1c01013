use proptest::prelude::*;

use super::*;

fn front_matter_and_body(file: &str) -> (Map<String, Json>, String) {
    let parsed = skill_md::parse(file.as_bytes(), skill_md::FileContext::new("SKILL.md"));
    let skill = parsed
        .skill
        .unwrap_or_else(|| panic!("{file}: {:?}", parsed.diagnostics));
    (
        front_matter(&skill, false),
        skill_md::body(file.as_bytes()).unwrap().into_owned(),
    )
}

#[test]
fn a_synthesized_file_has_the_fields() {
    let mut skill = Skill::new("tidy".parse().unwrap(), "Sorts: \"all\" #1\n- and ---");
    skill.fields = vec![
        ("license".into(), repertoire::skill::Value::plain("1.10")),
        (
            "metadata".into(),
            repertoire::skill::Value::Map(vec![(
                "a:b".into(),
                repertoire::skill::Value::plain("true"),
            )]),
        ),
    ];
    let file = synthesize(&skill, "Sort it.\n");
    assert_eq!(
        file,
        "---\nname: \"tidy\"\ndescription: \"Sorts: \\\"all\\\" #1\\n- and ---\"\nlicense: \"1.10\"\n\
         metadata: {\"a:b\": true}\n---\n\nSort it.\n"
    );
    assert_eq!(
        front_matter_and_body(&file),
        (front_matter(&skill, true), "Sort it.\n".to_owned())
    );
}

proptest! {
    #[test]
    fn every_description_is_read_as_it_was(description in "\\PC*[a-z]\\PC*") {
        let skill = Skill::new("tidy".parse().unwrap(), description.trim());
        let (fields, _) = front_matter_and_body(&synthesize(&skill, "Sort it.\n"));
        prop_assert_eq!(fields, front_matter(&skill, true));
    }
}

use serde_json::json;

#[test]
fn plain_scalars_follow_the_core_schema() {
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
fn nested_values_are_typed() {
    let list = Value::List(vec![Value::plain("1.10"), Value::text("1.10")]);
    let map = Value::Map(vec![("2".into(), list), ("none".into(), Value::plain(""))]);
    assert_eq!(as_read(&map), json!({"2": [1.1, "1.10"], "none": null}));
}
