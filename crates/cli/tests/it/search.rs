//! `search`.

use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

fn skills() -> TestEnv {
    let env = TestEnv::new();
    env.skill("root", "pdf", "Reads files.")
        .skill("root", "pdf-forms", "Fills in forms.");
    env.file(
        "root/letters/SKILL.md",
        "---\nname: letters\ndescription: Writes a pdf.\ntags: [Office]\n---\nA.\n",
    );
    env.file(
        "root/press/SKILL.md",
        "---\nname: press\ndescription: Prints a pdf.\ndisable-model-invocation: true\n---\nA.\n",
    );
    env
}

#[test]
fn search_ranks_matches_with_reasons() {
    assert_data_eq!(
        skills()
            .run(&["search", "pdf", "--root", "root", "--no-defaults"])
            .data(),
        str![[r#"
name       source  match
pdf        root    its name
pdf-forms  root    name prefix
letters    root    description: `pdf`
press      root    description: `pdf`

"#]]
    );
}

#[test]
fn slips_are_forgiven_and_words_may_be_several() {
    assert_data_eq!(
        skills()
            .run(&[
                "search",
                "pdf",
                "froms",
                "--limit",
                "1",
                "--root",
                "root",
                "--no-defaults"
            ])
            .data(),
        str![[r#"
name       source  match
pdf-forms  root    name: `pdf`, `forms` for `froms`; body: `pdf`

"#]]
    );
}

#[test]
fn search_filters_by_audience_and_fields() {
    let env = skills();
    let found = |arguments: &[&str]| {
        let ran = env.run(
            &[
                &["search", "pdf", "--root", "root", "--no-defaults", "--json"],
                arguments,
            ]
            .concat(),
        );
        let document: serde_json::Value =
            serde_json::from_str(&ran.stdout).expect("one JSON document");
        let hits = document["hits"].as_array().expect("a list").clone();
        hits.iter()
            .map(|hit| hit["skill"]["id"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(found(&[]), "pdf pdf-forms letters press");
    assert_eq!(found(&["--seen-by", "model"]), "pdf pdf-forms letters");
    assert_eq!(
        found(&["--seen-by", "model", "--mode", "pdf=manual-only"]),
        "pdf-forms letters"
    );
    assert_eq!(
        found(&[
            "--seen-by",
            "user",
            "--mode",
            "pdf=manual-only",
            "--mode",
            "letters=off"
        ]),
        "pdf pdf-forms press"
    );
    assert_eq!(found(&["--tag", "office"]), "letters");
    assert_eq!(
        found(&["--from", "root", "--tier", "user", "--limit", "2"]),
        "pdf pdf-forms"
    );
    assert_eq!(found(&["--from", "elsewhere"]), "");
}

#[test]
fn empty_searches_print_a_note() {
    let ran = skills().run(&["search", "zebra", "--root", "root", "--no-defaults"]);
    assert_eq!(
        (ran.stdout.as_str(), ran.stderr.as_str()),
        ("", "note: no matching skills\n")
    );
}
