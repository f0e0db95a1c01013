//! Requests are valid by JSON Schemas that are written from the documentation of the providers; each names its source.

use proptest::prelude::*;

use super::*;

const FORMATS: [(ToolFormat, &str); 4] = [
    (
        ToolFormat::Anthropic,
        include_str!("../fixtures/accepted/anthropic.json"),
    ),
    (
        ToolFormat::OpenAiChat,
        include_str!("../fixtures/accepted/openai-chat.json"),
    ),
    (
        ToolFormat::OpenAiResponses,
        include_str!("../fixtures/accepted/openai-responses.json"),
    ),
    (
        ToolFormat::Gemini,
        include_str!("../fixtures/accepted/gemini.json"),
    ),
];

/// Returns the violations of each provider's rules in a request with a tool of this schema.
fn violations(schema: &Value) -> Vec<String> {
    let tool = ToolSpec::new("run", "Runs.", schema.clone()).unwrap();
    let mut violations = Vec::new();
    for (format, accepted) in FORMATS {
        let accepted: Value = serde_json::from_str(accepted).unwrap();
        let accepted = jsonschema::draft202012::new(&accepted).unwrap();
        let request = format.tools(std::slice::from_ref(&tool));
        violations.extend(
            accepted
                .iter_errors(&request)
                .map(|error| format!("{format:?}: {error} in {request}")),
        );
    }
    violations
}

fn gemini(property: Value) -> Value {
    let schema = json!({
        "type": "object",
        "properties": {"it": property},
        "$defs": {
            "Color": {"type": "string", "enum": ["red", "blue"], "description": "A color."},
            "Tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}, "name": {"type": "string"}}},
        },
    });
    assert_eq!(violations(&schema), [""; 0]);
    let tool = ToolSpec::new("run", "Runs.", schema).unwrap();
    ToolFormat::Gemini.tools(&[tool])[0]["functionDeclarations"][0]["parameters"]["properties"]["it"].clone()
}

#[test]
fn gemini_gets_its_subset_of_openapi() {
    for (schema, expected) in [
        (
            json!({"type": ["string", "null"]}),
            json!({"type": "STRING", "nullable": true}),
        ),
        (
            json!({"type": ["string", "integer"]}),
            json!({"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]}),
        ),
        (
            json!({"$ref": "#/$defs/Color"}),
            json!({"type": "STRING", "enum": ["red", "blue"], "description": "A color."}),
        ),
        (
            json!({"anyOf": [{"$ref": "#/$defs/Color"}, {"type": "null"}], "description": "Its color."}),
            json!({"type": "STRING", "enum": ["red", "blue"], "description": "Its color.", "nullable": true}),
        ),
        (
            json!({"$ref": "#/$defs/Tree"}),
            json!({"type": "OBJECT", "properties": {"left": {"type": "STRING"}, "name": {"type": "STRING"}}}),
        ),
        (
            json!({"oneOf": [{"const": "a"}, {"type": "array", "items": {"type": "number", "format": "float"}}]}),
            json!({"anyOf": [
                {"type": "STRING", "enum": ["a"]},
                {"type": "ARRAY", "items": {"type": "NUMBER", "format": "float"}},
            ]}),
        ),
        (
            json!({"allOf": [{"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]},
                             {"properties": {"b": {"const": 3}}, "required": ["b", "c"]}]}),
            json!({"type": "OBJECT", "properties": {"a": {"type": "BOOLEAN"}, "b": {"type": "NUMBER"}}, "required": ["a", "b"]}),
        ),
        (
            json!({"enum": ["a", null]}),
            json!({"type": "STRING", "enum": ["a"], "nullable": true}),
        ),
        (
            json!({"type": "integer", "format": "uint32", "minimum": 0}),
            json!({"type": "INTEGER", "minimum": 0}),
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}]}),
            json!({"type": "ARRAY", "items": {"type": "STRING"}}),
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "OBJECT"}),
        ),
        (json!(true), json!({"type": "STRING"})),
    ] {
        assert_eq!(gemini(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn every_provider_accepts_any_root() {
    for schema in [
        json!({}),
        json!({"type": "object"}),
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Run", "type": "object", "required": ["a"]}),
        json!({"type": "object", "anyOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {"type": "null"}}}]}),
        json!({"allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}], "not": {"required": ["z"]}}),
        json!({"type": "object", "enum": [{}], "properties": {"a": {"enum": [1, 2]}}}),
    ] {
        assert_eq!(violations(&schema), [""; 0], "{schema}");
    }
}

#[test]
fn references_that_multiply_end() {
    let defs: Map<String, Value> = (0..40)
        .map(|n| {
            let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
            (
                format!("d{n}"),
                json!({"type": "object", "properties": {"a": next, "b": next}}),
            )
        })
        .collect();
    let schema =
        json!({"type": "object", "properties": {"it": {"$ref": "#/$defs/d0"}}, "$defs": defs});
    let tool = ToolSpec::new("run", "Runs.", schema).unwrap();
    assert!(ToolFormat::Gemini.tools(&[tool]).to_string().len() < 2_000_000);
}

fn any_schema() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec![
        json!("string"),
        json!("integer"),
        json!("object"),
        json!("array"),
        json!("boolean"),
        json!(["number", "null"]),
        json!("null"),
    ]);
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(false)),
        Just(json!({"$ref": "#/properties/a"})),
        Just(json!({"enum": ["x", 1, null]})),
        Just(json!({"type": "string", "format": "uuid", "examples": ["x"], "exclusiveMinimum": 1})),
        kind.prop_map(|kind| json!({"type": kind})),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        prop_oneof![
            prop::collection::btree_map("[a-c]", inner.clone(), 0..3)
                .prop_map(|properties| json!({"type": "object", "properties": properties, "required": ["a", "z"]})),
            inner.clone().prop_map(|items| json!({"items": items})),
            ("anyOf|oneOf|allOf", prop::collection::vec(inner, 1..3)).prop_map(|(key, options)| json!({key: options})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_provider_accepts_any_schema(property in any_schema(), root in any_schema()) {
        let schema = json!({"type": "object", "properties": {"a": property}});
        prop_assert_eq!(violations(&schema), vec![""; 0]);
        if root.is_object() {
            prop_assert_eq!(violations(&root), vec![""; 0]);
        }
    }
}
