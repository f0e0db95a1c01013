//! The catalog.

use std::ops::RangeInclusive;

use repertoire_engine::catalog::{Budget, Catalog, CatalogOptions, LineOutcome, OutcomeTotals};
use roxmltree::Document;

use super::command::with_run;
use crate::cases::check::{CatalogWant, Counted, Tally, Want};
use crate::cases::test_env::TestEnv;
use crate::cases::verdict::Verdict;

pub(super) fn catalog(budget: Option<usize>, want: &CatalogWant, env: &TestEnv) -> Verdict {
    let options = options(budget);
    let catalog = Catalog::new(&env.snapshot(), &options);
    let text = catalog.text.as_str();
    env.print(text);
    match want {
        CatalogWant::Text(want) => want.check(text),
        CatalogWant::Count(part, count) => {
            Verdict::same(count, &text.matches(part.as_str()).count())
        }
        CatalogWant::Xml => read(text).map_or_else(|verdict| verdict, |_| Verdict::Holds),
        CatalogWant::Order(names) => with_skills(text, |skills| {
            let found = skills.into_iter().map(|skill| skill.name).collect();
            Verdict::same(names, &found)
        }),
        CatalogWant::Description(name, want) => {
            with_skills(text, |skills| description(name, want, &skills))
        }
        CatalogWant::AllNames(count) => with_skills(text, |skills| {
            let left_out = catalog.report.totals().left_out;
            Verdict::all([
                Verdict::same(count, &skills.len()),
                Verdict::same(&0, &left_out),
            ])
        }),
        CatalogWant::WithinBudget => {
            let used = options.count(text);
            let limit = budget.unwrap_or(usize::MAX);
            Verdict::of(
                !text.is_empty() && used <= limit,
                format_args!("a text of at most {limit}"),
                used,
            )
        }
        CatalogWant::NoCharacter(banned) => {
            let found: Vec<_> = text.chars().filter(|c| banned.contains(c)).collect();
            Verdict::of(
                found.is_empty(),
                format_args!("none of {banned:?}"),
                format_args!("{found:?}"),
            )
        }
        CatalogWant::Report(tallies) => Verdict::all(
            tallies
                .iter()
                .map(|row| tally(row, catalog.report.totals())),
        ),
        CatalogWant::ReportNamesShortened => {
            with_skills(text, |skills| names_shortened(&catalog, &skills, env))
        }
        CatalogWant::SameBytes(processes) => same_bytes(*processes, env),
    }
}

pub(super) fn unchanged(env: &TestEnv) -> Verdict {
    match env.catalog_before() {
        Some(before) => {
            let now = env.catalog();
            Verdict::of(before == now, before, now)
        }
        None => Verdict::fails("a step before it", "none"),
    }
}

pub(super) fn at_every_budget(budgets: RangeInclusive<usize>, env: &TestEnv) -> Verdict {
    // A `String` is UTF-8, so only the budget is checked.
    Verdict::all(budgets.map(|budget| {
        let options = options(Some(budget));
        let catalog = Catalog::new(&env.snapshot(), &options);
        env.print(&catalog.text);
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

/// A skill of a catalog.
struct CatalogSkill {
    name: String,
    description: String,
}

fn read(text: &str) -> Result<Document<'_>, Verdict> {
    Document::parse(text).map_err(|error| Verdict::fails("XML", format_args!("{error} in\n{text}")))
}

fn with_skills(text: &str, check: impl FnOnce(Vec<CatalogSkill>) -> Verdict) -> Verdict {
    let document = match read(text) {
        Ok(document) => document,
        Err(verdict) => return verdict,
    };
    let skills = document
        .descendants()
        .filter(|node| node.has_tag_name("skill"));
    let skills = skills.map(|skill| {
        let [name, description] = ["name", "description"].map(|tag| {
            let child = skill.children().find(|child| child.has_tag_name(tag));
            child
                .and_then(|child| child.text())
                .unwrap_or_default()
                .to_owned()
        });
        CatalogSkill { name, description }
    });
    check(skills.collect())
}

fn description(name: &str, want: &Want, skills: &[CatalogSkill]) -> Verdict {
    match skills.iter().find(|skill| skill.name == name) {
        Some(skill) => want.check(skill.description.as_str()),
        None => Verdict::fails(format_args!("a skill `{name}`"), "none"),
    }
}

fn tally(row: &Tally, totals: OutcomeTotals) -> Verdict {
    let shortened = totals.shortened + totals.name_only;
    let numbers = row.counted.iter().map(|counted| match counted {
        Counted::Listed => totals.full + shortened,
        Counted::Shortened => shortened,
        Counted::Omitted => totals.left_out,
    });
    let sum: usize = numbers.sum();
    Verdict::of(
        row.allowed.contains(&sum),
        format_args!("{:?} in {:?}", row.counted, row.allowed),
        sum,
    )
}

/// Checks that the report names every truncated skill with both lengths.
fn names_shortened(catalog: &Catalog, skills: &[CatalogSkill], env: &TestEnv) -> Verdict {
    let snapshot = env.snapshot();
    let mut some = false;
    let verdicts = skills.iter().filter_map(|skill| {
        let whole = snapshot
            .get(&skill.name)?
            .item()
            .description
            .chars()
            .count();
        let shown = skill.description.chars().count();
        (shown < whole).then_some((skill, whole, shown))
    });
    let verdict = Verdict::all(verdicts.map(|(skill, whole, shown)| {
        some = true;
        let line = catalog
            .report
            .lines()
            .iter()
            .find(|line| line.id.as_str() == skill.name);
        let words = line.map(ToString::to_string).unwrap_or_default();
        let outcome = if shown == 0 {
            LineOutcome::NameOnly
        } else {
            LineOutcome::Truncated { to: shown }
        };
        let right = line.is_some_and(|line| line.length == whole && line.outcome == outcome);
        let is_printed = [&skill.name, &whole.to_string()]
            .into_iter()
            .all(|part| words.contains(part));
        Verdict::of(
            right && is_printed,
            format_args!("`{}` from {whole} to {shown}", skill.name),
            words,
        )
    }));
    Verdict::all([verdict, Verdict::of(some, "something shortened", "nothing")])
}

fn same_bytes(processes: usize, env: &TestEnv) -> Verdict {
    let mut first: Option<Vec<u8>> = None;
    Verdict::all((0..processes).map(|_| {
        with_run(
            env.command(&["catalog".to_owned()], None, None),
            env,
            |ended| {
                if ended.code != 0 || ended.stdout.is_empty() {
                    return Verdict::fails("a catalog", String::from_utf8_lossy(&ended.stderr));
                }
                let first = first.get_or_insert_with(|| ended.stdout.clone());
                let [expected, found] =
                    [first.as_slice(), &ended.stdout].map(String::from_utf8_lossy);
                Verdict::of(expected == found, &expected, &found)
            },
        )
    }))
}
