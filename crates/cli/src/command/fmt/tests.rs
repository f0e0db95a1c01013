use snapbox::{assert_data_eq, str};

use super::*;

fn patched(old: &str, new: &str) -> String {
    String::from_utf8(unified_patch("a/SKILL.md", old.as_bytes(), new.as_bytes()))
        .expect("both are text")
}

#[test]
fn patches_have_three_lines_of_context() {
    assert_data_eq!(
        patched(
            "1\n2\n3\n4\nold\n5\n6\n7\n8\n",
            "1\n2\n3\n4\nnew\nmore\n5\n6\n7\n8\n"
        ),
        str![[r#"
--- a/a/SKILL.md
+++ b/a/SKILL.md
@@ -2,7 +2,8 @@
 2
 3
 4
-old
+new
+more
 5
 6
 7

"#]]
    );
}

#[test]
fn diffs_mark_a_missing_final_newline() {
    let expected = "--- a/a/SKILL.md\n+++ b/a/SKILL.md\n@@ -1,2 +1,3 @@\n a\n+c\n b\n\\ No newline at end of file\n";
    assert_eq!(patched("a\nb", "a\nc\nb"), expected);
}
