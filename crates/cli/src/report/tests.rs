use super::*;

fn draw(excerpt: Option<Excerpt>, help: Option<&str>) -> String {
    let level = Level::WARNING;
    let report = Report {
        level,
        code: Some("a-code"),
        message: "it is odd",
        path: Some("a/SKILL.md"),
        excerpt: excerpt.as_ref(),
        other: None,
        help,
    };
    report.draw(false)
}

#[test]
fn a_value_is_underlined() {
    let text = draw(
        Excerpt::at("---\nname: Big One\n", 2, 7),
        Some("write `big`"),
    );
    snapbox::assert_data_eq!(
        text,
        snapbox::str![[r#"
warning[a-code]: it is odd
 --> a/SKILL.md:2:7
  |
2 | name: Big One
  |       ^^^^^^^
  |
  = help: write `big`

"#]]
    );
}

#[test]
fn without_an_excerpt_the_place_is_the_path() {
    snapbox::assert_data_eq!(
        draw(None, None),
        snapbox::str![[r#"
warning[a-code]: it is odd
--> a/SKILL.md

"#]]
    );
    snapbox::assert_data_eq!(
        draw(None, Some("do this")),
        snapbox::str![[r#"
warning[a-code]: it is odd
--> a/SKILL.md
 = help: do this

"#]]
    );
}

#[test]
fn columns_count_characters_and_survive_escapes() {
    let text = draw(Excerpt::at("é\u{1b}\u{e0041}x: y\n", 1, 4), None);
    snapbox::assert_data_eq!(
        text,
        snapbox::str![[r#"
warning[a-code]: it is odd
 --> a/SKILL.md:1:4
  |
1 | é��x: y
  |    ^

"#]]
    );
}

#[test]
fn places_outside_the_text_are_harmless() {
    assert_eq!(Excerpt::at("one\n", 9, 1), None);
    assert_eq!(Excerpt::at("one\n", 0, 0), None);
    for (source, line, column) in [
        ("", 1, 1),
        ("one\n", 1, 99),
        ("one\r\ntwo", 2, 0),
        ("\u{feff}a", 1, 1),
        ("a\rb", 2, 1),
    ] {
        let excerpt = Excerpt::at(source, line, column).expect("there is such a line");
        assert!(
            excerpt.text.get(excerpt.span.clone()).is_some(),
            "{excerpt:?}"
        );
        draw(Some(excerpt), None);
    }
    for span in [0..0, 0..99, 98..99, 1..2] {
        draw(Some(Excerpt::new(1, "é", span)), None);
    }
}
