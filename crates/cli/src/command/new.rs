//! `repertoire new`.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use clap::Args;
use repertoire::skill_md::{self, Limits, Site};
use repertoire::{Id, Strictness};
use serde::Serialize;
use serde_json::Value;

use super::SKILLS;
use crate::Stream;
use crate::answer::{Answer, json};
use crate::failure::Failure;
use crate::session::near;
use crate::shown::shown;

/// Write the beginning of a skill, and print where it is.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// What to call it: lower-case letters, digits and hyphens.
    name: String,
    /// The folder for the skill's own folder.
    #[arg(long = "in", value_name = "DIR", default_value = SKILLS)]
    folder: PathBuf,
    /// What it does and when to use it.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
}

/// The skill that was begun.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Begun {
    id: Id,
    path: String,
}

impl New {
    pub(crate) fn answer(&self, cwd: &Path) -> Result<impl Answer + use<>, Failure> {
        let id = Id::new(&self.name).map_err(|error| Failure::of(&error))?;
        let faults: Vec<_> = id.faults().iter().map(ToString::to_string).collect();
        if !faults.is_empty() {
            return Err(Failure::new(format!(
                "`{}` is no name for a skill: it {}",
                self.name,
                faults.join(", and it ")
            )));
        }
        let text = self.text(&id)?;
        let parent = cwd.join(&self.folder);
        let folder = parent.join(id.as_str());
        let path = folder.join("SKILL.md");
        let shown = near(&path.to_string_lossy(), cwd).to_owned();
        let failure = |error| Failure::io(format!("cannot write `{shown}`"), &error);
        let parent = self.parent(cwd, &parent).map_err(|error| match error.kind() {
            ErrorKind::PermissionDenied if self.is_usual() => {
                failure(error).help("if it is a link to another folder, name that with `--in DIR`")
            }
            _ => failure(error),
        })?;
        parent.create_dir(id.as_str()).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => {
                Failure::new(format!("`{}` is there already", near(&folder.to_string_lossy(), cwd)))
                    .help("`new` writes over nothing")
            }
            _ => failure(error),
        })?;
        let fresh = |folder: Dir| folder.open_with("SKILL.md", OpenOptions::new().write(true).create_new(true));
        let written = parent.open_dir(id.as_str()).and_then(fresh).and_then(|mut file| file.write_all(&text));
        written.map_err(failure)?;
        Ok(Begun { id, path: shown })
    }

    /// Whether the folder is the one that this command names itself.
    fn is_usual(&self) -> bool {
        self.folder == Path::new(SKILLS)
    }

    /// Opens the folder for the skill's own, and makes it where it is missing. A folder that the user did not name is
    /// found without links that lead out of `cwd`.
    fn parent(&self, cwd: &Path, parent: &Path) -> io::Result<Dir> {
        if self.is_usual() {
            let cwd = Dir::open_ambient_dir(cwd, ambient_authority())?;
            return cwd.open_dir(&self.folder).or_else(|error| match error.kind() {
                ErrorKind::NotFound => cwd.create_dir_all(&self.folder).and_then(|()| cwd.open_dir(&self.folder)),
                _ => Err(error),
            });
        }
        fs::create_dir_all(parent)?;
        Dir::open_ambient_dir(parent, ambient_authority())
    }

    /// The file: nothing in it for a strict check to find.
    fn text(&self, id: &Id) -> Result<Vec<u8>, Failure> {
        let description = match &self.description {
            Some(text) => text.clone(),
            None => format!("Describe what {id} does, and when to use it."),
        };
        let text = format!(
            "---\nname: {}\ndescription: {}\n---\n\n# {}\n\n1. Describe the first step.\n",
            // JSON is YAML; formatting takes the quotes away that say nothing.
            Value::from(id.as_str()),
            Value::from(description),
            title(id.as_str()),
        );
        let site = Site::new("SKILL.md").in_directory(id.as_str());
        let formatted = skill_md::format(text.as_bytes(), site);
        let text = formatted.text.map(|text| text.into_owned()).unwrap_or_default();
        let strict = skill_md::parse_with(&text, site, &Limits::default(), Strictness::Strict);
        match formatted.diagnostics.into_iter().chain(strict.diagnostics).next() {
            None => Ok(text),
            Some(finding) => Err(Failure::new(format!("the skill would not be valid: {}", finding.message))),
        }
    }
}

/// `tidy-up` as a heading: `Tidy up`.
fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut characters = words.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

impl Answer for Begun {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        writeln!(out, "{}", shown(&self.path))
    }
}
