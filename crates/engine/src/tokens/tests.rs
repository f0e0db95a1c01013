use proptest::prelude::*;

use super::*;

const SHIPPED: [Tokenizer; 3] = [Tokenizer::O200K, Tokenizer::CLAUDE_2023, Tokenizer::LLAMA3];

#[track_caller]
fn check(tokenizer: Tokenizer, text: &str, thousandths: u64) {
    let (parts, base) = (tokenizer.thousandths(text), tokenizer.base());
    assert_eq!(parts + base, thousandths, "{text:?}");
    assert_eq!(
        tokenizer.estimate(text),
        thousandths.div_ceil(1000) as usize,
        "{text:?}"
    );
}

#[test]
fn token_counts_add_up_from_text_classes() {
    let o200k = || Tokenizer::O200K;
    check(o200k(), "a", 1043 + 520);
    check(o200k(), "six or sooner", 3 * 1043 + 520);
    check(o200k(), "sevenths", 1043 + 2 * 45 + 520);
    check(o200k(), "don't", 2 * 1043 + 755 + 520);
    check(o200k(), "v1.2\n", 1043 + 2 * 886 + 755 + 613 + 520);
    check(o200k(), "camelCase", 1043 + 3 * 45 + 1201 + 520);
    check(o200k(), "HTTPServer", 1043 + 4 * 45 + 520);
    check(o200k(), "a Big a2Big", 3 * 1043 + 1043 + 886 + 520);
    check(o200k(), "naïve", 2 * 1043 + 474 + 520);
    check(o200k(), "表を、한Ａ", 5 * 741 + 520);
    check(o200k(), "✅ \u{1F3F3}\u{FE0F}", 3 * 474 + 520);
    check(o200k(), " \t\r\u{1}\u{a0}", 520);
    check(
        Tokenizer::CLAUDE_2023,
        "Größe 7,\n表",
        2 * 1078 + 2 * 1675 + 833 + 877 + 1303 + 995 + 876,
    );
    check(
        Tokenizer::LLAMA3,
        "Größe 7,\n表",
        2 * 1043 + 2 * 647 + 911 + 753 + 766 + 787 + 565,
    );
}

#[test]
fn nothing_costs_nothing() {
    assert_eq!(SHIPPED.map(|tokenizer| tokenizer.estimate("")), [0, 0, 0]);
}

#[test]
fn the_shipped_tables_have_names() {
    assert_eq!(
        SHIPPED.map(|tokenizer| tokenizer.name),
        ["o200k", "claude-2023", "llama3"]
    );
    assert_eq!(Tokenizer::default(), Tokenizer::CLAUDE_2023);
}

fn weights_of(tokenizer: Tokenizer) -> Weights {
    match tokenizer.counting {
        Counting::Weights(weights) => weights,
        Counting::Custom(_) => panic!("no weights"),
        #[cfg(feature = "exact-tokens")]
        Counting::Vocabulary(_) => panic!("no weights"),
    }
}

/// The features, counted the plain way.
fn defined(weights: &Weights, text: &str) -> u64 {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| !word.is_empty())
        .collect();
    let count = |is: &dyn Fn(char) -> bool| text.chars().filter(|c| is(*c)).count();
    let steps = |word: &&str| {
        word.as_bytes()
            .windows(2)
            .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
            .count()
    };
    let features = [
        (weights.word, words.len()),
        (
            weights.long_letter,
            words.iter().map(|word| word.len().saturating_sub(6)).sum(),
        ),
        (weights.digit, count(&|c| c.is_ascii_digit())),
        (weights.punctuation, count(&|c| c.is_ascii_punctuation())),
        (weights.cjk, count(&is_cjk)),
        (
            weights.other,
            count(&|c| !c.is_ascii() && !c.is_whitespace() && !is_cjk(c)),
        ),
        (weights.newline, count(&|c| c == '\n')),
        (weights.camel_step, words.iter().map(steps).sum()),
    ];
    features
        .iter()
        .map(|(weight, count)| u64::from(*weight) * *count as u64)
        .sum()
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z]{0,12}[ A-Za-z0-9.,\n表を한é✅\u{3000}]{0,24}",
        any::<String>()
    ]
}

proptest! {
    #[test]
    fn counting_is_as_defined(text in texts()) {
        for tokenizer in SHIPPED {
            prop_assert_eq!(tokenizer.thousandths(&text), defined(&weights_of(tokenizer), &text));
        }
    }

    #[test]
    fn appending_never_lowers_the_estimate(text in texts(), more in texts()) {
        let longer = format!("{text}{more}");
        for tokenizer in SHIPPED {
            prop_assert!(tokenizer.estimate(&longer) >= tokenizer.estimate(&text));
        }
    }

    #[test]
    fn a_text_costs_no_more_than_its_parts(text in texts(), more in texts()) {
        let whole = format!("{text}{more}");
        for tokenizer in SHIPPED {
            prop_assert!(tokenizer.estimate(&whole) <= tokenizer.estimate(&text) + tokenizer.estimate(&more));
        }
    }

    #[test]
    fn token_counts_of_separate_lines_add_up(text in texts(), more in texts()) {
        let whole = format!("{text}\n{more}");
        for tokenizer in SHIPPED {
            let line = format!("{text}\n");
            prop_assert_eq!(tokenizer.thousandths(&whole), tokenizer.thousandths(&line) + tokenizer.thousandths(&more));
        }
    }
}
