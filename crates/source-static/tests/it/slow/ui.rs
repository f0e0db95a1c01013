//! A broken rule is a compile error that names the rule.

#[test]
fn a_list_that_breaks_a_rule_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
