//! The book tells the truth: every block of it is run, compiled or parsed.
//!
//! Blocks of Rust are compiled and run as documentation of the facade. To write what commands print into the book,
//! run this test with `BOOK=write`.

use std::fs;
use std::path::{Path, PathBuf};

use repertoire_cli::Exit;

use crate::test_env::{TestEnv, checkout};

const BOOK: &str = "docs/book/src";

/// The chapters, by name.
pub(crate) fn chapters() -> Vec<PathBuf> {
    let files = fs::read_dir(checkout(BOOK)).expect("the book is in the checkout");
    let mut files: Vec<_> = files.map(|file| file.expect("a chapter").path()).collect();
    // Beside them is a folder with pictures.
    files.retain(|path| path.extension().is_some_and(|kind| kind == "md"));
    files.sort();
    files
}

/// A env whose working folder is the book's example.
fn example() -> TestEnv {
    fn copy(from: &Path, to: &str, env: &TestEnv) {
        for entry in fs::read_dir(from).expect("the example is in the checkout") {
            let path = entry.expect("an entry").path();
            let to = format!(
                "{to}{}",
                path.file_name().expect("a name").to_string_lossy()
            );
            if path.is_dir() {
                copy(&path, &format!("{to}/"), env);
            } else {
                env.file(&to, fs::read(&path).expect("a file"));
            }
        }
    }
    let env = TestEnv::new();
    copy(&checkout("docs/book/example"), "", &env);
    env
}

/// A fenced block: its language, its text, and where the text stands in the chapter.
struct Block<'a> {
    language: &'a str,
    text: &'a str,
    at: std::ops::Range<usize>,
}

fn blocks(chapter: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut rest = 0;
    while let Some(open) = chapter[rest..].find("```").map(|at| rest + at) {
        let start = chapter[open..]
            .find('\n')
            .map_or(chapter.len(), |at| open + at + 1);
        let end = chapter[start..]
            .find("```")
            .map_or(chapter.len(), |at| start + at);
        let language = chapter[open + 3..start].trim();
        blocks.push(Block {
            language,
            text: &chapter[start..end],
            at: start..end,
        });
        rest = (end + 3).min(chapter.len());
    }
    blocks
}

/// The commands of a console block, each followed by what it prints.
fn played(block: &str) -> String {
    let env = example();
    let mut console = String::new();
    for line in block.lines().filter(|line| line.starts_with('$')) {
        let words: Vec<_> = line.split_whitespace().skip(1).collect();
        let ["repertoire", arguments @ ..] = words.as_slice() else {
            panic!("`{line}` is not ours to run")
        };
        let ran = env.run(arguments);
        assert_ne!(ran.exit, Exit::Failure, "`{line}`: {}", ran.stderr);
        console.push_str(&format!(
            "{line}\n{}{}\n",
            trimmed(&ran.stdout),
            trimmed(&ran.stderr)
        ));
    }
    console.trim_end().to_owned() + "\n"
}

/// Without blanks at the ends of lines, which a book cannot show, and in a folder that a reader might have.
fn trimmed(text: &str) -> String {
    text.replace("[WORLD]/here", "/home/ann")
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

#[test]
fn commands_print_the_output_in_the_book() {
    let write = std::env::var_os("BOOK").is_some_and(|value| value == "write");
    let readme = checkout("README.md");
    for path in chapters().into_iter().chain([readme.clone()]) {
        let mut chapter = fs::read_to_string(&path).expect("a chapter");
        // Other blocks of the README need a shell.
        let is_played = |block: &Block<'_>| {
            let is_ours = path != readme || block.text.starts_with("$ repertoire add");
            block.language == "console" && is_ours
        };
        let console: Vec<_> = blocks(&chapter).into_iter().filter(is_played).collect();
        let console: Vec<_> = console
            .into_iter()
            .map(|block| (block.at.clone(), played(block.text), block.text.to_owned()))
            .collect();
        if write {
            for (at, now, _) in console.into_iter().rev() {
                chapter.replace_range(at, &now);
            }
            fs::write(&path, chapter).expect("the checkout can be written");
        } else {
            for (_, now, said) in console {
                assert_eq!(
                    said,
                    now,
                    "{}: run this test with BOOK=write",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn every_configuration_is_one() {
    for path in chapters() {
        let chapter = fs::read_to_string(&path).expect("a chapter");
        for block in blocks(&chapter)
            .iter()
            .filter(|block| block.language == "toml")
        {
            // No skill is compiled into this program.
            if block.text.contains("kind = \"static\"") {
                continue;
            }
            let env = example();
            env.file("book.toml", block.text);
            fs::create_dir_all(env.here().join(".claude/agents")).expect("a folder of profiles");
            let ran = env.run(&["roots", "--config", "book.toml"]);
            assert_eq!(
                ran.exit,
                Exit::Success,
                "{}: {}",
                path.display(),
                ran.stderr
            );
        }
    }
}

#[test]
fn examples_of_the_book_are_valid() {
    for path in chapters() {
        let chapter = fs::read_to_string(&path).expect("a chapter");
        for block in blocks(&chapter)
            .iter()
            .filter(|block| block.language == "yaml")
        {
            if block.text.starts_with("turns:") {
                let played = fs::read_to_string(checkout("docs/book/example/turns.yaml"))
                    .expect("the conversation");
                assert_eq!(block.text, played, "{}", path.display());
                continue;
            }
            let env = TestEnv::new();
            // A part of a front matter is one with a name and a description before it.
            let named = block
                .text
                .lines()
                .find_map(|line| line.strip_prefix("name: "));
            let (name, before) = match named {
                Some(name) => (name, ""),
                None => (
                    "part",
                    "name: part\ndescription: Shows a field. Use it in a book.\n",
                ),
            };
            env.file(
                &format!("skills/{name}/SKILL.md"),
                format!("---\n{before}{}---\nBody.\n", block.text),
            );
            // The standard knows nothing of most fields that are shown alone.
            let strictly = named.map(|_| "--strict");
            let arguments: Vec<_> = ["check", "skills"].into_iter().chain(strictly).collect();
            let ran = env.run(&arguments);
            assert_eq!(
                ran.exit,
                Exit::Success,
                "{}: {}",
                path.display(),
                ran.stdout
            );
        }
    }
}

#[test]
fn no_block_goes_unchecked() {
    let compiled = fs::read_to_string(checkout("crates/repertoire/src/book.rs"))
        .expect("the facade is in the checkout");
    for path in chapters() {
        let chapter = fs::read_to_string(&path).expect("a chapter");
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        for block in blocks(&chapter) {
            match block.language {
                "console" | "toml" | "yaml" => {}
                "rust" => assert!(
                    compiled.contains(&format!("{BOOK}/{name}")),
                    "{name} is not compiled"
                ),
                "sh" => {
                    let path = block
                        .text
                        .trim()
                        .strip_prefix("cargo install --path ")
                        .expect("how to install");
                    assert!(
                        checkout(path).join("Cargo.toml").is_file(),
                        "{name}: {path}"
                    );
                }
                other => panic!("{name}: nothing checks a block of `{other}`"),
            }
        }
    }
}

#[test]
fn the_summary_names_every_chapter() {
    let summary =
        fs::read_to_string(checkout(BOOK).join("SUMMARY.md")).expect("the book has a summary");
    for path in chapters() {
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("({name})")),
            "{name}"
        );
    }
    for link in summary
        .split('(')
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
    {
        assert!(checkout(BOOK).join(link).is_file(), "{link}");
    }
}
