use super::*;

#[test]
fn a_written_name_stays_itself() {
    for name in
        ["tidy-up", "Workspace Guide", "report.weekly", "kit:slides", "数据整理", "мой-навык", "4040", "Surveyor"]
    {
        assert_eq!(Id::new(name).map(String::from), Ok(name.to_owned()));
    }
}

#[test]
fn names_are_trimmed_and_normalised() {
    assert_eq!(Id::new("  my-skill ").map(String::from), Ok("my-skill".to_owned()));
    assert_eq!(Id::new("ａｂｃ").map(String::from), Ok("abc".to_owned()), "full-width letters fold (V-36)");
    assert_eq!(Id::new("¯a").map(String::from), Ok("\u{304}a".to_owned()), "trimmed after folding");
    assert_eq!(Id::new("cafe\u{301}").map(String::from), Ok("café".to_owned()), "composed (T40)");
}

#[test]
fn ids_that_are_paths_are_refused() {
    let name = |text: &str| text.to_owned();
    assert_eq!(Id::new(" \t "), Err(InvalidId::Blank));
    assert_eq!(Id::new("a/b"), Err(InvalidId::Separator { name: name("a/b"), found: '/' }));
    assert_eq!(Id::new("a\\b"), Err(InvalidId::Separator { name: name("a\\b"), found: '\\' }));
    assert_eq!(Id::new("／etc"), Err(InvalidId::Separator { name: name("/etc"), found: '/' }), "after NFKC");
    assert_eq!(Id::new("a..b"), Err(InvalidId::DotDot { name: name("a..b") }));
    assert_eq!(Id::new("."), Err(InvalidId::DotDot { name: name(".") }));
    assert_eq!(Id::new("a\u{1b}[2J"), Err(InvalidId::Invisible { name: name("a\\u{1b}[2J") }));
    assert_eq!(Id::new("a\nb"), Err(InvalidId::Invisible { name: name("a\\nb") }));
}

#[test]
fn names_with_lost_characters_are_refused() {
    for unseen in ['\u{202e}', '\u{200e}', '\u{2066}', '\u{e0065}', '\u{2028}', '\u{fffe}', '\u{7f}', '\u{9b}'] {
        let name = format!("com{unseen}mit");
        let shown = format!("com{}mit", unseen.escape_unicode());
        assert_eq!(Id::new(&name), Err(InvalidId::Invisible { name: shown }), "{unseen:?}");
    }
    // Scripts and emoji need joiners.
    assert!(Id::new("نامه\u{200c}ها").is_ok() && Id::new("👩\u{200d}🔧").is_ok() && Id::new("❤\u{fe0f}-care").is_ok());
}

#[test]
fn a_name_beside_its_invisible_twin_is_refused() {
    let twins = "\u{200b} \u{200c} \u{200d} \u{200f} \u{61c} \u{2060} \u{2062} \u{ad} \u{34f} \u{180e} \u{2800} \u{fe0f} \u{e0100} \u{feff} \u{115f} \u{1160} \u{fff9}";
    for unseen in twins.split(' ') {
        for name in [format!("de{unseen}ploy"), format!("deploy{unseen}"), format!("{unseen}deploy")] {
            assert!(matches!(Id::new(&name), Err(InvalidId::Invisible { .. })), "{name:?}");
        }
        assert!(Id::new(unseen).is_err(), "{unseen:?}");
    }
    // Normalising makes another filler of these.
    assert!(Id::new("deploy\u{3164}").is_err() && Id::new("deploy\u{ffa0}").is_err());
}

#[test]
fn serde_goes_through_the_same_door() {
    assert_eq!(serde_json::from_str::<Id>("\"a-b\"").unwrap(), Id::new("a-b").unwrap());
    assert!(serde_json::from_str::<Id>("\"../x\"").is_err());
    assert_eq!(serde_json::to_string(&Id::new("a-b").unwrap()).unwrap(), "\"a-b\"");
}
