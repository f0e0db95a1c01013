//! The example `plugin_host` does what it says.

use std::path::PathBuf;

use repertoire::source::plugin::Inspection;
use snapbox::{assert_data_eq, str};

#[path = "../../examples/plugin_host.rs"]
#[allow(dead_code, reason = "it has a `main` of its own")]
mod example;

/// Returns the library of `plugins/hello`, which cargo built beside the tests: it is a dependency of theirs.
fn hello() -> PathBuf {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};

    let tests = std::env::current_exe().expect("the program of the tests");
    tests.with_file_name(format!("{DLL_PREFIX}hello{DLL_SUFFIX}"))
}

#[tokio::test]
async fn the_example_inspects_and_lists_a_plugin() {
    let (library, mut out) = (hello(), Vec::new());
    example::inspect(&library, &mut out).expect("it is a plugin");
    let digest = Inspection::read(&library).expect("it is a plugin").digest;
    let people = r#"{"people": ["Ann", "Bob"]}"#;
    example::list(&library, &digest.to_string(), people, &mut out)
        .await
        .expect("the file is approved");
    let expected = str![[r#"
repertoire-plugin-hello, for version 1.0 of the boundary
sha256:[..]
greet-ann (restricted): Say hello to Ann.
greet-bob (restricted): Say hello to Bob.

"#]];
    assert_data_eq!(String::from_utf8(out).expect("it prints text"), expected);
}

#[tokio::test]
async fn the_example_refuses_another_digest() {
    let (other, mut out) = (format!("sha256:{}", "0".repeat(64)), Vec::new());
    example::list(&hello(), &other, "{}", &mut out)
        .await
        .expect("a refused source is a diagnostic");
    let expected = str![[r#"
plugin: error[source-failed]: source `plugin` could not be listed: plugin `[..]` has changed: expected [..], found [..]; if you trust the new one, pin `digest = "[..]"`

"#]];
    assert_data_eq!(String::from_utf8(out).expect("it prints text"), expected);
}
