use proptest::prelude::*;

use super::super::{Limits, reads_alike};

#[test]
fn common_front_matter_equals_the_parser() {
    for text in [
        "name: tidy-up\ndescription: Sorts a folder; works in /tmp, too.\n",
        "name:   padded  \nversion: 1.10\nnone:\nnull: ~\n",
        "name: \"quoted \\\"twice\\\"\\n\"\nother: 'it''s'   \nempty: \"\"\n",
        "description: |\n  One line.\n\n  - another\n    deeper\nname: a\n",
        "description: |-\n    Four blanks.\n\n\nname: a\n",
        "description: >\n  Folded\n  lines.\n\n\n  A paragraph.\nname: a\n",
        "description: >-\n  Folded.\n",
        "tools: [Read, \"Bash(git:*)\", 'x', [], {}]\nlist: [ a b , c ]\n",
        "metadata: {\"a\":{\"b\":[\"c\",1,true]}, d: e}\n",
        "metadata:\n  author: me\n  version: \"1.0\"\n  deep:\n    tags:\n      - a\n      - b c\n    flat:\n    - d\nname: a\n",
        "tags:\n- a\n- \"b\"\nhooks:\n  - on: save\n    run: [x]\n  - on: load\n",
        "name: first\n\nname: again\n\n",
        "description: Für Einsteiger — 自動化，手順。\n",
        "note: |\n  the end\n\n",
    ] {
        assert!(reads_alike(text), "{text:?} is within the subset");
    }
}

#[test]
fn anything_else_is_left_to_the_parser() {
    for text in [
        "",
        "\n",
        "name: a",
        "just text\n",
        "- a\n",
        "# comment\nname: a\n",
        "name: a # comment\n",
        "name: a\r\n",
        "name:\ta\n",
        "description: use when: asked\n",
        "description: ends with:\n",
        "description: one\n  two\n",
        "description: \"one\n  two\"\n",
        "description: \"\\u263a\"\n",
        "description: \"a\" b\n",
        "description: **bold**\n",
        "description: - a\n",
        "description: |2\n   a\n",
        "description: |+\n  a\n\n",
        "description: |\n\n  a\n",
        "description: |\n    a\n  b\n",
        "description: >\n  a\n    b\n",
        "description: |\n  a\n   \nname: b\n",
        "list: [a, b\n",
        "list: [a, b,]\n",
        "list: [a: b]\n",
        "map: {a}\n",
        "map: {a:b}\n",
        "a: &b c\n",
        "a: *b\n",
        "a: !tag b\n",
        "? a\n: b\n",
        "a:\n  b: c\n d: e\n",
        "a:\n  - b\n    c\n",
        "a:\n  - - b\n",
        "\"a\": b\n",
        "a b: c\n",
        "a: \u{85}\n",
        "a: b\u{2028}c\n",
        "a: \u{feff}b\n",
        "a: b\n...\n",
    ] {
        assert!(!reads_alike(text), "{text:?} is not within the subset");
    }
}

#[test]
fn limits_are_met_by_the_parser() {
    let deep = |levels: usize| {
        (0..levels)
            .map(|level| format!("{}a:\n", "  ".repeat(level)))
            .collect::<String>()
    };
    assert!(reads_alike(&deep(10)));
    assert!(!reads_alike(&deep(40)));
    let keys: String = (0..Limits::default().keys)
        .map(|key| format!("key{key}: v\n"))
        .collect();
    assert!(reads_alike(&keys));
    assert!(!reads_alike(&(keys + "more: v\n")));
    assert!(!reads_alike(&format!(
        "list: [{}]\n",
        vec!["a"; Limits::default().nodes].join(", ")
    )));
}

/// Pieces of front matter, so that random texts come close to what is read here.
fn piece() -> impl Strategy<Value = String> {
    let literal = prop::sample::select(vec![
        "\n",
        "\n",
        "\n  ",
        "\n    ",
        "\n- ",
        "\n  - ",
        "\n\n",
        ": ",
        ":",
        " ",
        "  ",
        "name: ",
        "description: ",
        "a: ",
        "b:",
        "a",
        "b c",
        "1.0",
        "~",
        "é",
        "：",
        "\"",
        "\"q\"",
        "'",
        "'s'",
        "''",
        "\\\"",
        "\\",
        "|",
        "|-\n  ",
        ">\n  ",
        ">-\n ",
        "[",
        "]",
        "{",
        "}",
        ",",
        ", ",
        "#",
        " #",
        "-",
        "- ",
        "*",
        "&",
        "!",
        "---",
        "...",
        "\t",
        "\u{85}",
        "\u{2028}",
    ]);
    literal.prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_text_that_is_read_is_read_alike(pieces in prop::collection::vec(piece(), 0..24)) {
        reads_alike(&format!("a: {}\n", pieces.concat()));
        reads_alike(&pieces.concat());
    }
}
