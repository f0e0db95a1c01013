//! Paths as screens print them.

use std::path::{Path, PathBuf};

/// The folders that screens shorten: `~` for the home folder, and nothing for the working folder.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct ShownPaths {
    home: PathBuf,
    cwd: PathBuf,
}

impl ShownPaths {
    /// Creates the paths of a user with this home folder, who works in the folder `cwd`.
    pub fn new(home: &Path, cwd: &Path) -> ShownPaths {
        ShownPaths {
            home: home.to_owned(),
            cwd: cwd.to_owned(),
        }
    }

    /// Returns a path relative to the working folder, else one that begins with `~`, else the path itself.
    pub fn path(&self, path: &Path) -> String {
        if let Some(cwd) = self.short_cwd()
            && let Ok(below) = path.strip_prefix(cwd)
            && below != Path::new("")
        {
            return below.display().to_string();
        }
        match path.strip_prefix(&self.home) {
            Ok(below) if below == Path::new("") => "~".to_owned(),
            Ok(below) => Path::new("~").join(below).display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }

    /// Returns the path of the folder of a skill, or of the file if it is not a `SKILL.md`.
    pub fn skill(&self, file: &Path) -> String {
        let is_skill = file
            .file_name()
            .is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
        match file.parent().filter(|_| is_skill) {
            Some(folder) => self.path(folder),
            None => self.path(file),
        }
    }

    /// Returns a text with each path in backticks shortened.
    pub fn text(&self, text: &str) -> String {
        let is_path = |part: &str| Path::new(part).is_absolute();
        let parts = text.split('`').enumerate().map(|(at, part)| {
            let is_quoted = at % 2 == 1;
            if is_quoted && is_path(part) {
                self.path(Path::new(part))
            } else {
                part.to_owned()
            }
        });
        parts.collect::<Vec<_>>().join("`")
    }

    /// Returns the working folder, unless it holds the home folder: `~` is clearer there.
    fn short_cwd(&self) -> Option<&Path> {
        (!self.home.starts_with(&self.cwd)).then_some(&*self.cwd)
    }
}
