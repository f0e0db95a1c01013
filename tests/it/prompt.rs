//! From folders to the text a model reads.

use repertoire::skill::DecidedBy;
use repertoire::{
    Budget, Catalog, CatalogOptions, FsSource, Model, Mount, SkillRegistry, SurfaceMode, Trust,
};

use crate::tree::Tree;

async fn registry(tree: &Tree) -> SkillRegistry {
    tree.skill("home", "beta", "Counts <things> & more.", "Count.");
    tree.skill("home", "alpha", "First of all.", "Begin.");
    tree.write(
        "home/by-hand/SKILL.md",
        "---\nname: by-hand\ndescription: For people.\ndisable-model-invocation: yes\nsurface: system-prompt\n---\nBy hand.\n",
    );
    tree.skill("project", "stranger", "Not admitted.", "No.");
    SkillRegistry::builder()
        .user(FsSource::new("home", tree.path().join("home")))
        .mount(
            Mount::user(FsSource::new("project", tree.path().join("project")))
                .trust(Trust::Pending),
        )
        .load()
        .await
        .unwrap()
}

#[tokio::test]
async fn the_catalog_escapes_the_visible_skills() {
    let tree = Tree::new();
    let registry = registry(&tree).await;
    let catalog = Catalog::new(&registry.snapshot(), &CatalogOptions::default());
    assert!(
        catalog.text.contains("Counts &lt;things&gt; &amp; more."),
        "{}",
        catalog.text
    );
    let place = |name: &str| catalog.text.find(name);
    assert!(place("alpha") < place("beta"), "by name inside a tier");
    assert_eq!((place("by-hand"), place("stranger")), (None, None));
}

#[tokio::test]
async fn equal_folders_give_equal_catalogs() {
    let tree = Tree::new();
    let first = Catalog::new(
        &registry(&tree).await.snapshot(),
        &CatalogOptions::default(),
    );
    let again = Catalog::new(
        &registry(&tree).await.snapshot(),
        &CatalogOptions::default(),
    );
    assert_eq!(first.text, again.text);
}

#[tokio::test]
async fn a_budget_is_kept_and_reported() {
    let tree = Tree::new();
    let registry = registry(&tree).await;
    for budget in 0..200 {
        let catalog = Catalog::new(
            &registry.snapshot(),
            &CatalogOptions::default().budget(Budget::Tokens(budget)),
        );
        assert!(catalog.report.used <= budget, "{budget}");
        assert_eq!(
            catalog.report.lines().len(),
            2,
            "every skill that a model may use is accounted for"
        );
    }
}

#[tokio::test]
async fn file_or_model_decides_the_surface() {
    let tree = Tree::new();
    let registry = registry(&tree).await;
    let surface = |name: &str, model: &str| {
        registry.surface_of(registry.get(name).unwrap().item(), &Model::from(model))
    };
    let declared = surface("by-hand", "anthropic/claude-sonnet-4-5");
    assert_eq!(
        (declared.mode, declared.decided_by),
        (SurfaceMode::SystemPrompt, DecidedBy::Skill)
    );
    let claude = surface("alpha", "anthropic/claude-sonnet-4-5");
    assert_eq!(
        (claude.mode, claude.decided_by.to_string()),
        (SurfaceMode::Both, "rule claude-3.5-or-later".to_owned())
    );
    let other = surface("alpha", "openai/gpt-4o");
    assert_eq!(
        (other.mode, other.decided_by),
        (SurfaceMode::ToolOnly, DecidedBy::Fallback)
    );
}
