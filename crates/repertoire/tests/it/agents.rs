//! The example `agents` does what it says.

use snapbox::{assert_data_eq, str};

#[path = "../../examples/agents.rs"]
#[allow(dead_code, reason = "it has a `main` of its own")]
mod example;

#[tokio::test]
async fn the_example_merges_agents() {
    let mut out = Vec::new();
    example::show(&mut out).await.expect("the example runs");
    let expected = str![[r#"
reviewer: review --strict (1 overridden): You review changes.
writer: write (0 overridden): You write.
1 modified
reviewer: my-review (0 overridden): You review gently.
writer: write (0 overridden): You write.

"#]];
    assert_data_eq!(String::from_utf8(out).expect("it prints text"), expected);
}
