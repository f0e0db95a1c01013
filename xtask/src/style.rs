//! Limits on the figures of names, comments and files, as tests. `docs/style.md` explains each figure.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::{Item, UseTree, Visibility};

use crate::tidy::{is_test, rust_files, text};
use crate::workspace::root;

/// Words that begin a clause where a doc comment needs a verb or a noun.
const CLAUSES: [&str; 10] = [
    "What", "Who", "Whose", "Whether", "Where", "How", "Why", "Which", "As", "So",
];

/// Words that hide the actor or the verb of a comment.
const VAGUE: [&str; 8] = [
    "told",
    "tell",
    "tells",
    "whoever",
    "nobody",
    "somebody",
    "anew",
    "meanwhile",
];

#[test]
fn doc_comments_begin_with_verb_or_noun() {
    let comments: Vec<_> = code().into_iter().flat_map(doc_comments).collect();
    let found = comments
        .iter()
        .filter(|(_, comment)| CLAUSES.contains(&identifier(comment).as_str()));
    let found: Vec<_> = found.map(|(place, _)| place).collect();
    // Goal: 5 %.
    hold(
        "doc comments that begin with a clause, in %",
        percent(found.len(), comments.len()),
        5.0,
        &found,
    );
}

#[test]
fn comments_name_actor_and_verb() {
    let found: Vec<_> = lines()
        .filter(|(_, line)| line.starts_with("//"))
        .filter(|(_, line)| {
            line.split(|c: char| !c.is_alphanumeric())
                .any(|word| VAGUE.contains(&word.to_lowercase().as_str()))
        })
        .map(|(place, _)| place)
        .collect();
    // Goal: 15.
    hold(
        "comment lines with a vague word",
        found.len() as f64,
        15.0,
        &found,
    );
}

#[test]
fn closures_become_functions() {
    let is_closure = |line: &str| {
        let name = line
            .strip_prefix("let ")
            .and_then(|rest| rest.split_once(" = "));
        name.is_some_and(|(name, value)| {
            name.chars().all(|c| c.is_alphanumeric() || c == '_')
                && value.trim_start_matches("move ").starts_with('|')
        })
    };
    let code: Vec<_> = lines()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with("//"))
        .collect();
    let found: Vec<_> = code
        .iter()
        .filter(|(_, line)| is_closure(line))
        .map(|(place, _)| place)
        .collect();
    // Goal: 2.
    hold(
        "named closures, in 1,000 lines",
        1000.0 * found.len() as f64 / code.len() as f64,
        2.0,
        &found,
    );
}

#[test]
fn a_type_has_a_name_of_its_own() {
    let mut places = BTreeMap::<_, Vec<_>>::new();
    for (place, line) in lines() {
        let line = line
            .trim_start_matches("pub(crate) ")
            .trim_start_matches("pub(super) ")
            .trim_start_matches("pub ");
        let kinds = ["struct ", "enum ", "union ", "trait "];
        if let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) {
            places.entry(identifier(rest)).or_default().push(place);
        }
    }
    let all: usize = places.values().map(Vec::len).sum();
    let found: Vec<_> = places
        .into_iter()
        .filter(|(_, places)| places.len() > 1)
        .collect();
    let named: usize = found.iter().map(|(_, places)| places.len()).sum();
    let found: Vec<_> = found
        .iter()
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect();
    // Goal: 10 %.
    hold(
        "types that share a name, in %",
        percent(named, all),
        10.0,
        &found,
    );
}

#[test]
fn the_facade_reads_like_a_table_of_contents() {
    let found = root_items("repertoire");
    // Goal: 30.
    hold(
        "items at the root of the facade",
        found.len() as f64,
        30.0,
        &found,
    );
}

#[test]
fn a_function_fits_on_a_screen() {
    let functions: Vec<_> = code().iter().flat_map(|path| functions(path)).collect();
    let found: Vec<_> = functions
        .iter()
        .filter(|(_, lines)| *lines > 60)
        .map(|(place, _)| place)
        .collect();
    // Goal: 0.3 %.
    hold(
        "functions over 60 lines, in %",
        percent(found.len(), functions.len()),
        0.3,
        &found,
    );
}

#[test]
fn a_file_holds_a_concept() {
    let files = code();
    let found: Vec<_> = files
        .iter()
        .filter(|path| text(path).lines().count() < 50)
        .map(|path| inside(path))
        .collect();
    // Goal: 10 %.
    hold(
        "files under 50 lines, in %",
        percent(found.len(), files.len()),
        10.0,
        &found,
    );
}

#[test]
fn a_test_name_says_one_thing() {
    let names: Vec<_> = rust_files().iter().flat_map(|path| tests(path)).collect();
    let is_long = |name: &str| words(name).len() > 8;
    let is_vague = |name: &str| words(name).iter().any(|word| VAGUE.contains(word));
    let found: Vec<_> = names
        .iter()
        .filter(|(_, name)| is_long(name) || is_vague(name))
        .map(|(place, name)| format!("{place}: {name}"))
        .collect();
    // Goal: 0.
    hold(
        "test names over eight words or with a vague word",
        found.len() as f64,
        0.0,
        &found,
    );
}

#[test]
fn leading_case_numbers_are_not_words() {
    let check = |name, expected: &[&str]| assert_eq!(words(name), expected, "{name}");
    check(
        "m11_m22_an_error_lists_roles",
        &["an", "error", "lists", "roles"],
    );
    check("a_3_names_resolve", &["names", "resolve"]);
    check("case_10_commands_fail", &["commands", "fail"]);
    check("a_name_ends", &["a", "name", "ends"]);
}

#[test]
fn retired_identifiers_stay_retired() {
    let list = include_str!("../retired.txt");
    let retired: HashMap<_, _> = list
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(char::is_whitespace))
        .collect();
    let mut found = Vec::new();
    for path in rust_files() {
        let tokens: TokenStream = text(&path)
            .parse()
            .expect("Rust files of the checkout can be read");
        let mut identifiers = identifiers(tokens);
        identifiers.push(
            path.file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
        );
        identifiers.sort();
        identifiers.dedup();
        for old in identifiers {
            if let Some(new) = retired.get(old.as_str()) {
                found.push(format!("{}: `{old}` is now {}", inside(&path), new.trim()));
            }
        }
    }
    assert!(
        found.is_empty(),
        "retired identifiers:\n{}",
        found.join("\n")
    );
}

/// Fails with the places if `figure` exceeds `limit`. A limit is never raised.
#[track_caller]
pub(crate) fn hold(what: &str, figure: f64, limit: f64, places: &[impl Display]) {
    eprintln!("{what}: {figure:.2}, limit {limit}");
    let places: Vec<_> = places.iter().map(ToString::to_string).collect();
    assert!(
        figure <= limit,
        "{what}: {figure:.2}, limit {limit}\n{}",
        places.join("\n")
    );
}

fn percent(part: usize, of: usize) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

/// Returns the Rust files of `crates` without tests, benches and examples.
pub(crate) fn code() -> Vec<PathBuf> {
    let is_code = |path: &PathBuf| path.starts_with(root().join("crates")) && !is_test(path);
    let is_example = |path: &PathBuf| path.iter().any(|part| part == "examples");
    rust_files()
        .into_iter()
        .filter(|path| is_code(path) && !is_example(path))
        .collect()
}

pub(crate) fn inside(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Returns every line of the code without indentation, with its place.
fn lines() -> impl Iterator<Item = (String, String)> {
    code().into_iter().flat_map(|path| {
        let name = inside(&path);
        let text = text(&path);
        let lines: Vec<_> = text.lines().map(|line| line.trim().to_owned()).collect();
        lines
            .into_iter()
            .enumerate()
            .map(move |(at, line)| (format!("{name}:{}", at + 1), line))
    })
}

/// Returns the first line of every doc comment of `path`, with its place.
fn doc_comments(path: PathBuf) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut is_inside = false;
    for (at, line) in text(&path).lines().enumerate() {
        let comment = line
            .trim()
            .strip_prefix("///")
            .or_else(|| line.trim().strip_prefix("//!"));
        if let (Some(comment), false) = (comment, is_inside) {
            found.push((
                format!("{}:{}: {}", inside(&path), at + 1, line.trim()),
                comment.trim().to_owned(),
            ));
        }
        is_inside = comment.is_some();
    }
    found
}

/// Returns every function of `path`, with its number of lines.
///
/// rustfmt puts the end of a function below the first character of its first line.
fn functions(path: &Path) -> Vec<(String, usize)> {
    let text = text(path);
    let lines: Vec<_> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let declared = line.trim_start();
        if declared.starts_with("//")
            || !format!(" {declared}").contains(" fn ")
            || declared.contains('"')
        {
            continue;
        }
        let indent = line.len() - declared.len();
        let ends = |line: &&str| {
            line.len() - line.trim_start().len() == indent && line.ends_with(['}', ';'])
        };
        let length = lines[at..].iter().position(ends).unwrap_or(0) + 1;
        found.push((
            format!("{}:{}, {length} lines", inside(path), at + 1),
            length,
        ));
    }
    found
}

/// Returns the name of every test of `path`, with its place.
fn tests(path: &Path) -> Vec<(String, String)> {
    let text = text(path);
    let mut found = Vec::new();
    let mut is_test = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let (Some((_, name)), true) = (format!(" {line}").split_once(" fn "), is_test) {
            found.push((format!("{}:{}", inside(path), at + 1), identifier(name)));
            is_test = false;
        }
    }
    found
}

/// Returns the words of a test name without the numbers of cases that it begins with: `m11_m22`, `a_3`, `case_10`.
fn words(name: &str) -> Vec<&str> {
    let has_digit = |word: &&str| word.ends_with(|c: char| c.is_ascii_digit());
    let words: Vec<_> = name.split('_').collect();
    let lead = if words.get(1).is_some_and(has_digit) && !has_digit(&words[0]) {
        2
    } else {
        words.iter().take_while(|word| has_digit(word)).count()
    };
    words[lead..].to_vec()
}

fn identifier(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

fn identifiers(tokens: TokenStream) -> Vec<String> {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Ident(identifier) => vec![identifier.to_string()],
            TokenTree::Group(group) => identifiers(group.stream()),
            _ => Vec::new(),
        })
        .collect()
}

/// Returns the public items at the root of a crate of the workspace; a glob of another crate counts as all of its items.
fn root_items(package: &str) -> Vec<String> {
    let folder = package.trim_start_matches("repertoire_").replace('_', "-");
    let file = syn::parse_file(&text(
        &root().join("crates").join(folder).join("src/lib.rs"),
    ))
    .expect("a crate is Rust");
    let public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
    let mut found = Vec::new();
    for item in file.items {
        let name = match item {
            Item::Use(item) if public(&item.vis) => {
                used(&item.tree, "", &mut found);
                continue;
            }
            Item::Mod(item) if public(&item.vis) => item.ident,
            Item::Fn(item) if public(&item.vis) => item.sig.ident,
            Item::Struct(item) if public(&item.vis) => item.ident,
            Item::Enum(item) if public(&item.vis) => item.ident,
            Item::Trait(item) if public(&item.vis) => item.ident,
            Item::Type(item) if public(&item.vis) => item.ident,
            Item::Const(item) if public(&item.vis) => item.ident,
            _ => continue,
        };
        found.push(name.to_string());
    }
    found
}

/// Adds the names that a `pub use` brings.
fn used(tree: &UseTree, parent: &str, found: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => used(&path.tree, &path.ident.to_string(), found),
        UseTree::Name(name) => found.push(name.ident.to_string()),
        UseTree::Rename(rename) => found.push(rename.rename.to_string()),
        UseTree::Glob(_) if parent.starts_with("repertoire") => found.extend(root_items(parent)),
        UseTree::Glob(_) => found.push(format!("{parent}::*")),
        UseTree::Group(group) => group
            .items
            .iter()
            .for_each(|tree| used(tree, parent, found)),
    }
}
