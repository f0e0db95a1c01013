//! `tools`.

use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

fn skills() -> TestEnv {
    let env = TestEnv::new();
    env.skill("root", "pdf", "Reads files.")
        .skill("root", "letters", "Writes letters.");
    env
}

#[test]
fn the_tools_are_ready_for_a_request() {
    let ran = skills().run(&[
        "tools",
        "root",
        "--provider",
        "anthropic",
        "--preset",
        "cortex",
        "--with-catalog",
    ]);
    assert_data_eq!(
        ran.data(),
        str![[r#"
[
  {
    "name": "load_skill",
    "description": "Reads the instructions of a skill. Call it as soon as a task fits what the skill is for, before you begin the task, and follow what it answers./n/n- letters: Writes letters./n- pdf: Reads files.",
    "input_schema": {
      "type": "object",
      "properties": {
        "name": {
          "type": "string",
          "description": "The name of the skill.",
          "enum": [
            "letters",
            "pdf"
          ]
        },
        "arguments": {
          "type": "string",
          "description": "What the skill should work on, as a user would write it after its name."
        }
      },
      "required": [
        "name"
      ],
      "additionalProperties": false
    }
  }
]

"#]]
    );
}

#[test]
fn catalogs_in_descriptions_fit_their_budget() {
    let env = skills();
    let about = |with: &str| {
        let data = env
            .run(&[
                "tools",
                "root",
                "--provider",
                "anthropic",
                "--preset",
                "cortex",
                with,
            ])
            .data();
        let tools: serde_json::Value = serde_json::from_str(&data).expect("it is JSON");
        tools[0]["description"].as_str().expect("a text").to_owned()
    };
    assert!(
        about("--with-catalog=60").ends_with("\n\n- letters: Writes letters.\n- pdf: Reads files.")
    );
    assert!(
        about("--with-catalog=9").ends_with("\n\n- letters\n- pdf"),
        "{}",
        about("--with-catalog=9")
    );
}

#[test]
fn every_provider_gets_its_own_form() {
    let env = skills();
    for (provider, pointer) in [
        ("anthropic", "/0/input_schema/properties"),
        ("openai", "/0/function/parameters/properties"),
        ("openai-responses", "/0/parameters/properties"),
        ("gemini", "/0/functionDeclarations/0/parameters/properties"),
    ] {
        let data = env.run(&["tools", "root", "--provider", provider]).data();
        let tools: serde_json::Value = serde_json::from_str(&data).expect("it is JSON");
        assert!(tools.pointer(pointer).is_some(), "{provider}: {tools}");
    }
}

#[test]
fn tools_are_omitted_without_visible_skills() {
    let ran = skills().run(&["tools", "root", "--provider", "openai", "--mode", "*=off"]);
    assert_eq!(
        (ran.stdout.as_str(), ran.stderr.as_str()),
        (
            "[]\n",
            "note: no skill is visible to a model, so there are no tools\n"
        )
    );
}
