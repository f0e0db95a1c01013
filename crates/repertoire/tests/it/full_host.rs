//! The example `full_host` does what it says.

use snapbox::{assert_data_eq, str};

#[path = "../../examples/full_host/main.rs"]
#[allow(dead_code, reason = "it has a `main` of its own")]
mod example;

#[tokio::test]
async fn the_example_compacts_stores_and_resumes() {
    let (home, mut out) = (tempfile::tempdir().expect("a folder"), Vec::new());
    example::play(home.path(), &mut out)
        .await
        .expect("the example runs");
    let expected = str![[r#"
> read_skill {"id":"tidy"}
<skill_content name="tidy">
Sort by kind, then by date.
</skill_content>
> read_skill {"id":"payroll"}
Unknown skill `payroll`. The skills are `tidy`. `list_skills` tells which there are.
> list_files {}
a.pdf b.txt
> move_file {}
there is no tool `move_file`
> after compaction
<skill_content name="tidy">
Sort by kind, then by date.
</skill_content>
> resumed with tidy
> resumed with plan

"#]];
    assert_data_eq!(String::from_utf8(out).expect("it prints text"), expected);
}
