//! A broken rule is a compile error that names the rule.

#[test]
fn broken_rules_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
