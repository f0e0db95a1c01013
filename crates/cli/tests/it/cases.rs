//! The cases of `tests/cases`, with the real binary.

use std::path::Path;

use repertoire_testkit::cases::Runner;

#[test]
fn every_case_of_the_repository_passes() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let mut out = Vec::new();
    let passed = Runner::new()
        .binary(env!("CARGO_BIN_EXE_repertoire"))
        .run(&dir, &mut out)
        .expect("the cases are there");
    let out = String::from_utf8(out).expect("a report is text");
    assert!(passed, "{out}");
    assert!(!out.contains("the binary, which is not built"), "{out}");
}
