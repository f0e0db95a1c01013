//! Reading is harmless.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use repertoire::{Catalog, CatalogOptions, FsSource, SkillRegistry};

use crate::tree::Tree;

/// Every file below a folder with its content.
fn contents(folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            contents(&path, found);
        } else {
            found.insert(
                path.to_string_lossy().into_owned(),
                fs::read(&path).unwrap(),
            );
        }
    }
}

fn all(tree: &Tree) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    contents(tree.path(), &mut found);
    found
}

#[tokio::test]
async fn listing_and_reading_have_no_side_effects() {
    let tree = Tree::new();
    let ran = tree.path().join("ran");
    tree.write(
        "home/tempting/SKILL.md",
        &format!(
            "---\nname: tempting\ndescription: \"!`touch {0}`\"\nhooks:\n  start: touch {0}\n---\n!`touch {0}`\n",
            ran.display()
        ),
    );
    tree.write(
        "home/tempting/scripts/init.sh",
        &format!("touch {}\n", ran.display()),
    );
    tree.write("home/tempting/plugin.so", "not a library");
    tree.write("home/broken/SKILL.md", "no front matter");
    let before = all(&tree);

    let registry = SkillRegistry::builder()
        .user(FsSource::new("home", tree.path().join("home")))
        .load()
        .await
        .unwrap();
    let entry = registry.get("tempting").unwrap();
    let body = registry.body(&entry.candidate).await.unwrap();
    assert_eq!(
        body.text.as_ref(),
        format!("!`touch {}`\n", ran.display()),
        "text is data"
    );
    assert_eq!(registry.resources(&entry.candidate).await.unwrap().len(), 2);
    Catalog::new(&registry.snapshot(), &CatalogOptions::default());
    registry.refresh().await.unwrap();

    assert_eq!(all(&tree), before);
}
