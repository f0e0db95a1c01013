use repertoire_source_static::{StaticList, StaticSkill};

static SKILLS: StaticList = StaticList::new(&[
    StaticSkill::new("answer", "Answers questions.", "Answer.\n"),
    StaticSkill::new(
        "a-name-that-goes-on-and-on-and-on-until-nobody-can-remember-how-it-began",
        "Ships the service.",
        "Ship it.\n",
    ),
]);

fn main() {
    assert_eq!(SKILLS.iter().count(), 2);
}
