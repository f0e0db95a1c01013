use super::*;

#[test]
fn slips_name_the_field_that_is_meant() {
    for (key, field) in [
        ("allowed_tools", "allowed-tools"),
        ("allowedTools", "allowed-tools"),
        ("Allowed-Tools", "allowed-tools"),
        ("allowed-tool", "allowed-tools"),
        ("allowed tools", "allowed-tools"),
        ("alowed-tools", "allowed-tools"),
        ("allowedtools", "allowed-tools"),
        ("user-invokable", "user-invocable"),
        ("user_invocable", "user-invocable"),
        ("userInvocable", "user-invocable"),
        ("disableModelInvocation", "disable-model-invocation"),
        ("disable-model-invokation", "disable-model-invocation"),
        ("disable-model-invocations", "disable-model-invocation"),
        ("DISABLE_MODEL_INVOCATION", "disable-model-invocation"),
        ("allowed-workflows", "allowedWorkflows"),
        ("allowedWorkflow", "allowedWorkflows"),
        ("catagory", "category"),
        ("Name", "name"),
        ("\u{A0}name", "name"),
        ("name\u{200B}", "name"),
        ("Description", "description"),
        ("descripton", "description"),
        ("licence", "license"),
        ("argument_hint", "argument-hint"),
        ("argumentHint", "argument-hint"),
        ("Required Tools", "required_tools"),
    ] {
        assert_eq!(meant(key), Some(field), "{key}");
    }
}

#[test]
fn other_keys_are_their_authors_own() {
    for key in [
        "allowed-tools",
        "surfaceMode",
        "tags",
        "description_en",
        "description-zh",
        "name_en",
        "names",
        "game",
        "version",
        "model",
        "models",
        "author",
        "title",
        "time",
        "date",
        "type",
        "path",
        "hooks",
        "agent",
        "context",
        "effort",
        "category_id",
        "subcategory",
        "categories",
        "license_url",
        "metadata_v2",
        "toolset",
        "trigger-words",
        "disallowed-tools",
        "user",
        "\u{6587}\u{6863}",
        "",
    ] {
        assert_eq!(meant(key), None, "{key}");
    }
}
