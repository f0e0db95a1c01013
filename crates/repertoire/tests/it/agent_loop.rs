//! The example `agent_loop` does what it says.

use snapbox::{assert_data_eq, file};

#[path = "../../examples/agent_loop/main.rs"]
#[allow(dead_code, reason = "it has a `main` of its own")]
mod example;

#[tokio::test]
async fn the_example_goes_through_its_script() {
    let mut out = Vec::new();
    example::play(&mut out)
        .await
        .expect("the script is long enough");
    assert_data_eq!(
        String::from_utf8(out).expect("it prints text"),
        file!["agent_loop.txt"]
    );
}
