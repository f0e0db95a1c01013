//! Limits on the references between the files of a crate, as tests. `docs/style.md` explains each figure.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item, Type, UseTree, Visibility};

use crate::style::{code, hold, inside};
use crate::tidy::text;

/// The path of a module in its crate, without `crate`.
type ModulePath = Vec<String>;

#[test]
fn files_refer_in_one_direction() {
    let found: Vec<_> = crates()
        .iter()
        .flat_map(|(name, files)| {
            let graph = references(files);
            circles(&graph)
                .into_iter()
                .map(move |circle| format!("{name}: {}", circle.join(", ")))
        })
        .collect();
    hold(
        "circles between the files of a crate",
        found.len() as f64,
        3.0,
        &found,
    );
}

#[test]
fn a_type_has_methods_in_four_files() {
    let mut found = Vec::new();
    for (name, files) in crates() {
        let mut places = BTreeMap::<_, BTreeSet<_>>::new();
        for (module, file) in &files {
            for typed in inherent(&file.items) {
                places.entry(typed).or_default().insert(module.join("::"));
            }
        }
        found.extend(
            places
                .into_iter()
                .map(|(typed, files)| (files.len(), format!("{name}: {typed} {files:?}"))),
        );
    }
    found.sort();
    let most = found.last().map_or(0, |(files, _)| *files);
    hold(
        "files with inherent methods of one type",
        most as f64,
        4.0,
        &found
            .iter()
            .filter(|(files, _)| *files > 4)
            .map(|(_, place)| place)
            .collect::<Vec<_>>(),
    );
}

/// The items of one file, without tests.
struct SourceFile {
    items: Vec<Item>,
    /// The names that `use` brings, each with its path.
    imports: BTreeMap<String, Vec<String>>,
}

/// Returns the files of every crate by module.
fn crates() -> BTreeMap<String, BTreeMap<ModulePath, SourceFile>> {
    let mut crates = BTreeMap::<_, BTreeMap<_, _>>::new();
    for path in code() {
        let name = inside(&path);
        let Some((folder, below)) = name.split_once("/src/") else {
            continue;
        };
        let file = syn::parse_file(&text(&path)).expect("a file of the checkout is Rust");
        let mut items = file.items;
        items.retain(|item| !is_test(attributes(item)));
        let mut imports = Vec::new();
        for item in &items {
            if let Item::Use(item) = item {
                named(&item.tree, &mut Vec::new(), &mut imports);
            }
        }
        let imports = imports.into_iter().collect();
        crates
            .entry(folder.to_owned())
            .or_default()
            .insert(module(below), SourceFile { items, imports });
    }
    crates
}

fn module(file: &str) -> ModulePath {
    let mut path: Vec<_> = Path::new(file.trim_end_matches(".rs"))
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    if path == ["lib"] || path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    path
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        _ => &[],
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let condition = attribute.meta.to_token_stream().to_string();
        condition == "cfg (test)" || condition.starts_with("cfg (all (test")
    })
}

/// Adds the names that a `use` brings, each with its path.
fn named(tree: &UseTree, path: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    match tree {
        UseTree::Path(inner) => {
            path.push(inner.ident.to_string());
            named(&inner.tree, path, found);
            path.pop();
        }
        UseTree::Name(name) => {
            let mut whole = path.clone();
            if name.ident != "self" {
                whole.push(name.ident.to_string());
            }
            found.push((whole.last().cloned().unwrap_or_default(), whole));
        }
        UseTree::Rename(name) => {
            let whole = [path.clone(), vec![name.ident.to_string()]].concat();
            found.push((name.rename.to_string(), whole));
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                named(tree, path, found);
            }
        }
        UseTree::Glob(_) => {}
    }
}

/// Returns the files to which each file refers by `crate::` or `super::`. A re-export counts as the file that defines the item.
fn references(files: &BTreeMap<ModulePath, SourceFile>) -> BTreeMap<String, BTreeSet<String>> {
    let mut graph = BTreeMap::<_, BTreeSet<_>>::new();
    for (module, file) in files {
        let mut paths = Vec::new();
        for item in &file.items {
            match item {
                Item::Use(item) if !matches!(item.vis, Visibility::Inherited) => {}
                Item::Use(item) => {
                    let mut imports = Vec::new();
                    named(&item.tree, &mut Vec::new(), &mut imports);
                    paths.extend(imports.into_iter().map(|(_, path)| path));
                }
                item => written(item.to_token_stream(), &mut paths),
            }
        }
        let is_upward = |path: &Vec<String>| path[0] == "crate" || path[0] == "super";
        let others = paths
            .iter()
            .filter(|path| is_upward(path))
            .filter_map(|path| target(files, module, path, 0))
            .filter(|other| other != module);
        let others = others.map(|other| other.join("::")).collect();
        graph.insert(module.join("::"), others);
    }
    graph
}

/// Adds the paths with `::` in tokens that are not a `use`.
fn written(tokens: TokenStream, found: &mut Vec<Vec<String>>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            // The scope of a visibility is not a use.
            TokenTree::Ident(word) if word == "pub" => {
                at += usize::from(matches!(tokens.get(at + 1), Some(TokenTree::Group(_))));
            }
            TokenTree::Ident(word) => {
                let mut path = vec![word.to_string()];
                while let [
                    TokenTree::Punct(a),
                    TokenTree::Punct(b),
                    TokenTree::Ident(next),
                    ..,
                ] = &tokens[at + 1..]
                    && (a.as_char(), b.as_char()) == (':', ':')
                {
                    path.push(next.to_string());
                    at += 3;
                }
                found.push(path);
            }
            // `$crate` is a crate of the caller.
            TokenTree::Punct(sign) if sign.as_char() == '$' => at += 1,
            TokenTree::Group(group) => written(group.stream(), found),
            _ => {}
        }
        at += 1;
    }
}

/// Returns the module that defines what `path` names in `module`; `None` for an item of a different crate.
fn target(
    files: &BTreeMap<ModulePath, SourceFile>,
    module: &[String],
    path: &[String],
    depth: usize,
) -> Option<ModulePath> {
    let mut at = module.to_vec();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => (at, rest) = (Vec::new(), &path[1..]),
        "self" => rest = &path[1..],
        "super" => {}
        child => {
            let inner = [module, &[child.to_owned()]].concat();
            files.get(&inner)?;
        }
    }
    while rest.first().is_some_and(|part| part == "super") {
        at.pop()?;
        rest = &rest[1..];
    }
    while let Some(part) = rest.first() {
        at.push(part.clone());
        if !files.contains_key(&at) {
            at.pop();
            break;
        }
        rest = &rest[1..];
    }
    let import = rest
        .first()
        .and_then(|name| files.get(&at)?.imports.get(name));
    match import {
        Some(import) if depth < 8 => target(files, &at, import, depth + 1),
        _ => Some(at),
    }
}

/// Returns the sets of two or more files that refer to each other, directly or through others.
fn circles(graph: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = graph
        .keys()
        .map(|start| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
            while let Some(file) = open.pop() {
                open.extend(graph[file].iter().filter(|next| seen.insert(*next)));
            }
            (start, seen)
        })
        .collect();
    let circle = |(file, others): (&&String, &BTreeSet<&String>)| {
        let mutual = others
            .iter()
            .filter(|other| reached[**other].contains(file));
        mutual.map(|other| (*other).clone()).collect::<Vec<_>>()
    };
    reached
        .iter()
        .map(circle)
        .filter(|circle| circle.len() > 1)
        .collect()
}

/// Returns the types with inherent methods among `items`.
fn inherent(items: &[Item]) -> Vec<String> {
    let types = items.iter().filter_map(|item| match item {
        Item::Impl(item) if item.trait_.is_none() => match &*item.self_ty {
            Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
            _ => None,
        },
        _ => None,
    });
    types.collect()
}
