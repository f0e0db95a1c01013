use super::NameFault::{self, *};

fn check(name: &str, faults: &[NameFault]) {
    assert_eq!(NameFault::all_in(name), faults, "{name}");
}

#[test]
fn the_reference_validators_answers() {
    check("my-skill", &[]);
    check("MySkill", &[NotLowercase]); // T24
    check(&"a".repeat(70), &[TooLong]); // T25
    check("-my-skill", &[EdgeHyphen]); // T26
    check("my--skill", &[DoubleHyphen]); // T27
    check("my_skill", &[BadCharacter]); // T28
    check("技能", &[]); // T33
    check("мой-навык", &[]); // T34
    check("навык", &[]); // T35
    check("НАВЫК", &[NotLowercase]); // T36
    check(&"a".repeat(64), &[]); // V-34
    check(&"a".repeat(65), &[TooLong]); // V-34
    check("-", &[EdgeHyphen]); // V-35
    check("ǅ", &[NotLowercase]); // V-37
    check("\u{663}\u{662}", &[]); // V-38, Arabic-Indic digits
    check("²", &[]); // V-38, superscript
    check("ⅳ", &[]); // V-38, Roman numeral
    check("हिन्दी", &[BadCharacter]); // V-39
    check("a.b", &[BadCharacter]); // V-40
    check("a:b", &[BadCharacter]);
    check("a b", &[BadCharacter]);
    check("🦀", &[BadCharacter]);
    check("-My--Skill_", &[NotLowercase, EdgeHyphen, DoubleHyphen, BadCharacter]); // V-48
}
