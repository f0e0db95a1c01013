//! The catalog, as its reader sees it.

use std::ops::RangeInclusive;

use repertoire_engine::{Budget, Catalog, CatalogOptions, Fate, Totals};
use roxmltree::Document;

use super::command::{NOT_BUILT, no_panic};
use crate::cases::check::{CatalogWant, Counted, Tally, Want};
use crate::cases::verdict::Verdict;
use crate::cases::world::World;

pub(super) fn catalog(budget: Option<usize>, want: &CatalogWant, world: &World) -> Verdict {
    let options = options(budget);
    let catalog = Catalog::of(&world.snapshot(), &options);
    let text = catalog.text.as_str();
    world.print(text);
    match want {
        CatalogWant::Text(want) => Verdict::of(want.holds(&text.into()), format_args!("{want:?}"), text),
        CatalogWant::Count(part, count) => Verdict::same(count, &text.matches(part.as_str()).count()),
        CatalogWant::Xml => read(text).map_or_else(|verdict| verdict, |_| Verdict::Holds),
        CatalogWant::Order(names) => with_skills(text, |skills| {
            let found = skills.into_iter().map(|skill| skill.name).collect();
            Verdict::same(names, &found)
        }),
        CatalogWant::Description(name, want) => with_skills(text, |skills| description(name, want, &skills)),
        CatalogWant::AllNames(count) => with_skills(text, |skills| {
            let left_out = catalog.report.totals().left_out;
            Verdict::all([Verdict::same(count, &skills.len()), Verdict::same(&0, &left_out)])
        }),
        CatalogWant::WithinBudget => {
            let used = options.count(text);
            let limit = budget.unwrap_or(usize::MAX);
            Verdict::of(!text.is_empty() && used <= limit, format_args!("a text of at most {limit}"), used)
        }
        CatalogWant::NoCharacter(banned) => {
            let found: Vec<_> = text.chars().filter(|c| banned.contains(c)).collect();
            Verdict::of(found.is_empty(), format_args!("none of {banned:?}"), format_args!("{found:?}"))
        }
        CatalogWant::Report(tallies) => Verdict::all(tallies.iter().map(|row| tally(row, catalog.report.totals()))),
        CatalogWant::ReportNamesShortened => with_skills(text, |skills| names_shortened(&catalog, &skills, world)),
        CatalogWant::SameBytes(processes) => same_bytes(*processes, world),
    }
}

/// Compared with what it was before the step.
pub(super) fn unchanged(world: &World) -> Verdict {
    match world.catalog_before() {
        Some(before) => {
            let now = world.catalog();
            Verdict::of(before == now, before, now)
        }
        None => Verdict::fails("a step before it", "none"),
    }
}

pub(super) fn at_every_budget(budgets: RangeInclusive<usize>, world: &World) -> Verdict {
    // A text is UTF-8 by its type; what is left to see is that there is one, and that it keeps to its budget.
    Verdict::all(budgets.map(|budget| {
        let options = options(Some(budget));
        let catalog = Catalog::of(&world.snapshot(), &options);
        world.print(&catalog.text);
        let used = options.count(&catalog.text);
        Verdict::of(used <= budget, format_args!("at most {budget}"), used)
    }))
}

fn options(budget: Option<usize>) -> CatalogOptions {
    let options = CatalogOptions::default();
    match budget {
        Some(tokens) => options.budget(Budget::Tokens(tokens)),
        None => options,
    }
}

/// One skill of a catalog.
struct Told {
    name: String,
    description: String,
}

fn read(text: &str) -> Result<Document<'_>, Verdict> {
    Document::parse(text).map_err(|error| Verdict::fails("XML", format_args!("{error} in\n{text}")))
}

fn with_skills(text: &str, check: impl FnOnce(Vec<Told>) -> Verdict) -> Verdict {
    let document = match read(text) {
        Ok(document) => document,
        Err(verdict) => return verdict,
    };
    let skills = document.descendants().filter(|node| node.has_tag_name("skill"));
    let told = skills.map(|skill| {
        let text = |tag: &str| {
            let child = skill.children().find(|child| child.has_tag_name(tag));
            child.and_then(|child| child.text()).unwrap_or_default().to_owned()
        };
        Told { name: text("name"), description: text("description") }
    });
    check(told.collect())
}

fn description(name: &str, want: &Want, skills: &[Told]) -> Verdict {
    match skills.iter().find(|skill| skill.name == name) {
        Some(skill) => {
            Verdict::of(want.holds(&skill.description.as_str().into()), format_args!("{want:?}"), &skill.description)
        }
        None => Verdict::fails(format_args!("a skill `{name}`"), "none"),
    }
}

fn tally(row: &Tally, totals: Totals) -> Verdict {
    let shortened = totals.shortened + totals.name_only;
    let number = |counted: &Counted| match counted {
        Counted::Listed => totals.full + shortened,
        Counted::Shortened => shortened,
        Counted::Omitted => totals.left_out,
    };
    let sum: usize = row.counted.iter().map(number).sum();
    Verdict::of(row.allowed.contains(&sum), format_args!("{:?} in {:?}", row.counted, row.allowed), sum)
}

/// Whatever a reader finds shortened is in the report, in values and in words, with both lengths.
fn names_shortened(catalog: &Catalog, skills: &[Told], world: &World) -> Verdict {
    let snapshot = world.snapshot();
    let mut some = false;
    let verdicts = skills.iter().filter_map(|skill| {
        let whole = snapshot.get(&skill.name)?.item().description.chars().count();
        let told = skill.description.chars().count();
        (told < whole).then_some((skill, whole, told))
    });
    let verdict = Verdict::all(verdicts.map(|(skill, whole, told)| {
        some = true;
        let line = catalog.report.lines.iter().find(|line| line.id.as_str() == skill.name);
        let words = line.map(ToString::to_string).unwrap_or_default();
        let fate = if told == 0 { Fate::NameOnly } else { Fate::Shortened { to: told } };
        let right = line.is_some_and(|line| line.length == whole && line.fate == fate);
        let said = [&skill.name, &whole.to_string()].into_iter().all(|part| words.contains(part));
        Verdict::of(right && said, format_args!("`{}` from {whole} to {told}", skill.name), words)
    }));
    Verdict::all([verdict, Verdict::of(some, "something shortened", "nothing")])
}

fn same_bytes(processes: usize, world: &World) -> Verdict {
    let mut first: Option<Vec<u8>> = None;
    for _ in 0..processes {
        let ended = match world.command(&["catalog".to_owned()], None, None) {
            None => return Verdict::missing(NOT_BUILT),
            Some(Err(error)) => return Verdict::fails("a run", error),
            Some(Ok(ended)) => ended,
        };
        no_panic(&ended, world);
        if ended.code != 0 || ended.stdout.is_empty() {
            return Verdict::fails("a catalog", String::from_utf8_lossy(&ended.stderr));
        }
        let first = first.get_or_insert_with(|| ended.stdout.clone());
        if *first != ended.stdout {
            return Verdict::fails(String::from_utf8_lossy(first), String::from_utf8_lossy(&ended.stdout));
        }
    }
    Verdict::Holds
}
