use proptest::prelude::*;

use super::*;

fn said(file: &str) -> (Map<String, Value>, String) {
    let parsed = skill_md::parse(file.as_bytes(), skill_md::Site::new("SKILL.md"));
    let skill = parsed.skill.unwrap_or_else(|| panic!("{file}: {:?}", parsed.diagnostics));
    (front_matter(&skill, false), skill_md::body(file.as_bytes()).unwrap().into_owned())
}

#[test]
fn what_is_composed_says_what_the_skill_says() {
    let mut skill = Skill::new("tidy".parse().unwrap(), "Sorts: \"all\" #1\n- and ---");
    skill.fields = vec![
        ("license".into(), repertoire::skill::Value::plain("1.10")),
        (
            "metadata".into(),
            repertoire::skill::Value::Map(vec![("a:b".into(), repertoire::skill::Value::plain("true"))]),
        ),
    ];
    let file = compose(&skill, "Sort it.\n");
    assert_eq!(
        file,
        "---\nname: \"tidy\"\ndescription: \"Sorts: \\\"all\\\" #1\\n- and ---\"\nlicense: \"1.10\"\n\
         metadata: {\"a:b\": true}\n---\n\nSort it.\n"
    );
    assert_eq!(said(&file), (front_matter(&skill, true), "Sort it.\n".to_owned()));
}

proptest! {
    #[test]
    fn every_description_is_read_as_it_was(description in "\\PC*[a-z]\\PC*") {
        let skill = Skill::new("tidy".parse().unwrap(), description.trim());
        let (fields, _) = said(&compose(&skill, "Sort it.\n"));
        prop_assert_eq!(fields, front_matter(&skill, true));
    }
}
