use super::*;

#[test]
fn a_count_is_never_lower_than_the_values() {
    for (text, expected) in [
        ("", 1),
        ("1", 1),
        ("[]", 2),
        (r#"{"":0}"#, 5),
        (r#"[{"":0},{"":0}]"#, 11),
        (r#""a,b[{\",\\""#, 1),
        (r#"["a\"",1]"#, 3),
        ("[1,2,3]", 4),
    ] {
        assert_eq!(JsonValues::in_text(text.as_bytes()), expected, "{text}");
    }
}

#[test]
fn pieces_count_as_the_whole() {
    let text = br#"{"a": ["x\\", "y\",,,", [1, 2, {"b": "[[["}]], "c": null}"#;
    for at in 0..text.len() {
        let mut values = JsonValues::default();
        values.take(&text[..at]);
        values.take(&text[at..]);
        assert_eq!(values.count(), JsonValues::in_text(text), "cut at {at}");
    }
}

#[test]
fn a_bound_on_bytes_bounds_the_values() {
    let most = 1 << 10;
    let small = format!("[{}0]", "0,".repeat(most / 16 - 2));
    assert!(JsonValues::fit(small.as_bytes(), most));
    assert!(!JsonValues::fit(small.replace(']', ",0]").as_bytes(), most));
    assert!(JsonValues::fit(
        format!("{:?}", ",".repeat(most)).as_bytes(),
        most
    ));
}
