use super::*;

fn lock(rows: &[(&str, &str)]) -> SkillsLock {
    let row = |kind: &str| {
        let row = json!({ "source": "a/b", "ref": "main", "sourceType": kind, "computedHash": "00", "subagents": ["x"] });
        row.as_object().expect("an object").clone()
    };
    SkillsLock {
        rows: rows
            .iter()
            .map(|(name, kind)| (JsKey::new(name), row(kind)))
            .collect(),
        others: Map::new(),
    }
}

fn names(lock: &SkillsLock) -> Vec<&str> {
    lock.hashes().map(|(name, _)| name).collect()
}

#[test]
fn rows_are_in_the_order_of_the_tool() {
    let lock = lock(
        &[
            "b",
            "a",
            "10",
            "9",
            "-x",
            "01",
            "\u{ff5e}",
            "😀",
            "Z",
            "4294967295",
        ]
        .map(|name| (name, "github")),
    );
    assert_eq!(
        names(&lock),
        [
            "9",
            "10",
            "-x",
            "01",
            "4294967295",
            "Z",
            "a",
            "b",
            "😀",
            "\u{ff5e}"
        ]
    );
}

#[test]
fn rows_retain_their_fields_except_the_hash() {
    let mut lock = lock(&[("Tidy", "github")]);
    lock.lock(&"Tidy".parse().expect("an id"), ".agents/skills/tidy", "11");
    lock.lock(&"new".parse().expect("an id"), "skills/new", "22");
    snapbox::assert_data_eq!(
        lock.text(),
        snapbox::str![[r#"
{
  "version": 1,
  "skills": {
    "Tidy": {
      "source": "a/b",
      "ref": "main",
      "sourceType": "github",
      "computedHash": "11",
      "subagents": [
        "x"
      ]
    },
    "new": {
      "source": "./skills/new",
      "sourceType": "local",
      "computedHash": "22"
    }
  }
}

"#]]
    );
}

#[test]
fn rows_with_an_origin_stay() {
    let mut lock = lock(&[("here", "local"), ("gone", "local"), ("ordered", "github")]);
    assert_eq!(lock.retain(|name| name == "here"), ["ordered"]);
    assert_eq!(names(&lock), ["here", "ordered"]);
}
