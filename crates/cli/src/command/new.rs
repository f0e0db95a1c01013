//! `repertoire new`.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use clap::Args;
use repertoire::Id;
use repertoire::skill::Strictness;
use repertoire::skill::skill_md::{self, FileContext, Limits};
use serde::Serialize;
use serde_json::Value;

use super::SKILLS;
use crate::failure::Failure;
use crate::output::Output;
use crate::relative_path::relative_to_cwd;

/// Create a new skill from a template.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  repertoire new review --description 'Reviews changes. Use before a merge.'"
)]
pub(crate) struct NewCommand {
    /// Skill name: lowercase letters, digits and hyphens.
    name: String,
    /// Parent directory.
    #[arg(long = "dir", value_name = "DIR", default_value = SKILLS)]
    folder: PathBuf,
    /// Description of the skill: its purpose and when to use it.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
}

/// A new skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct NewOutput {
    id: Id,
    path: String,
}

impl NewCommand {
    pub(super) fn run(&self, cwd: &Path, out: &mut Output) -> Result<(), Failure> {
        let id = Id::new(&self.name)?;
        let faults = id.faults();
        if !faults.is_empty() {
            let failure = Failure::new(format!(
                "invalid skill name `{}`: it {}",
                self.name,
                faults.join(", and it ")
            ));
            return Err(failure.help("use lowercase letters, digits and hyphens, e.g. `my-skill`"));
        }
        let text = self.text(&id)?;
        let folder = cwd.join(&self.folder).join(id.as_str());
        let path = folder.join("SKILL.md");
        let path = relative_to_cwd(&path.to_string_lossy(), cwd).to_owned();
        let cannot_write = |error| Failure::io(format!("cannot write `{path}`"), &error);
        let parent = self.open_parent(cwd).map_err(|error| match error.kind() {
            ErrorKind::PermissionDenied if self.is_default_folder() => cannot_write(error)
                .help("if it is a link to another folder, pass that folder with `--dir DIR`"),
            _ => cannot_write(error),
        })?;
        parent
            .create_dir(id.as_str())
            .map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => {
                    already_exists(&folder, cwd).help("`new` never overwrites")
                }
                _ => cannot_write(error),
            })?;
        write_new(&parent, id.as_str(), &text).map_err(cannot_write)?;
        let created = NewOutput { id, path };
        if !out.write_json(&created) {
            out.line(created.path);
        }
        Ok(())
    }

    fn is_default_folder(&self) -> bool {
        self.folder == Path::new(SKILLS)
    }

    /// Opens the parent directory, and creates it if missing. The default one is opened without following links out of `cwd`.
    fn open_parent(&self, cwd: &Path) -> io::Result<Dir> {
        if !self.is_default_folder() {
            let parent = cwd.join(&self.folder);
            fs::create_dir_all(&parent)?;
            return Dir::open_ambient_dir(parent, ambient_authority());
        }
        let cwd = Dir::open_ambient_dir(cwd, ambient_authority())?;
        cwd.open_dir(&self.folder)
            .or_else(|error| match error.kind() {
                ErrorKind::NotFound => cwd
                    .create_dir_all(&self.folder)
                    .and_then(|()| cwd.open_dir(&self.folder)),
                _ => Err(error),
            })
    }

    fn text(&self, id: &Id) -> Result<Vec<u8>, Failure> {
        let description = match &self.description {
            Some(text) => text.clone(),
            None => format!("Describe what {id} does, and when to use it."),
        };
        let text = format!(
            "---\nname: {}\ndescription: {}\n---\n\n# {}\n\n1. Describe the first step.\n",
            // JSON is YAML; the formatter removes unnecessary quotes.
            Value::from(id.as_str()),
            Value::from(description),
            title(id.as_str()),
        );
        let site = FileContext::new("SKILL.md").in_directory(id.as_str());
        let formatted = skill_md::format(text.as_bytes(), site);
        let text = formatted
            .text
            .map(|text| text.into_owned())
            .unwrap_or_default();
        let strict = skill_md::parse_with(&text, site, &Limits::default(), Strictness::Strict);
        match formatted
            .diagnostics
            .into_iter()
            .chain(strict.diagnostics)
            .next()
        {
            None => Ok(text),
            Some(diagnostic) => Err(Failure::new(format!(
                "the skill would be invalid: {}",
                diagnostic.message
            ))),
        }
    }
}

fn write_new(parent: &Dir, folder: &str, text: &[u8]) -> io::Result<()> {
    let folder = parent.open_dir(folder)?;
    folder
        .open_with("SKILL.md", OpenOptions::new().write(true).create_new(true))?
        .write_all(text)
}

pub(super) fn already_exists(folder: &Path, cwd: &Path) -> Failure {
    Failure::new(format!(
        "`{}` already exists",
        relative_to_cwd(&folder.to_string_lossy(), cwd)
    ))
}

/// Returns a name as a heading: `Tidy up` for `tidy-up`.
fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut characters = words.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}
