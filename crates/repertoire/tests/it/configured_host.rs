//! The example `configured_host` does what it says.

use std::path::Path;

use snapbox::{assert_data_eq, str};

#[path = "../../examples/configured_host/main.rs"]
#[allow(dead_code, reason = "it has a `main` of its own")]
mod example;

async fn list(path: &Path) -> Result<String, String> {
    let mut out = Vec::new();
    example::list(path, &mut out)
        .await
        .map_err(|error| format!("{error:#}"))?;
    Ok(String::from_utf8(out).expect("it prints text"))
}

#[tokio::test]
async fn the_example_lists_configured_skills() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/configured_host/repertoire.toml");
    let expected = str![[r#"
tidy-up from team, trusted, Sorts a folder. Use before a backup.
toil from words, restricted, Explains the word toil.

"#]];
    assert_data_eq!(list(&path).await.expect("the file is valid"), expected);
}

#[tokio::test]
async fn the_example_points_into_a_faulty_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("repertoire.toml");
    let text = "[[source]]\nkind = \"glossary\"\nname = \"words\"\nterms = { a = \"One.\", \"b/c\" = \"Two.\" }\n";
    std::fs::write(&path, text).expect("a fresh file");
    let error = list(&path).await.expect_err("the term is not a name");
    let lines: Vec<_> = error.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "terms = { a = \"One.\", \"b/c\" = \"Two.\" }",
            "                      ^^^^^^^^^^^^^^"
        ]
    );
}
