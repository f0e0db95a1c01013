use super::*;

fn refusal(name: &str) -> String {
    Id::new(name)
        .expect_err("the name breaks a rule")
        .to_string()
}

#[test]
fn a_written_name_stays_itself() {
    for name in [
        "tidy-up",
        "Workspace Guide",
        "report.weekly",
        "kit:slides",
        "数据整理",
        "мой-навык",
        "4040",
        "Surveyor",
    ] {
        assert_eq!(Id::new(name).map(String::from), Ok(name.to_owned()));
    }
}

#[test]
fn names_are_trimmed_and_normalised() {
    assert_eq!(
        Id::new("  my-skill ").map(String::from),
        Ok("my-skill".to_owned())
    );
    assert_eq!(
        Id::new("ａｂｃ").map(String::from),
        Ok("abc".to_owned()),
        "full-width letters fold (V-36)"
    );
    assert_eq!(
        Id::new("¯a").map(String::from),
        Ok("\u{304}a".to_owned()),
        "trimmed after folding"
    );
    assert_eq!(
        Id::new("cafe\u{301}").map(String::from),
        Ok("café".to_owned()),
        "composed (T40)"
    );
}

#[test]
fn path_like_ids_are_rejected() {
    for (name, message) in [
        (" \t ", "a name must not be blank"),
        ("a/b", "name `a/b` holds `/`; a name is not a path"),
        ("a\\b", "name `a\\b` holds `\\`; a name is not a path"),
        ("／etc", "name `/etc` holds `/`; a name is not a path"),
        ("a..b", "name `a..b` holds `..`; a name is not a path"),
        (".", "name `.` holds `..`; a name is not a path"),
        (
            "a\u{1b}[2J",
            "name `a\\u{1b}[2J` holds an invisible character",
        ),
        ("a\nb", "name `a\\nb` holds an invisible character"),
    ] {
        assert_eq!(refusal(name), message);
    }
}

#[test]
fn names_with_lost_characters_are_refused() {
    for unseen in [
        '\u{202e}',
        '\u{200e}',
        '\u{2066}',
        '\u{e0065}',
        '\u{2028}',
        '\u{fffe}',
        '\u{7f}',
        '\u{9b}',
    ] {
        let name = format!("com{unseen}mit");
        let shown = format!("com{}mit", unseen.escape_unicode());
        assert_eq!(
            refusal(&name),
            format!("name `{shown}` holds an invisible character")
        );
    }
    // Scripts and emoji need joiners.
    assert!(
        Id::new("نامه\u{200c}ها").is_ok()
            && Id::new("👩\u{200d}🔧").is_ok()
            && Id::new("❤\u{fe0f}-care").is_ok()
    );
}

#[test]
fn a_name_beside_its_invisible_twin_is_refused() {
    let twins = "\u{200b} \u{200c} \u{200d} \u{200f} \u{61c} \u{2060} \u{2062} \u{ad} \u{34f} \u{180e} \u{2800} \u{fe0f} \u{e0100} \u{feff} \u{115f} \u{1160} \u{fff9}";
    for unseen in twins.split(' ') {
        for name in [
            format!("de{unseen}ploy"),
            format!("deploy{unseen}"),
            format!("{unseen}deploy"),
        ] {
            assert!(
                refusal(&name).ends_with("holds an invisible character"),
                "{name:?}"
            );
        }
        assert!(Id::new(unseen).is_err(), "{unseen:?}");
    }
    // Normalising makes another filler of these.
    assert!(Id::new("deploy\u{3164}").is_err() && Id::new("deploy\u{ffa0}").is_err());
}

#[test]
fn serde_goes_through_the_same_door() {
    assert_eq!(
        serde_json::from_str::<Id>("\"a-b\"").unwrap(),
        Id::new("a-b").unwrap()
    );
    assert!(serde_json::from_str::<Id>("\"../x\"").is_err());
    assert_eq!(
        serde_json::to_string(&Id::new("a-b").unwrap()).unwrap(),
        "\"a-b\""
    );
}

#[test]
fn faults_are_the_reference_validators() {
    const LONG: &str = "exceeds the limit of 64 characters";
    const CASE: &str = "must be lowercase";
    const EDGE: &str = "cannot start or end with a hyphen";
    const DOUBLE: &str = "cannot contain consecutive hyphens";
    const OTHER: &str = "contains invalid characters; letters, digits and hyphens are allowed";
    let (longest, too_long) = ("a".repeat(64), "a".repeat(65));
    for (name, faults) in [
        ("my-skill", &[][..]),
        ("MySkill", &[CASE]),     // T24
        (&too_long, &[LONG]),     // T25, V-34
        ("-my-skill", &[EDGE]),   // T26
        ("my--skill", &[DOUBLE]), // T27
        ("my_skill", &[OTHER]),   // T28
        ("技能", &[]),            // T33
        ("мой-навык", &[]),       // T34
        ("навык", &[]),           // T35
        ("НАВЫК", &[CASE]),       // T36
        (&longest, &[]),          // V-34
        ("-", &[EDGE]),           // V-35
        ("\u{663}\u{662}", &[]),  // V-38, Arabic-Indic digits
        ("हिन्दी", &[OTHER]),      // V-39
        ("a.b", &[OTHER]),        // V-40
        ("a:b", &[OTHER]),
        ("a b", &[OTHER]),
        ("🦀", &[OTHER]),
        ("-My--Skill_", &[CASE, EDGE, DOUBLE, OTHER]), // V-48
    ] {
        assert_eq!(Id::new(name).expect("an id").faults(), faults, "{name}");
    }
}
