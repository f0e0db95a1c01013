//! No link inside the book is dead: mdBook does not look.

use std::collections::BTreeMap;
use std::fs;

use crate::book::chapters;

/// The chapters by name, each with the pages that it includes.
type Book = BTreeMap<String, String>;

#[test]
fn every_link_inside_the_book_leads_somewhere() {
    let text = |path: std::path::PathBuf| {
        let read = |path| fs::read_to_string(path).expect("a page of the checkout");
        let mut text = read(path.clone());
        while let Some((before, rest)) = text.split_once("{{#include ") {
            let (page, after) = rest.split_once("}}").expect("an include ends");
            text = format!("{before}{}{after}", read(path.with_file_name(page)));
        }
        (
            path.file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned(),
            text,
        )
    };
    let chapters = chapters();
    let pictures = ["", "pictures/"].into_iter().flat_map(|folder| {
        let files = fs::read_dir(chapters[0].with_file_name(folder));
        let names = files.expect("a folder of the book").map(move |file| {
            let name = file.expect("a file").file_name();
            format!("{folder}{}", name.display())
        });
        names.filter(move |name| name.ends_with(".svg") || !folder.is_empty())
    });
    let pictures: Vec<_> = pictures.map(|name| (name, String::new())).collect();
    let book: Book = chapters.into_iter().map(text).chain(pictures).collect();
    assert_eq!(dead(&book), Vec::<String>::new());
}

#[test]
fn a_dead_link_is_found() {
    let page = |text: &str| text.to_owned();
    let book = Book::from([
        (
            page("a.md"),
            page(
                "# One\n\n[b](b.md) [b](b.md#two-of-it) [own](#one) [far](https://example.org/x.md)\n`[c](c.md)`\n",
            ),
        ),
        (
            page("b.md"),
            page(
                "## `Two` of it!\n\n[a](a.md#two) [c](../c.md)\n\n```rust\na[0](c.md)\n```\n[d]: d.md\n",
            ),
        ),
    ]);
    assert_eq!(
        dead(&book),
        ["b.md: a.md#two", "b.md: ../c.md", "b.md: d.md"]
    );
}

/// The links that lead to no page of the book, or to no heading of it.
fn dead(book: &Book) -> Vec<String> {
    let leads_somewhere = |name: &str, link: &str| {
        let (page, heading) = link.split_once('#').unwrap_or((link, ""));
        let page = book.get(if page.is_empty() { name } else { page });
        page.is_some_and(|text| heading.is_empty() || headings(text).any(|found| found == heading))
    };
    let mut dead = Vec::new();
    for (name, text) in book {
        let inside = links(text)
            .into_iter()
            .filter(|link| !link.contains("://") && !leads_somewhere(name, link));
        dead.extend(inside.map(|link| format!("{name}: {link}")));
    }
    dead
}

/// Returns the texts after `](`, and after `]: ` at the beginning of a line.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        // Every other part of a line is code.
        let words: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        links.extend(
            words
                .split("](")
                .skip(1)
                .filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())),
        );
        let named = words
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("]: "));
        links.extend(named.map(|(_, link)| link.trim().to_owned()));
    }
    links
}

/// The anchors of the headings, as mdBook makes them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let titles = prose(text)
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim());
    titles.map(|title| {
        let kept = title
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| {
            if c == ' ' {
                '-'
            } else {
                c.to_ascii_lowercase()
            }
        })
        .collect()
    })
}

/// The lines outside of fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}
