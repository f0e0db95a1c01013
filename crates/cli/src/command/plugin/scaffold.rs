//! `repertoire plugin new`.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use clap::Args;
use serde::Serialize;

use crate::command::new::already_exists;
use crate::context::relative_to_cwd;
use crate::failure::Failure;
use crate::output::Output;

/// Scaffold a plugin crate in Rust, with the source conformance tests.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire plugin new acme-skills --checkout ~/src/repertoire")]
pub(crate) struct PluginNewCommand {
    /// Plugin name: words of `a` to `z` and digits, with single hyphens between them.
    name: String,
    /// Parent directory.
    #[arg(long = "dir", value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Checkout of `repertoire` to depend on, as its crates are not published.
    #[arg(long, value_name = "DIR")]
    checkout: PathBuf,
}

const FILES: [(&str, &str); 3] = [
    (
        "Cargo.toml",
        include_str!("../../../template/plugin/Cargo.toml.template"),
    ),
    (
        "src/lib.rs",
        include_str!("../../../template/plugin/src/lib.rs"),
    ),
    (
        "tests/it.rs",
        include_str!("../../../template/plugin/tests/it.rs"),
    ),
];

/// A new plugin crate.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct PluginNewOutput {
    #[cfg_attr(feature = "schema", schemars(extend("const" = "new")))]
    action: &'static str,
    name: String,
    path: String,
}

impl PluginNewCommand {
    pub(super) fn run(&self, cwd: &Path, out: &mut Output) -> Result<(), Failure> {
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        if !self.name.split('-').all(is_word)
            || !self.name.starts_with(|c: char| c.is_ascii_lowercase())
        {
            let failure = Failure::new(format!("invalid plugin name `{}`", self.name));
            return Err(failure
                .help("use words of `a` to `z` and digits, with single hyphens between them"));
        }
        if !cwd
            .join(&self.checkout)
            .join("crates/plugin-sdk/Cargo.toml")
            .is_file()
        {
            let failure = Failure::new(format!(
                "`{}` is not a checkout of `repertoire`",
                self.checkout.display()
            ));
            return Err(failure.help("pass the folder that contains `crates/plugin-sdk`"));
        }
        let folder = cwd.join(&self.folder).join(&self.name);
        let path = relative_to_cwd(&folder.to_string_lossy(), cwd).to_owned();
        self.write(cwd).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => {
                already_exists(&folder, cwd).help("`plugin new` never overwrites")
            }
            _ => Failure::io(format!("cannot write `{path}`"), &error),
        })?;
        let created = PluginNewOutput {
            action: "new",
            name: self.name.clone(),
            path,
        };
        if !out.write_json(&created) {
            out.line(created.path);
        }
        Ok(())
    }

    fn write(&self, cwd: &Path) -> io::Result<()> {
        let parent = cwd.join(&self.folder);
        fs::create_dir_all(&parent)?;
        let parent = Dir::open_ambient_dir(&parent, ambient_authority())?;
        parent.create_dir(&self.name)?;
        let folder = parent.open_dir(&self.name)?;
        for (path, template) in FILES {
            folder.create_dir_all(Path::new(path).parent().expect("a file has a folder"))?;
            let mut file =
                folder.open_with(path, OpenOptions::new().write(true).create_new(true))?;
            file.write_all(self.fill(template, cwd).as_bytes())?;
        }
        Ok(())
    }

    fn fill(&self, template: &str, cwd: &Path) -> String {
        let words = self
            .name
            .split('-')
            .map(|word| word[..1].to_uppercase() + &word[1..]);
        let dependency = |name: &str, folder: &str| {
            let path = cwd.join(&self.checkout).join("crates").join(folder);
            format!("{name} = {{ path = {:?} }}", path.to_string_lossy())
        };
        template
            .replace("Acme", &words.collect::<String>())
            .replace("acme", &self.name)
            .replace("@lib@", &self.name.replace('-', "_"))
            .replace("@sdk@", &dependency("repertoire-plugin-sdk", "plugin-sdk"))
            .replace(
                "@host@",
                &dependency("repertoire-source-plugin", "source-plugin"),
            )
            .replace("@testkit@", &dependency("repertoire-testkit", "testkit"))
    }
}
