use super::*;

const A: StaticSkill = StaticSkill::new("a", "Is a.", "A.\n");
const B: StaticSkill = StaticSkill::new("b", "Is b.", "B.\n");

#[test]
fn repeated_ids_are_named_with_their_modules() {
    let twice = unique(&[
        (&A, "house"),
        (&A, "mine::a"),
        (&B, "house"),
        (&B, "mine::b"),
    ])
    .unwrap_err();
    assert_eq!(
        twice.to_string(),
        "the skill `a` is declared in `house` and `mine::a`; the skill `b` is declared in `house` and `mine::b`"
    );
    assert_eq!(unique(&[(&A, "house"), (&B, "mine::b")]), Ok(vec![A, B]));
}
