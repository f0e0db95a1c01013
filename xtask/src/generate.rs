//! `cargo xtask gen [--check]`: the tables and files that code knows better than prose.

mod header;
mod schema;
mod screen;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use repertoire_core::{Code, Strictness};
use repertoire_profiles::AgentProfiles;

use crate::{Failure, command_line, workspace};

/// A generated part of a page, between `<!-- generated: NAME -->` and `<!-- end of NAME -->`.
struct Part {
    page: &'static str,
    name: &'static str,
    text: fn() -> Result<String, Failure>,
}

const PARTS: &[Part] = &[
    Part {
        page: "docs/diagnostics.md",
        name: "codes",
        text: codes,
    },
    Part {
        page: "README.md",
        name: "crates",
        text: crates,
    },
    Part {
        page: "docs/book/src/fields.md",
        name: "fields",
        text: crate::fields::table,
    },
    Part {
        page: "docs/agents.md",
        name: "agents",
        text: agents,
    },
];

/// Writes every generated part, and removes files that are no longer generated.
pub(crate) fn write() -> Result<(), Failure> {
    for (page, text) in stale()? {
        let path = workspace::root().join(&page);
        match text {
            Some(text) => {
                fs::create_dir_all(path.parent().expect("a page lies in a folder"))?;
                fs::write(path, text)?;
                eprintln!("wrote `{page}`");
            }
            None => {
                fs::remove_file(path)?;
                eprintln!("removed `{page}`");
            }
        }
    }
    Ok(())
}

/// Fails, naming the pages, if [`write()`] would change any.
pub(crate) fn check() -> Result<(), Failure> {
    let pages: Vec<_> = stale()?
        .into_keys()
        .map(|page| format!("`{page}`"))
        .collect();
    if pages.is_empty() {
        return Ok(());
    }
    Err(format!(
        "out of date: {}; `cargo xtask gen` writes what is missing",
        pages.join(", ")
    )
    .into())
}

/// Returns the pages that are out of date, with their new text, or `None` for pages to be removed.
fn stale() -> Result<BTreeMap<String, Option<String>>, Failure> {
    let mut stale = BTreeMap::new();
    for &Part { page, name, text } in PARTS {
        let path = workspace::root().join(page);
        let old = fs::read_to_string(&path)
            .map_err(|error| format!("`{page}` cannot be read: {error}"))?;
        let new = replace(&old, name, &text()?).ok_or_else(|| {
            format!(
                "`{page}` lacks the lines `<!-- generated: {name} -->` and `<!-- end of {name} -->`"
            )
        })?;
        if new != old {
            stale.insert(page.to_owned(), Some(new));
        }
    }
    for entry in fs::read_dir(workspace::root().join(schema::FOLDER))? {
        stale.insert(
            format!(
                "{}/{}",
                schema::FOLDER,
                entry?.file_name().to_string_lossy()
            ),
            None,
        );
    }
    stale.remove(schema::FOREIGN);
    let schemas = schema::files(&command_line::commands()?)?;
    let header = (header::PAGE.to_owned(), header::text()?);
    let screen = (screen::PAGE.to_owned(), screen::text()?);
    let others = [header, screen].into_iter().chain(crate::bench::pages()?);
    for (page, new) in schemas.into_iter().chain(others) {
        if fs::read_to_string(workspace::root().join(&page)).is_ok_and(|old| old == new) {
            stale.remove(&page);
        } else {
            stale.insert(page, Some(new));
        }
    }
    Ok(stale)
}

/// Returns `page` with `text` between the two marks of `name`, or `None` if a mark is missing.
fn replace(page: &str, name: &str, text: &str) -> Option<String> {
    let (open, close) = (
        format!("<!-- generated: {name} -->\n"),
        format!("<!-- end of {name} -->"),
    );
    let (before, rest) = page.split_once(&open)?;
    let (_, after) = rest.split_once(&close)?;
    Some(format!("{before}{open}{text}{close}{after}"))
}

fn codes() -> Result<String, Failure> {
    let mut table = String::from("| code | lenient | strict | meaning |\n|---|---|---|---|\n");
    for code in Code::ALL {
        let (lenient, strict) = (
            code.severity(Strictness::Lenient),
            code.severity(Strictness::Strict),
        );
        writeln!(
            table,
            "| `{code}` | {lenient} | {strict} | {} |",
            cell(code.about())
        )?;
    }
    Ok(table)
}

fn crates() -> Result<String, Failure> {
    let mut table = String::from("| crate | what it is |\n|---|---|\n");
    for package in workspace::packages()? {
        let Ok(path) = package
            .manifest_path
            .strip_prefix(workspace::root().join("crates"))
        else {
            continue;
        };
        let folder = path
            .parent()
            .expect("a manifest lies in a folder")
            .display();
        let about = package.description.unwrap_or_default();
        writeln!(
            table,
            "| [`{}`](crates/{folder}) | {} |",
            package.name,
            cell(&about)
        )?;
    }
    Ok(table)
}

/// Text as the inside of a table cell.
/// Returns one table for each agent, with the source of every fact.
fn agents() -> Result<String, Failure> {
    let mut text = String::new();
    for profile in AgentProfiles::built_in().iter() {
        writeln!(
            text,
            "## {}\n\n`{}`: {}.\n\n| what | value | source | date |\n|---|---|---|---|",
            profile.title(),
            profile.name(),
            profile.versions()
        )?;
        for fact in profile.facts() {
            let value = match fact.value.as_str() {
                "" => "none".to_owned(),
                value => format!("`{}`", cell(&value.replace('\n', " "))),
            };
            let source = cell(&fact.source);
            writeln!(
                text,
                "| {} | {value} | {source} | {} |",
                fact.key, fact.date
            )?;
        }
        text.push('\n');
    }
    Ok(text)
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_parts_are_fresh() {
        check().expect("`cargo xtask gen` was run");
    }

    #[test]
    fn only_text_between_the_marks_is_replaced() {
        let page = "# A\n<!-- generated: codes -->\nold\n<!-- end of codes -->\nB\n";
        let new = replace(page, "codes", "new\n").expect("both marks are there");
        assert_eq!(
            new,
            "# A\n<!-- generated: codes -->\nnew\n<!-- end of codes -->\nB\n"
        );
        assert_eq!(replace(&new, "codes", "new\n"), Some(new));
    }

    #[test]
    fn a_page_without_marks_has_no_place() {
        assert_eq!(replace("# A\n", "codes", "new\n"), None);
        assert_eq!(
            replace("<!-- generated: codes -->\n", "codes", "new\n"),
            None
        );
    }

    #[test]
    fn a_bar_does_not_end_a_cell() {
        assert_eq!(cell("a | b"), "a \\| b");
    }
}
