//! Limits on the number of public items of each library crate, counted in the JSON that rustdoc writes.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::Value;

use crate::workspace::{self, root};
use crate::{lint, step};

/// The most public items of each crate: types, functions, public fields, variants, methods and items of traits.
///
/// The first twelve may have 1,500 together, each later crate 150.
const LIMITS: [(&str, usize); 22] = [
    ("repertoire-core", 377),
    ("repertoire-registry", 227),
    ("repertoire-engine", 372),
    ("repertoire-render", 151),
    ("repertoire-source-fs", 65),
    ("repertoire-source-static", 24),
    ("repertoire-source-mcp", 37),
    ("repertoire-source-plugin", 48),
    ("repertoire-plugin-sdk", 84),
    ("repertoire-testkit", 25),
    ("repertoire-mcp", 63),
    ("repertoire-cli", 27),
    ("repertoire-profiles", 150),
    ("repertoire-gateway", 150),
    ("repertoire-permission", 107),
    ("repertoire-search", 116),
    ("repertoire-agents", 150),
    ("repertoire-agent-runtime", 150),
    ("repertoire-config", 105),
    ("repertoire-mcp-servers", 135),
    ("repertoire-install", 150),
    ("repertoire-source-remote", 150),
];

/// The crates that share a limit of 1,500.
const FIRST: usize = 12;

/// The public items of one crate.
#[derive(Debug, Default, PartialEq, Eq)]
struct PublicItems {
    /// The names that a user can import, with their modules.
    top_level: Vec<String>,
    /// Those, and their fields, variants, methods and trait items.
    all: Vec<String>,
    /// The enums, and structs with public fields, that are not `#[non_exhaustive]`.
    closed: Vec<String>,
}

impl PublicItems {
    /// Counts the items of `package` with all its features.
    fn of(package: &str) -> Self {
        let json = rustdoc_json(package);
        let mut walk = Walk {
            index: &json["index"],
            seen: HashSet::new(),
            found: Self::default(),
        };
        walk.module(&json["root"], "");
        walk.found
    }
}

/// The folder of the documentation. cargo writes what has changed.
static DOCUMENTATION: LazyLock<PathBuf> = LazyLock::new(|| {
    step::run(lint::DOCUMENTATION).expect("the documentation has no warning");
    let target = workspace::target().expect("cargo metadata works in tests");
    target.join("doc")
});

fn rustdoc_json(package: &str) -> Value {
    let file = DOCUMENTATION.join(format!("{}.json", package.replace('-', "_")));
    let text = std::fs::read_to_string(&file).expect("rustdoc wrote its file");
    serde_json::from_str(&text).expect("rustdoc writes JSON")
}

struct Walk<'a> {
    index: &'a Value,
    seen: HashSet<String>,
    found: PublicItems,
}

impl<'a> Walk<'a> {
    fn module(&mut self, id: &Value, path: &str) {
        for child in ids(&self.item(id)["inner"]["module"]["items"]) {
            self.visit(child, path);
        }
    }

    fn visit(&mut self, id: &'a Value, path: &str) {
        let item = self.item(id);
        if item["visibility"] != "public" || is_hidden(item) || !self.seen.insert(id.to_string()) {
            return;
        }
        let (kind, inner) = inner(item);
        match kind {
            "module" => self.module(id, &format!("{path}{}::", name(item))),
            "use" => self.import(inner, path),
            _ => self.add(item, path),
        }
    }

    fn import(&mut self, import: &'a Value, path: &str) {
        let target = self.item(&import["id"]);
        if target.is_null() {
            // The item of a different crate: one name.
            self.push(format!("{path}{}", import["name"].as_str().unwrap_or("*")));
        } else if import["is_glob"] == true {
            self.module(&import["id"], path);
        } else {
            self.visit(&import["id"], path);
        }
    }

    fn push(&mut self, name: String) {
        self.found.top_level.push(name.clone());
        self.found.all.push(name);
    }

    fn add(&mut self, item: &'a Value, path: &str) {
        let owner = format!("{path}{}", name(item));
        self.push(owner.clone());
        let (kind, inner) = inner(item);
        let fields = [
            &inner["kind"]["plain"]["fields"],
            &inner["kind"]["tuple"],
            &inner["fields"],
        ];
        let fields = fields
            .into_iter()
            .flat_map(ids)
            .filter(|id| self.item(id)["visibility"] == "public");
        let fields: Vec<_> = fields.collect();
        let is_plain = kind == "enum" || kind == "struct" && !fields.is_empty();
        if is_plain && !item["attrs"].to_string().contains("non_exhaustive") {
            self.found.closed.push(name(item).to_owned());
        }
        let always = ids(&inner["variants"]).chain(ids(&inner["items"]));
        let methods = ids(&inner["impls"])
            .map(|id| &self.item(id)["inner"]["impl"])
            .filter(|block| block["trait"].is_null())
            .flat_map(|block| ids(&block["items"]))
            .filter(|id| self.item(id)["visibility"] == "public");
        let members: Vec<_> = fields
            .into_iter()
            .chain(always)
            .chain(methods)
            .map(|id| self.item(id))
            .collect();
        let members = members
            .into_iter()
            .filter(|member| !member.is_null() && !is_hidden(member));
        self.found
            .all
            .extend(members.map(|member| format!("{owner}::{}", name(member))));
    }

    fn item(&self, id: &Value) -> &'a Value {
        &self.index[id.to_string()]
    }
}

fn inner(item: &Value) -> (&str, &Value) {
    let inner = item["inner"]
        .as_object()
        .and_then(|inner| inner.iter().next());
    inner.map_or(("", &Value::Null), |(kind, inner)| (kind.as_str(), inner))
}

fn ids(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn name(item: &Value) -> &str {
    item["name"].as_str().unwrap_or_default()
}

fn is_hidden(item: &Value) -> bool {
    item["attrs"].to_string().contains("hidden")
}

mod slow {
    use super::*;

    #[test]
    fn public_items_stay_within_their_limits() {
        let counted = LIMITS.map(|(package, limit)| (package, limit, PublicItems::of(package)));
        for (package, limit, items) in &counted {
            eprintln!(
                "{package}: {} of at most {limit} public items",
                items.all.len()
            );
            assert!(
                items.all.len() <= *limit,
                "{package} has more than {limit}:\n{}",
                items.all.join("\n")
            );
        }
        let first = counted.iter().take(FIRST);
        let sum: usize = first.map(|(_, _, items)| items.all.len()).sum();
        eprintln!("the first {FIRST}: {sum} public items");
        assert!(sum <= 1_500, "{sum} public items");
    }

    #[test]
    fn closed_types_are_in_the_decision() {
        let page = root().join("docs/decisions/0036-errors-and-closed-types.md");
        let page = std::fs::read_to_string(page).expect("the decision is there");
        let rows = page.lines().filter(|line| line.starts_with("| `"));
        let listed: BTreeSet<String> = rows
            .filter_map(|row| row.split('|').nth(1))
            .flat_map(|types| types.split(','))
            .map(|name| name.trim().trim_matches('`').to_owned())
            .filter(|name| !["SourceError", "InvalidValue", "ConfigError"].contains(&name.as_str()))
            .collect();
        let closed = LIMITS.map(|(package, _)| PublicItems::of(package).closed);
        let closed: BTreeSet<String> = closed.into_iter().flatten().collect();
        assert_eq!(closed, listed);
    }

    #[test]
    fn the_engine_has_few_names() {
        let items = PublicItems::of("repertoire-engine");
        eprintln!("engine: {} names", items.top_level.len());
        assert!(
            items.top_level.len() <= 60,
            "{}",
            items.top_level.join("\n")
        );
    }
}
