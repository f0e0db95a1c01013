use repertoire_source_static::StaticSkill;

fn main() {
    let mut skill = StaticSkill::new("answer", "Answers questions.", "Answer.\n");
    skill.description = "Answers nothing.";
}
