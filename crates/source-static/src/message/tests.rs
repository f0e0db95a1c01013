use super::*;

#[test]
fn parts_come_one_after_another() {
    assert_eq!(
        Message::of(&["the resource `", "notes.md", "` comes twice"]).as_str(),
        "the resource `notes.md` comes twice"
    );
    assert_eq!(Message::of(&[]).as_str(), "");
}

#[test]
fn a_long_text_is_cut_between_characters() {
    let text = format!("a{}", "ü".repeat(Message::MAX_BYTES));
    assert_eq!(Message::of(&[&text]).as_str(), &text[..Message::MAX_BYTES - 1]);
}
