//! Crates that a command writes from a template.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use clap::Args;
use serde::Serialize;

use super::new::already_exists;
use crate::failure::Failure;
use crate::output::Output;
use crate::relative_path::relative_to_cwd;

#[derive(Debug, Args)]
pub(super) struct CrateOptions {
    /// Crate name: words of `a` to `z` and digits, with single hyphens between them.
    pub(super) name: String,
    /// Parent directory.
    #[arg(long = "dir", value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Checkout of `repertoire` that the crate depends on [default: the one that this program was built from].
    #[arg(long, value_name = "DIR")]
    checkout: Option<PathBuf>,
    /// Git repository of `repertoire` that the crate depends on.
    #[arg(long, value_name = "URL", conflicts_with = "checkout")]
    git: Option<String>,
}

/// A template of a crate called `acme`, with a type called `Acme` and the library `acme_crate`.
pub(super) struct CrateTemplate {
    /// The kind of crate, for messages.
    pub(super) kind: &'static str,
    pub(super) files: &'static [(&'static str, &'static str)],
}

/// A new crate.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct NewCrateOutput {
    #[cfg_attr(feature = "schema", schemars(extend("const" = "new")))]
    action: &'static str,
    name: String,
    path: String,
}

/// The folders under `crates` of the packages that a template can depend on.
///
/// A template contains `@FOLDER@` where the keys of such a dependency go.
const DEPENDENCIES: [&str; 5] = [
    "cli",
    "plugin-sdk",
    "repertoire",
    "source-plugin",
    "testkit",
];

impl CrateOptions {
    pub(super) fn run(
        &self,
        template: &CrateTemplate,
        cwd: &Path,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let kind = template.kind;
        if !self.name.split('-').all(is_word)
            || !self.name.starts_with(|c: char| c.is_ascii_lowercase())
        {
            let failure = Failure::new(format!("invalid {kind} name `{}`", self.name));
            return Err(failure
                .help("use words of `a` to `z` and digits, with single hyphens between them"));
        }
        let origin = self.origin(cwd)?;
        let folder = cwd.join(&self.folder).join(&self.name);
        let path = relative_to_cwd(&folder.to_string_lossy(), cwd).to_owned();
        self.write_files(template, &origin, cwd)
            .map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => {
                    already_exists(&folder, cwd).help(format!("`{kind} new` never overwrites"))
                }
                _ => Failure::io(format!("cannot write `{path}`"), &error),
            })?;
        let created = NewCrateOutput {
            action: "new",
            name: self.name.clone(),
            path,
        };
        if !out.write_json(&created) {
            out.line(created.path);
        }
        Ok(())
    }

    fn origin(&self, cwd: &Path) -> Result<Origin, Failure> {
        if let Some(url) = &self.git {
            return Ok(Origin::Git(url.clone()));
        }
        let Some(named) = &self.checkout else {
            // The checkout can be moved or deleted after the build.
            let built_from = Path::new(env!("CARGO_MANIFEST_DIR"))
                .ancestors()
                .nth(2)
                .filter(|path| is_checkout(path));
            return built_from
                .map(|path| Origin::Checkout(path.to_owned()))
                .ok_or_else(|| {
                    let failure =
                        Failure::new("the checkout that this program was built from is gone");
                    failure.help("pass `--checkout DIR` or `--git URL`")
                });
        };
        let folder = cwd.join(named);
        if !is_checkout(&folder) {
            let failure = Failure::new(format!(
                "`{}` is not a checkout of `repertoire`",
                named.display()
            ));
            return Err(failure.help("pass the folder that contains `crates/plugin-sdk`"));
        }
        Ok(Origin::Checkout(folder))
    }

    fn write_files(&self, template: &CrateTemplate, origin: &Origin, cwd: &Path) -> io::Result<()> {
        let parent = cwd.join(&self.folder);
        fs::create_dir_all(&parent)?;
        let parent = Dir::open_ambient_dir(&parent, ambient_authority())?;
        parent.create_dir(&self.name)?;
        let folder = parent.open_dir(&self.name)?;
        for (path, text) in template.files {
            folder.create_dir_all(Path::new(path).parent().expect("a file has a folder"))?;
            let mut file =
                folder.open_with(path, OpenOptions::new().write(true).create_new(true))?;
            file.write_all(self.fill(text, origin).as_bytes())?;
        }
        Ok(())
    }

    fn fill(&self, text: &str, origin: &Origin) -> String {
        let words = self
            .name
            .split('-')
            .map(|word| word[..1].to_uppercase() + &word[1..]);
        let words = words.collect::<String>();
        // The name itself may contain `acme`: the split prevents a replacement inside of it.
        let parts = text
            .split("acme_crate")
            .map(|part| part.replace("acme", &self.name).replace("Acme", &words));
        let text = parts.collect::<Vec<_>>().join(&self.name.replace('-', "_"));
        DEPENDENCIES.iter().fold(text, |text, folder| {
            text.replace(&format!("@{folder}@"), &origin.dependency(folder))
        })
    }
}

fn is_checkout(folder: &Path) -> bool {
    folder.join("crates/plugin-sdk/Cargo.toml").is_file()
}

fn is_word(word: &str) -> bool {
    !word.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// The place of the crates that a new crate depends on.
enum Origin {
    Checkout(PathBuf),
    Git(String),
}

impl Origin {
    /// Returns the TOML key of a dependency on the package in `crates/{folder}`: `path` or `git`.
    fn dependency(&self, folder: &str) -> String {
        match self {
            Origin::Checkout(checkout) => {
                format!(
                    "path = {:?}",
                    checkout.join("crates").join(folder).to_string_lossy()
                )
            }
            Origin::Git(url) => format!("git = {url:?}"),
        }
    }
}
