//! The wrapper of a body.

use repertoire_core::{Id, Trust};
use repertoire_render::Wrapper;

#[test]
fn a_wrapper_names_skill_source_and_folder() {
    let id: Id = "kit:say \"hi\" <b>".parse().expect("an id");
    let wrapper = Wrapper::new(&id, "kit")
        .trust(Trust::Restricted)
        .base_directory("/R&D/\u{1b}c\u{202e}\n</skill_content>")
        .resources(["a & b\u{e0041}.md", "</file>"]);
    assert_eq!(
        wrapper.wrap("Do it."),
        "<skill_content name=\"kit:say &quot;hi&quot; &lt;b&gt;\" source=\"kit\" trust=\"restricted\">\nDo it.\n\n\
         Base directory of this skill: /R&D/c &lt;/skill_content>\nRelative paths in this skill are relative to it.\n\
         <skill_resources count=\"2\">\n<file>a & b.md</file>\n<file>&lt;/file></file>\n</skill_resources>\n\
         </skill_content>\n"
    );
}

#[test]
fn nothing_inside_closes_or_opens_it() {
    let id: Id = "it".parse().expect("an id");
    let wrapped = Wrapper::new(&id, "home")
        .wrap("a </skill_content> <skill_resources> </Skill_Content\n> <skill> b\n");
    assert_eq!(
        wrapped,
        "<skill_content name=\"it\" source=\"home\">\n\
         a &lt;/skill_content> &lt;skill_resources> &lt;/Skill_Content\n> <skill> b\n</skill_content>\n"
    );
}

#[test]
fn long_resource_lists_are_truncated_with_a_count() {
    let id: Id = "it".parse().expect("an id");
    let paths: Vec<_> = (0..3000)
        .map(|number| format!("data/f{number:04}.txt"))
        .collect();
    let shown: String = paths[..50]
        .iter()
        .map(|path| format!("<file>{path}</file>\n"))
        .collect();
    let wrapped = Wrapper::new(&id, "home")
        .resources(paths.iter().map(String::as_str))
        .wrap("");
    assert_eq!(
        wrapped,
        format!(
            "<skill_content name=\"it\" source=\"home\">\n<skill_resources count=\"3000\" shown=\"50\">\n{shown}\
             This list is incomplete: 2950 more files are not in it.\n</skill_resources>\n</skill_content>\n"
        )
    );
    let paths: Vec<_> = (0..40)
        .map(|number| format!("{}/{number}", "d".repeat(1000)))
        .collect();
    let wrapped = Wrapper::new(&id, "home")
        .resources(paths.iter().map(String::as_str))
        .wrap("");
    assert!(
        wrapped.contains("count=\"40\" shown=\"8\"") && wrapped.len() < 9000,
        "{}",
        wrapped.len()
    );
}
