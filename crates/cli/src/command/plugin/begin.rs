//! `repertoire plugin new`.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use clap::Args;
use serde::Serialize;
use serde_json::Value;

use crate::Stream;
use crate::answer::{Answer, json};
use crate::failure::Failure;
use crate::session::near;
use crate::shown::shown;

/// Write the beginning of a plugin in Rust: a crate that builds, with the tests that every source has to pass.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// What to call it: words of `a` to `z` and digits, with single hyphens between.
    name: String,
    /// The folder for the crate's own folder.
    #[arg(long = "in", value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// The checkout of `repertoire` to depend on, as its crates are not released.
    #[arg(long, value_name = "DIR")]
    checkout: PathBuf,
}

const FILES: [(&str, &str); 3] = [
    ("Cargo.toml", include_str!("../../../template/plugin/Cargo.toml.template")),
    ("src/lib.rs", include_str!("../../../template/plugin/src/lib.rs")),
    ("tests/it.rs", include_str!("../../../template/plugin/tests/it.rs")),
];

/// The beginning of a plugin.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "BegunPlugin"))]
pub(in crate::command) struct Begun {
    #[cfg_attr(feature = "schema", schemars(extend("const" = "new")))]
    action: &'static str,
    name: String,
    path: String,
}

impl New {
    pub(crate) fn answer(&self, cwd: &Path) -> Result<impl Answer + use<>, Failure> {
        let word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if !self.name.split('-').all(word) || !self.name.starts_with(|c: char| c.is_ascii_lowercase()) {
            let message = format!("`{}` is no name for a plugin", self.name);
            return Err(
                Failure::new(message).help("expected words of `a` to `z` and digits, with single hyphens between")
            );
        }
        if !cwd.join(&self.checkout).join("crates/plugin-sdk/Cargo.toml").is_file() {
            let failure = Failure::new(format!("`{}` is not a checkout of `repertoire`", self.checkout.display()));
            return Err(failure.help("expected the folder that `crates/plugin-sdk` is in"));
        }
        let folder = cwd.join(&self.folder).join(&self.name);
        let shown = near(&folder.to_string_lossy(), cwd).to_owned();
        let failure = |error: io::Error| match error.kind() {
            ErrorKind::AlreadyExists => {
                Failure::new(format!("`{shown}` is there already")).help("`plugin new` writes over nothing")
            }
            _ => Failure::io(format!("cannot write `{shown}`"), &error),
        };
        self.write(cwd).map_err(failure)?;
        Ok(Begun { action: "new", name: self.name.clone(), path: shown })
    }

    /// Writes the files into a folder that is made for them.
    fn write(&self, cwd: &Path) -> io::Result<()> {
        let parent = cwd.join(&self.folder);
        fs::create_dir_all(&parent)?;
        let parent = Dir::open_ambient_dir(&parent, ambient_authority())?;
        parent.create_dir(&self.name)?;
        let folder = parent.open_dir(&self.name)?;
        for (path, template) in FILES {
            folder.create_dir_all(Path::new(path).parent().expect("a file lies in a folder"))?;
            let mut file = folder.open_with(path, OpenOptions::new().write(true).create_new(true))?;
            file.write_all(self.filled(template, cwd).as_bytes())?;
        }
        Ok(())
    }

    /// A template's text about this plugin.
    fn filled(&self, template: &str, cwd: &Path) -> String {
        let words = self.name.split('-').map(|word| word[..1].to_uppercase() + &word[1..]);
        let wanted = |name: &str, folder: &str| {
            let path = cwd.join(&self.checkout).join("crates").join(folder);
            format!("{name} = {{ path = {:?} }}", path.to_string_lossy())
        };
        template
            .replace("Acme", &words.collect::<String>())
            .replace("acme", &self.name)
            .replace("@lib@", &self.name.replace('-', "_"))
            .replace("@sdk@", &wanted("repertoire-plugin-sdk", "plugin-sdk"))
            .replace("@host@", &wanted("repertoire-source-plugin", "source-plugin"))
            .replace("@testkit@", &wanted("repertoire-testkit", "testkit"))
    }
}

impl Answer for Begun {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        writeln!(out, "{}", shown(&self.path))
    }
}
