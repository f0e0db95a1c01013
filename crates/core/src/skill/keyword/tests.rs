use super::*;

#[test]
fn short_and_common_keywords_are_weak() {
    for (keyword, weak) in [
        ("", Some(WeakKeyword::Short)),
        ("...", Some(WeakKeyword::Short)),
        ("a", Some(WeakKeyword::Short)),
        ("PR", Some(WeakKeyword::Short)),
        ("f#", Some(WeakKeyword::Short)),
        ("a b", Some(WeakKeyword::Short)),
        ("e\u{301}a", Some(WeakKeyword::Short)),
        ("表", Some(WeakKeyword::Short)),
        ("を!", Some(WeakKeyword::Short)),
        ("ไป", Some(WeakKeyword::Short)),
        ("The", Some(WeakKeyword::Common)),
        ("please", Some(WeakKeyword::Common)),
        ("ＴＨＥ", Some(WeakKeyword::Common)),
        ("what's", Some(WeakKeyword::Common)),
        ("can you, please?", Some(WeakKeyword::Common)),
        ("is it", Some(WeakKeyword::Common)),
        ("für", Some(WeakKeyword::Common)),
        ("fu\u{308}r", Some(WeakKeyword::Common)),
        ("c'est", Some(WeakKeyword::Common)),
        ("cómo", Some(WeakKeyword::Common)),
        ("perché", Some(WeakKeyword::Common)),
        ("você", Some(WeakKeyword::Common)),
        ("alsjeblieft", Some(WeakKeyword::Common)),
        ("varför", Some(WeakKeyword::Common)),
        ("proszę", Some(WeakKeyword::Common)),
        ("Пожалуйста", Some(WeakKeyword::Common)),
        ("lütfen", Some(WeakKeyword::Common)),
        ("كيف", Some(WeakKeyword::Common)),
        ("什么", Some(WeakKeyword::Common)),
        ("ください", Some(WeakKeyword::Common)),
        ("해줘", Some(WeakKeyword::Common)),
        ("git", None),
        ("c++", None),
        ("k8s", None),
        ("表格", None),
        ("학점", None),
        ("the report", None),
        ("what changed", None),
        ("pull request", None),
    ] {
        assert_eq!(WeakKeyword::of(keyword), weak, "{keyword}");
    }
}

#[test]
fn common_words_are_written_as_they_are_compared() {
    for word in COMMON.iter() {
        assert_eq!(
            word.nfkc().flat_map(char::to_lowercase).collect::<String>(),
            *word
        );
    }
}
