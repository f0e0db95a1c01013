//! Budgets by recall.

use super::*;
use repertoire_search::ExpectedPrompt;

#[test]
fn descriptions_that_prompts_need_stay() {
    let about = |what: &str| {
        format!(
            "Handles {what}. {}",
            "It has many other uses, too. ".repeat(8)
        )
    };
    let skills = [
        skill("alpha", &about("invoices and receipts")),
        skill("beta", &about("flights and trains")),
        skill("gamma", &about("recipes and menus")),
    ];
    let snapshot = snapshot(skills);
    let options = CatalogOptions::default().budget(Budget::Tokens(75));
    let prompts = [
        ExpectedPrompt::new("recipes for dinner, and menus", "gamma"),
        ExpectedPrompt::new("menus of many recipes", "gamma"),
    ];
    let options = options.by_recall(&snapshot, &prompts);
    let catalog = Catalog::new(&snapshot, &options);
    assert!(
        catalog.text.contains("recipes and menus"),
        "{}",
        catalog.text
    );
    assert!(!catalog.text.contains("flights"), "{}", catalog.text);
    assert!(catalog.report.used <= 75);
    assert_eq!(catalog, Catalog::new(&snapshot, &options));
}

#[test]
fn chosen_skills_alone_are_listed() {
    let snapshot = snapshot([
        skill("alpha", "Sorts the files."),
        skill("beta", "Cuts films."),
    ]);
    let chosen = [("beta".parse().unwrap(), 0)].into();
    let options = CatalogOptions::default()
        .format(CatalogFormat::Bullets)
        .budget(Budget::Characters(200))
        .overflow(Overflow::Chosen(Arc::new(chosen)));
    let catalog = Catalog::new(&snapshot, &options);
    let outcomes: Vec<_> = catalog
        .report
        .lines()
        .iter()
        .map(|line| line.outcome)
        .collect();
    assert_eq!(outcomes, [LineOutcome::Omitted, LineOutcome::NameOnly]);
    assert!(catalog.text.starts_with("- beta\n"), "{}", catalog.text);
}
