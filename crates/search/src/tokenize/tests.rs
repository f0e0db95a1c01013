use proptest::prelude::*;

use super::*;

fn all(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    words(text, |word| all.push(word.to_owned()));
    all
}

#[test]
fn words_are_letters_and_digits_without_case() {
    for (text, expected) in [
        (
            "Fill PDF-forms, v1.2!",
            &["fill", "pdf", "forms", "v1", "2"][..],
        ),
        ("don't; the user’s", &["dont", "the", "users"]),
        (
            "C++, C# and F#, a+b, A/B",
            &["c++", "c#", "and", "f#", "a+b", "a", "b"],
        ),
        (
            "STRASSE Straße ΣΊΣΥΦΟΣ σίσυφος",
            &["strasse", "strasse", "σίσυφοσ", "σίσυφοσ"],
        ),
        ("Ａ４ ﬁle ①", &["a4", "file", "1"]),
        ("cafe\u{301} naïve", &["café", "naïve"]),
        ("हिन्दी में", &["हिन्दी", "में"]),
        ("表を読む", &["表を", "を読", "読む"]),
        ("PDF表 を、한국어", &["pdf", "表", "を", "한국", "국어"]),
        (" -_., ", &[]),
    ] {
        assert_eq!(all(text), expected, "{text}");
    }
}

#[test]
fn names_also_give_their_humps() {
    let all = |name: &str| {
        let mut all = Vec::new();
        name_words(name, |word| all.push(word.to_owned()));
        all
    };
    assert_eq!(all("release-notes_v2"), ["release", "notes", "v2"]);
    assert_eq!(
        all("GitHubIssues"),
        ["githubissues", "git", "hub", "issues"]
    );
}

#[test]
fn a_squashed_name_is_one_word() {
    for name in [
        "Release_Notes",
        "release notes",
        "releaseNotes",
        "RELEASE.NOTES",
    ] {
        assert_eq!(normalized(name), "releasenotes");
    }
    assert_eq!(normalized("表-を"), "表を");
}

#[test]
fn stop_words_are_sorted() {
    assert!(STOP_WORDS.is_sorted() && is_stop_word("when") && !is_stop_word("pdf"));
}

#[test]
fn stems_are_for_english_words_only() {
    let stems = Stems::default();
    assert_eq!(
        ["forms", "deployments", "c++", "表を", "dé"].map(|word| stems.of(word).into_owned()),
        ["form", "deploy", "c++", "表を", "dé"]
    );
}

proptest! {
    #[test]
    fn words_equal_those_of_single_characters(text in "([a-zA-Z0-9 '+#._-]{0,20}|[ -~]{0,20}|[é表か。、Ａﬁ→’\u{301}\u{3099}\u{338}한\u{11A8}ß]{0,3}){0,8}") {
        let mut expected = Vec::new();
        let mut splitter = Splitter {
            word: String::new(),
            neighbour: None,
            alone: false,
            each: |token: Token<'_>| match token {
                Token::Text(word) => expected.push(word.to_owned()),
                Token::Short(_) => unreachable!("single characters are pushed"),
            },
        };
        text.nfkc().for_each(|c| splitter.take(c));
        splitter.end_of_word();
        prop_assert_eq!(all(&text), expected);
    }
}

proptest! {
    #[test]
    fn words_of_ascii_are_runs_of_alphanumerics(text in "([a-zA-Z0-9]{1,20}[ -.:;/\n]{1,3}){0,40}[a-z]{0,17}") {
        let text = text.replace(['+', '#', '\''], "_");
        let runs = text.split(|c: char| !c.is_ascii_alphanumeric());
        let expected: Vec<String> = runs
            .filter(|run| !run.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        prop_assert_eq!(all(&text), expected);
    }

    #[test]
    fn words_across_windows_stay_whole(signs in 0..140_usize, word in "[a-z]{1,18}('[a-z]|\\+|é)?") {
        let text = format!("{}{word}", " ".repeat(signs));
        prop_assert_eq!(all(&text), all(&word));
    }

    #[test]
    fn made_up_words_have_the_stemmers_stems(word in "[a-z]{1,5}(s|ed|ing|li|ion|ational|[a-z]{1,4})") {
        let stemmer = Stemmer::create(Algorithm::English);
        let expected = if word.len() < 3 { word.as_str().into() } else { stemmer.stem(&word) };
        prop_assert_eq!(Stems::default().of(&word), expected);
    }
}

#[test]
fn public_words_have_the_stemmers_stems() {
    let stemmer = Stemmer::create(Algorithm::English);
    let rows = include_str!("../background.tsv").lines().skip(1);
    let words = rows.filter_map(|row| row.split('\t').next());
    let words = words.filter(|word| word.len() > 2 && word.bytes().all(|b| b.is_ascii_lowercase()));
    for word in words {
        for ending in [
            "", "a", "b", "d", "i", "ol", "ar", "an", "im", "c", "t", "ng",
        ] {
            let word = format!("{word}{ending}");
            assert_eq!(Stems::default().of(&word), stemmer.stem(&word), "{word}");
        }
    }
}
