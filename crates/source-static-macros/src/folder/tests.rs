use std::fs;
use std::path::Path;

use repertoire_core::Source;
use repertoire_source_fs::FsSource;
use tempfile::TempDir;

use super::*;

const SKILL: &str = "---\ndescription: Is a skill.\n---\nBe one.\n";

/// A folder with these files.
fn tree(files: &[&str]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for file in files {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(
            path,
            if file.ends_with("SKILL.md") {
                SKILL
            } else {
                file
            },
        )
        .unwrap();
    }
    root
}

fn place(root: &TempDir) -> SourcePath {
    SourcePath::new(root.path().to_owned(), root.path())
}

/// Every skill in `root` and the paths of its resources.
fn found(root: &TempDir) -> Vec<(String, Vec<String>)> {
    let skills = skills(&place(root)).unwrap();
    let paths = |folder| {
        resources(folder)
            .unwrap()
            .into_iter()
            .map(|(path, _)| path)
            .collect()
    };
    skills
        .iter()
        .map(|folder| (folder.shown(), paths(folder)))
        .collect()
}

/// The same, as folders are read at run time.
async fn found_at_run_time(root: &TempDir) -> Vec<(String, Vec<String>)> {
    let source = FsSource::new("folder", root.path());
    let mut found = Vec::new();
    for row in source.list().await.unwrap().iter() {
        let folder = Path::new(row.item.location.as_deref().unwrap())
            .parent()
            .unwrap();
        let folder = folder
            .strip_prefix(root.path())
            .unwrap()
            .display()
            .to_string();
        let resources = source.resources(&row.item.id).await.unwrap();
        found.push((
            folder,
            resources
                .iter()
                .map(|resource| resource.path.to_string())
                .collect(),
        ));
    }
    found
}

#[track_caller]
fn error(root: &TempDir) -> String {
    let skills = skills(&place(root))
        .and_then(|folders| folders.iter().map(resources).collect::<Result<Vec<_>, _>>());
    skills.unwrap_err().to_string()
}

#[tokio::test]
async fn embedding_finds_the_same_files() {
    let mut files = vec![
        "README.md".to_owned(),
        "report/SKILL.md".into(),
        "report/b.txt".into(),
        "report/a/deep/er.txt".into(),
        "report/a.txt".into(),
        "report/.hidden".into(),
        "report/dist/script.js".into(),
        "report/examples/nested/SKILL.md".into(),
        "report-2/SKILL.md".into(),
        "data/table/SKILL.md".into(),
        "data/notes.md".into(),
        ".drafts/idea/SKILL.md".into(),
    ];
    for name in [".git", "node_modules", "__pycache__"] {
        files.push(format!("{name}/below/SKILL.md"));
        files.push(format!("report/{name}/file.txt"));
    }
    for name in ["target", "dist", "build", "coverage"] {
        files.push(format!("{name}/below/SKILL.md"));
        files.push(format!("as/{name}/SKILL.md"));
    }
    let root = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let expected = found_at_run_time(&root).await;
    assert_eq!(expected.len(), 7);
    assert_eq!(found(&root), expected);
}

#[cfg(unix)]
#[tokio::test]
async fn links_lead_where_they_lead_at_run_time() {
    use std::os::unix::fs::symlink;

    let root = tree(&["in/here/SKILL.md", "in/here/a/real.txt", "in/here/z.txt"]);
    let elsewhere = tree(&["there/SKILL.md"]);
    symlink(elsewhere.path().join("there"), root.path().join("there")).unwrap();
    symlink(root.path().join("in/here"), root.path().join("again")).unwrap();
    symlink(root.path(), root.path().join("in/round")).unwrap();
    symlink(root.path().parent().unwrap(), root.path().join("up")).unwrap();
    symlink("a/real.txt", root.path().join("in/here/link.txt")).unwrap();
    symlink("a", root.path().join("in/here/folder")).unwrap();
    let expected = found_at_run_time(&root).await;
    assert_eq!(expected.len(), 2);
    assert_eq!(found(&root), expected);
}

#[cfg(unix)]
#[test]
fn links_out_of_a_skill_are_refused() {
    let root = tree(&["a/SKILL.md", "secret.txt"]);
    let link = root.path().join("a/link.txt");
    std::os::unix::fs::symlink("../secret.txt", &link).unwrap();
    assert_eq!(
        error(&root),
        "a/link.txt: the link leads out of its skill\nhelp: put a copy in its place"
    );
    fs::remove_file(root.path().join("secret.txt")).unwrap();
    assert!(error(&root).starts_with("a/link.txt: cannot be read: "));
}

#[cfg(unix)]
#[test]
fn a_name_without_resource_path_is_refused() {
    let root = tree(&["a/SKILL.md", "a/b\\c.txt"]);
    assert_eq!(
        error(&root),
        "a/b\\c.txt: `b\\c.txt` is not a path inside a skill: it holds a backslash; separate folders with `/`\nhelp: \
         rename it"
    );
}

#[cfg(unix)]
#[test]
fn a_name_that_hides_characters_is_refused() {
    let root = tree(&["a/SKILL.md", "a/lead.md "]);
    assert_eq!(
        error(&root),
        "a/lead.md : its name has hidden characters or blanks at an edge\nhelp: rename it"
    );
}

#[test]
fn a_misspelled_file_is_refused() {
    let root = tree(&["a/skill.md"]);
    assert_eq!(
        error(&root),
        "a/skill.md: the file must be named `SKILL.md`\nhelp: rename it"
    );
}

#[test]
fn a_root_that_is_a_skill_is_alone() {
    let root = tree(&["SKILL.md", "other/SKILL.md"]);
    assert_eq!(
        found(&root),
        [(String::new(), vec!["other/SKILL.md".to_owned()])]
    );
}
