//! A skill and its diagnostics are the same after writing and reading.

use proptest::prelude::*;

use crate::record::{RecordReader, RecordWriter};
use crate::skill_md::{self, FileContext, Parsed};
use crate::{Diagnostic, Skill};

fn written(parsed: &Parsed) -> Vec<u8> {
    let mut record = RecordWriter::default();
    if let Some(skill) = &parsed.skill {
        skill.write(&mut record);
    }
    for diagnostic in &parsed.diagnostics {
        diagnostic.write(&mut record);
    }
    record.finish()
}

fn read(bytes: &[u8], like: &Parsed) -> Option<Parsed> {
    let mut record = RecordReader::new(bytes)?;
    let skill = match &like.skill {
        Some(_) => Some(Skill::read(&mut record)?),
        None => None,
    };
    let mut diagnostics = Vec::new();
    for _ in &like.diagnostics {
        diagnostics.push(Diagnostic::read(&mut record)?);
    }
    record.is_at_end().then_some(Parsed { skill, diagnostics })
}

fn parse(text: &str) -> Parsed {
    let site = FileContext::new("kit/tidy/SKILL.md").in_directory("tidy");
    let mut parsed = skill_md::parse(text.as_bytes(), site);
    parsed.skill = parsed.skill.map(|skill| {
        skill
            .from_location("kit/tidy/SKILL.md")
            .from_real_location("/srv/kit/tidy/SKILL.md")
    });
    parsed
}

#[test]
fn every_field_is_kept() {
    let parsed = parse(concat!(
        "---\nname: Tidy:Up\ndescription: >\n  Sorts.\n  Twice.\nsurface: both\nallowed-tools: [Read, 'Bash(git:*)']\n",
        "disable-model-invocation: yes\nuser-invocable: no\nallowed-workflows: []\nargument-hint: [branch]\n",
        "metadata:\n  openclaw:\n    requires: {bins: [a, b], env: ~}\n  level: 0x10\nname: again\n---\nSort.\n",
    ));
    assert!(!parsed.diagnostics.is_empty());
    assert_eq!(read(&written(&parsed), &parsed), Some(parsed));
}

#[test]
fn skills_share_keys_and_short_values() {
    let [a, b] = ["a", "b"].map(|name| {
        let parsed = parse(&format!(
            "---\nname: {name}\ndescription: Sorts.\nlicense: MIT\n---\n"
        ));
        let read = read(&written(&parsed), &parsed).expect("it was just written");
        read.skill.expect("it has a name and a description")
    });
    let field = |skill: &Skill| {
        let mut fields = skill.fields.iter();
        let (key, value) = fields.find(|(key, _)| **key == *"license")?;
        Some((key.as_ptr(), value.as_text()?.as_ptr()))
    };
    assert!(field(&a).is_some());
    assert_eq!(field(&a), field(&b));
}

#[test]
fn equal_texts_share_their_memory() {
    let parsed = parse("---\nname: tidy\ndescription: Sorts.\n---\n");
    let read = read(&written(&parsed), &parsed).expect("it was just written");
    let skill = read.skill.expect("it has a name and a description");
    let written = skill.field("description").and_then(crate::Value::as_text);
    assert!(std::ptr::eq(
        written.expect("a text"),
        skill.description.as_ref()
    ));
}

proptest! {
    #[test]
    fn any_skill_is_kept(text in "---\nname: [a-z:]{1,8}\ndescription: \\PC{1,20}\n(([a-z-]{1,9}|metadata|surface): (\\PC{0,12}|\\[a, \"b\"\\])\n){0,6}---\n") {
        let parsed = parse(&text);
        prop_assert_eq!(read(&written(&parsed), &parsed), Some(parsed));
    }

    #[test]
    fn other_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let parsed = parse("---\nname: tidy\ndescription: Sorts.\nmetadata: {a: [1, {b: c}]}\n---\n");
        let _ = read(&bytes, &parsed);
        let mut changed = written(&parsed);
        let at = at.index(changed.len());
        changed[at] = to;
        let _ = read(&changed, &parsed);
        prop_assert_eq!(read(&changed[..at], &parsed), None);
    }
}
