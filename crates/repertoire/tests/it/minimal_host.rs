//! The example `minimal_host` follows its folders and admits a project.

use std::fs;
use std::path::Path;

use snapbox::{assert_data_eq, str};

#[path = "../../examples/minimal_host.rs"]
#[allow(dead_code, reason = "it has a `main` of its own")]
mod example;

fn write(root: &Path, name: &str, body: &str) {
    let folder = root.join(name);
    fs::create_dir_all(&folder).expect("a fresh folder");
    let text = format!("---\nname: {name}\ndescription: Does {name}.\n---\n{body}\n");
    fs::write(folder.join("SKILL.md"), text).expect("a fresh file");
}

async fn shown(registry: &repertoire::SkillRegistry) -> String {
    let mut out = Vec::new();
    example::show(registry, &mut out)
        .await
        .expect("every body can be read");
    String::from_utf8(out)
        .expect("it prints text")
        .lines()
        .filter(|line| line.contains(" bytes"))
        .fold(String::new(), |lines, line| lines + line + "\n")
}

#[tokio::test]
async fn the_example_follows_folders_and_admits_a_project() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (home, project) = (folder.path().join("home"), folder.path().join("project"));
    write(&home, "tidy", "Sort.");
    write(&project, "ship", "Ship.");
    let registry = example::compose(&home, &project)
        .await
        .expect("both folders can be read");
    let pending = str![[r#"
ship (pending, both): 6 bytes
tidy (trusted, both): 6 bytes

"#]];
    assert_data_eq!(shown(&registry).await, pending);

    example::admit(&registry)
        .await
        .expect("the project is there");
    write(&home, "plan", "Plan it.");
    let mut changes = registry.subscribe();
    while registry.get("plan").is_none() {
        changes.next().await.expect("the registry is open");
    }
    let admitted = str![[r#"
ship (trusted, both): 6 bytes
plan (trusted, both): 9 bytes
tidy (trusted, both): 6 bytes

"#]];
    assert_data_eq!(shown(&registry).await, admitted);
    registry.close().await;
}
