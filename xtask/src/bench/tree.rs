//! Trees of skills on disk.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use repertoire::FsSource;
use repertoire::source::fs::FsOptions;

use super::random::Random;
use super::sample::{self, Expected};
use super::template::{Template, template};
use crate::Failure;

const SEED: u64 = 42;

/// The origin of the files of a tree.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// Made up, the same in every run.
    Templates,
    /// The `SKILL.md` files that the list of a corpus names, as often as needed, each under a name of its own.
    Corpus(PathBuf),
}

/// The layout of the folders of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A folder a skill, all in one.
    Flat,
    /// Skills below categories, with two more files each in folders of their own.
    Nested,
}

/// Returns a source of the folder `skills`, whatever its size.
pub(super) fn source(skills: &Path) -> Result<FsSource, Failure> {
    let options: FsOptions = serde_json::from_value(serde_json::json!({
        "roots": [skills],
        "limits": { "folders": 2_000_000, "entries": 2_000_000 },
    }))?;
    Ok(FsSource::from_options("tree", skills, options)?)
}

/// Lays down `count` skills in the new folder `tree`, and the list of what should be found.
pub(super) fn lay(tree: &Path, shape: Shape, count: usize, origin: &Origin) -> Result<(), Failure> {
    let skills = sample::skills(tree);
    fs::create_dir_all(&skills)?;
    let mut list = BufWriter::new(File::create(sample::expected(tree))?);
    let mut random = Random::new(SEED);
    let known = match origin {
        Origin::Templates => Vec::new(),
        Origin::Corpus(folder) => corpus(folder)?,
    };
    for number in 0..count {
        let (name, Template { text, expected }) = match origin {
            Origin::Templates => {
                let made = template(number, &mut random);
                (
                    made.expected
                        .as_ref()
                        .map_or_else(|| format!("nameless-{number}"), |skill| skill.name.clone()),
                    made,
                )
            }
            Origin::Corpus(_) => copy(&known[number % known.len()], number),
        };
        let folder = match shape {
            Shape::Flat => skills.join(&name),
            Shape::Nested => skills.join(format!(
                "category-{}/plugin-{}/skills/{name}",
                number % 10,
                number / 10 % 100
            )),
        };
        fs::create_dir_all(&folder)?;
        write(&folder.join("SKILL.md"), text.as_bytes())?;
        if shape == Shape::Nested {
            for companion in ["references/guide.md", "scripts/run.py"] {
                let path = folder.join(companion);
                fs::create_dir_all(path.parent().expect("a companion lies in a folder"))?;
                write(&path, b"Nothing to see.\n")?;
            }
        }
        if let Some(skill) = expected {
            writeln!(list, "{}", serde_json::to_string(&skill)?)?;
        }
    }
    list.flush()?;
    Ok(())
}

/// Writes a file that was last modified an hour ago, as most files were: what is younger than a few seconds has to
/// be read again, because its time does not show a second write.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.set_modified(SystemTime::now() - Duration::from_secs(3600))?;
    Ok(())
}

/// The text, name and description of every file of a corpus of which both are known.
fn corpus(folder: &Path) -> Result<Vec<(String, Expected)>, Failure> {
    #[derive(serde::Deserialize)]
    struct Line {
        path: String,
        frontmatter: Option<serde_json::Value>,
    }
    let mut known = Vec::new();
    for line in fs::read_to_string(folder.join("EXPECTED.jsonl"))?.lines() {
        let Line { path, frontmatter } = serde_json::from_str(line)?;
        let field = |key| Some(frontmatter.as_ref()?.get(key)?.as_str()?.to_owned());
        if let (Some(name), Some(description)) = (field("name"), field("description"))
            && let Ok(text) = fs::read_to_string(folder.join(path))
            && name_line(&text).is_some()
        {
            known.push((text, Expected { name, description }));
        }
    }
    if known.is_empty() {
        Err(format!("no usable file in `{}`", folder.display()).into())
    } else {
        Ok(known)
    }
}

/// A copy of a file under a name of its own.
fn copy((text, known): &(String, Expected), number: usize) -> (String, Template) {
    let name = format!("copy-{number}");
    let line = name_line(text).expect("files without such a line were left out");
    let text = format!("{}name: {name}{}", &text[..line.start], &text[line.end..]);
    let expected = Expected {
        name: name.clone(),
        description: known.description.clone(),
    };
    (
        name,
        Template {
            text,
            expected: Some(expected),
        },
    )
}

/// The first line that begins with `name:`, without its end.
fn name_line(text: &str) -> Option<std::ops::Range<usize>> {
    let start = if text.starts_with("name:") {
        0
    } else {
        text.find("\nname:")? + 1
    };
    let length = text[start..].find(['\r', '\n'])?;
    Some(start..start + length)
}
