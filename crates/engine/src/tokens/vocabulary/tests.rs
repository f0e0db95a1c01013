use super::*;
use crate::catalog::Tokenizer;

#[test]
fn known_texts_have_their_known_counts() {
    assert_eq!(TokenVocabulary::O200k.count("hello world"), 2);
    assert_eq!(TokenVocabulary::Cl100k.count("hello world"), 2);
    assert_eq!(TokenVocabulary::Llama3.count("hello world"), 2);
}

#[test]
fn estimates_are_near_what_the_vocabularies_count() {
    let texts = [
        "release-notes: Writes release notes from merged pull requests, grouped for readers.",
        "csv-cleaner: Repairs CSV files: encodings, quoting, ragged rows, duplicate headers. Use when a table won't load.",
        "postgres-tuning: Reads query plans of PostgreSQL and proposes indexes and settings (version 14 or later).",
        "accessibility-audit: Tests web pages against WCAG 2.2 with keyboard and screen reader, and lists what fails.",
        "報告書: 表を読み、合計を確かめ、短い手紙を書きます。月末に使います。",
    ];
    for (estimate, exact) in [
        (Tokenizer::O200K, Tokenizer::O200K_EXACT),
        (Tokenizer::LLAMA3, Tokenizer::LLAMA3_EXACT),
    ] {
        let sum = |tokenizer: Tokenizer| {
            texts
                .iter()
                .map(|text| tokenizer.estimate(text))
                .sum::<usize>() as f64
        };
        let ratio = sum(estimate) / sum(exact);
        assert!((0.85..1.15).contains(&ratio), "{estimate:?}: {ratio}");
    }
}
