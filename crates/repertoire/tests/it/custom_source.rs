//! The example `custom_source` does what it says, keeps the contract of sources, and is the code of the tutorial.

use std::collections::BTreeMap;
use std::sync::Arc;

use repertoire::Id;
use repertoire_testkit::{Fixture, Unsupported, conformance};
use snapbox::{assert_data_eq, str};

#[path = "../../examples/custom_source.rs"]
#[allow(dead_code, reason = "it has a `main` of its own")]
mod example;

#[tokio::test]
async fn the_example_follows_an_edit() {
    let mut out = Vec::new();
    example::follow(&mut out).await.expect("the example runs");
    let expected = str![[r#"
error[glossary-bad-line]: expected `name: description | text`
- deploy
+ undo
"#]];
    assert_data_eq!(String::from_utf8(out).expect("it prints text"), expected);
}

#[test]
fn the_tutorial_has_the_code_of_the_example() {
    let code = include_str!("../../examples/custom_source.rs");
    let (_, code) = code.split_once("/// Skills from").expect("the glossary");
    let (code, _) = code.split_once("/// Prints").expect("its use");
    let code = code.replace("pub(crate) ", "");
    let tutorial = include_str!("../../../../docs/writing-a-source.md");
    assert!(tutorial.contains(code.trim_end()), "{code}");
}

/// A glossary, and what is in it.
struct Edited {
    glossary: Arc<example::Glossary>,
    lines: BTreeMap<String, String>,
}

fn edited() -> Edited {
    let glossary = Arc::new(example::Glossary::new("team", ""));
    let lines = BTreeMap::new();
    Edited { glossary, lines }
}

impl Edited {
    fn set(&mut self, id: &Id, line: Option<String>) -> Result<(), Unsupported> {
        match line {
            Some(line) => self.lines.insert(id.to_string(), line),
            None => self.lines.remove(id.as_str()),
        };
        let lines = self.lines.values();
        self.glossary
            .set(&lines.map(|line| format!("{line}\n")).collect::<String>());
        Ok(())
    }
}

impl Fixture for Edited {
    type Source = example::Glossary;

    fn source(&self) -> Arc<example::Glossary> {
        self.glossary.clone()
    }

    fn reads_resources(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because("a line has no files"))
    }

    async fn put(&mut self, id: &Id, description: &str, body: &str) -> Result<(), Unsupported> {
        let body = body.replace('\n', "\\n");
        self.set(id, Some(format!("{id}: {description} | {body}")))
    }

    async fn put_malformed(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.set(id, Some("no entry".to_owned()))
    }

    async fn content(&self, id: &Id) -> Result<Vec<u8>, Unsupported> {
        let (_, text) = self.lines[id.as_str()].split_once(" | ").expect("an entry");
        Ok(text.replace("\\n", "\n").into_bytes())
    }

    async fn remove(&mut self, id: &Id) -> Result<(), Unsupported> {
        self.set(id, None)
    }
}

conformance!(edited());
