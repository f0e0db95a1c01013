use repertoire_source_static::StaticValue::Text;
use repertoire_source_static::{StaticList, StaticSkill};

static SKILLS: StaticList = StaticList::new(&[
    StaticSkill::new("answer", "Answers questions.", "Answer.\n"),
    StaticSkill::new("deploy", "Ships the service.", "Ship it.\n")
        .with_fields(&[("tags", Text("a")), ("tags", Text("b"))]),
]);

fn main() {
    assert_eq!(SKILLS.iter().count(), 2);
}
