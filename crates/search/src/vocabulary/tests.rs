use super::*;

fn vocabulary() -> NameVocabulary {
    let mut vocabulary = NameVocabulary::default();
    for word in [
        "deploy",
        "deployment",
        "deployments",
        "deploy",
        "pdf",
        "weather",
        "whether",
        "表計",
        "release",
    ] {
        vocabulary.insert(word);
    }
    vocabulary
}

#[test]
fn slips_are_forgiven_by_length() {
    let vocabulary = vocabulary();
    for (typed, meant) in [
        ("pfd", &["pdf"][..]),
        ("deplo", &["deploy"]),
        ("deplyoment", &["deployment"]),
        ("delpoymetn", &["deployment"]),
        ("relaese", &["release"]),
        ("wether", &["weather", "whether"]),
        ("weatherr", &["weather"]),
        ("wezther", &["weather"]),
        ("pf", &[]),
        ("repleaz", &[]),
        ("表計算", &["表計"]),
    ] {
        assert_eq!(vocabulary.near(typed, 3, &|_, all| all), meant, "{typed}");
    }
}

#[test]
fn beginnings_lead_to_the_commonest_words() {
    assert_eq!(
        vocabulary().beginning_with("dep", 2, &|_, all| all),
        ["deploy", "deployment"]
    );
    assert_eq!(
        vocabulary().beginning_with("deploy", 3, &|_, all| all),
        ["deployment", "deployments"]
    );
    assert_eq!(vocabulary().beginning_with("x", 3, &|_, all| all), [""; 0]);
}

#[test]
fn words_are_removed_with_their_last_name() {
    let mut vocabulary = vocabulary();
    vocabulary.remove("deploy");
    assert_eq!(vocabulary.near("deplyo", 1, &|_, all| all), ["deploy"]);
    vocabulary.remove("deploy");
    assert_eq!(vocabulary.near("deplyo", 1, &|_, all| all), [""; 0]);
}
