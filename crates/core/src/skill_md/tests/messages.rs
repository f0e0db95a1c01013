//! What people read.

use super::*;

/// Every finding with its place (P13) and its advice.
fn report(text: &str) -> String {
    let mut lines = Vec::new();
    for finding in parse_text(text).diagnostics {
        lines.push(format!("{} {finding}", finding.place().unwrap_or_default()));
        lines.extend(finding.help.map(|help| format!("  help: {help}")));
    }
    lines.join("\n")
}

#[test]
fn a_colon_comes_with_what_to_type() {
    let text = front("name: some-skill\ndescription: Collects run data: progress, \"errors\".");
    insta::assert_snapshot!(report(&text), @r#"
    some-skill/SKILL.md:3:31 warning[invalid-yaml]: invalid YAML in `description`: unquoted text must not hold a colon before a blank; its text was taken as it stands
      help: quote this value: `description: "Collects run data: progress, \"errors\"."`
    "#);
}

#[test]
fn a_long_value_is_not_repeated() {
    let text = front(&format!("name: some-skill\ndescription: Note: {}", "very long words ".repeat(20)));
    insta::assert_snapshot!(report(&text), @r#"
    some-skill/SKILL.md:3:18 warning[invalid-yaml]: invalid YAML in `description`: unquoted text must not hold a colon before a blank; its text was taken as it stands
      help: quote this value: put it between `"`, or write `description: |-` and indent the text below it
    "#);
}

#[test]
fn a_late_block_is_named_by_its_line() {
    insta::assert_snapshot!(report("# Heading first\n\n---\nname: a\ndescription: b\n---\n"), @r#"
    some-skill/SKILL.md:3:1 error[no-front-matter]: the file must start with YAML frontmatter, found it on line 3
      help: move the block between the `---` lines to the top of the file
    "#);
}

#[test]
fn a_wrong_start_is_quoted() {
    insta::assert_snapshot!(report("# Boxed\n\n```yaml\nname: boxed\n```\n"), @r#"
    some-skill/SKILL.md:1:1 error[no-front-matter]: the file must start with YAML frontmatter, found `# Boxed`
      help: put `---`, `name`, `description` and `---` on the first lines
    "#);
}

#[test]
fn a_name_that_is_a_path_says_what_is_taken_instead() {
    insta::assert_snapshot!(report(&front("name: ../../outside\ndescription: Climbs.")), @r#"
    some-skill/SKILL.md:2:7 warning[unusable-name]: name `../../outside` contains invalid characters: a name is not a path; the directory's name `some-skill` is taken
      help: write `name: some-skill`
    "#);
}

#[test]
fn a_hidden_limit_says_where_it_belongs() {
    let text = front("name: some-skill\ndescription: a: b\n  user-invocable: false");
    insta::assert_snapshot!(report(&text), @r#"
    some-skill/SKILL.md:3:15 warning[invalid-yaml]: invalid YAML in `description`: unquoted text must not hold a colon before a blank; its text was taken as it stands
      help: quote this value: `description: "a: b user-invocable: false"`
    some-skill/SKILL.md:4:3 warning[invalid-yaml]: invalid YAML in `user-invocable`: it stands inside a field that could not be read; it counts as limiting
      help: put `user-invocable` at the start of a line
    some-skill/SKILL.md:4:3 warning[unreadable-limit]: `user-invocable` must be `true` or `false`; it counts as `false`, which limits
    "#);
}

#[test]
fn columns_count_characters_of_the_file() {
    let parsed = parse_text("\u{feff}---\r\nname: some-skill\r\ndescription: Größe: é: x\r\n---\r\n");
    assert_eq!(found(&parsed), ["warning invalid-yaml 3:19"]);
}
