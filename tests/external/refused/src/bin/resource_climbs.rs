use repertoire_source_static::{StaticList, StaticSkill};

static SKILLS: StaticList = StaticList::new(&[
    StaticSkill::new("answer", "Answers questions.", "Answer.\n"),
    StaticSkill::new("deploy", "Ships the service.", "Ship it.\n")
        .with_resources(&[("notes.md", b""), ("../secret.md", b"")]),
]);

fn main() {
    assert_eq!(SKILLS.iter().count(), 2);
}
