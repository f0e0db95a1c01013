//! Manifests: the content of a skill as one value.

use std::collections::BTreeSet;

use crate::{Digest, InvalidValue, Omission, Resource, ResourcePath};

/// The path, size and digest of every file of a skill, `SKILL.md` among them.
///
/// Compare manifests to find changed content. Bind a decision about content to the
/// [`digest`](Manifest::digest). What is in the folder and is not one of the files is an [`Omission`].
///
/// ```
/// use repertoire_core::{Digest, Manifest, Resource};
///
/// let file = |path: &str, text: &str| -> Result<Resource, Box<dyn std::error::Error>> {
///     Ok(Resource::new(path.parse()?, text.len() as u64, Digest::of(text.as_bytes())))
/// };
/// let old = Manifest::new([file("SKILL.md", "Sort.\n")?, file("run.sh", "ls\n")?])?;
/// let new = Manifest::new([file("run.sh", "rm\n")?, file("SKILL.md", "Sort.\n")?])?;
///
/// assert_ne!(old.digest(), new.digest());
/// let changes: Vec<&str> = old.changes(&new).filter_map(|(before, _)| Some(before?.path.as_str())).collect();
/// assert_eq!(changes, ["run.sh"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Manifest {
    files: Box<[Resource]>,
    omissions: Box<[Omission]>,
}

impl Manifest {
    /// Creates the manifest of these rows, which may come in any order.
    ///
    /// # Errors
    /// [`InvalidValue`] when a path comes twice.
    pub fn new(rows: impl IntoIterator<Item = Resource>) -> Result<Manifest, InvalidValue> {
        let mut rows: Vec<Resource> = rows.into_iter().collect();
        rows.sort_by(|a, b| a.path.cmp(&b.path));
        match rows.windows(2).find(|pair| pair[0].path == pair[1].path) {
            Some(pair) => {
                let path = crate::text::terminal_line(pair[0].path.as_str());
                Err(InvalidValue::new(format!(
                    "file `{path}` is in the manifest twice"
                )))
            }
            None => Ok(Manifest {
                files: rows.into(),
                omissions: Box::default(),
            }),
        }
    }

    /// Replaces the omissions.
    #[must_use]
    pub fn with_omissions(self, omissions: impl IntoIterator<Item = Omission>) -> Manifest {
        let mut omissions: Vec<Omission> = omissions.into_iter().collect();
        omissions.sort();
        Manifest {
            omissions: omissions.into(),
            ..self
        }
    }

    /// Returns the rows, sorted by the bytes of their paths.
    pub fn files(&self) -> &[Resource] {
        &self.files
    }

    /// Returns the row of the file at `path`.
    pub fn file(&self, path: &ResourcePath) -> Option<&Resource> {
        self.files
            .binary_search_by(|file| file.path.cmp(path))
            .ok()
            .map(|at| &self.files[at])
    }

    /// Returns what is in the folder and not one of the files, sorted by path.
    pub fn omissions(&self) -> &[Omission] {
        &self.omissions
    }

    /// Returns SHA-256 over the canonical text of the rows: `repertoire-manifest/1` and a line feed, then for each row its
    /// path, NUL, its size in decimal digits, NUL, its digest as it is written, and a line feed. A row for each omission
    /// follows: its path, NUL, the name of its reason, NUL, its detail, NUL, its digest if it has one, and a line feed.
    ///
    /// Neither a path nor a detail holds a NUL, and no reason is a number, so no two manifests have one text, whatever files
    /// are called.
    pub fn digest(&self) -> Digest {
        let mut text = String::from("repertoire-manifest/1\n");
        for Resource { path, size, digest } in &self.files {
            text.push_str(&format!("{path}\0{size}\0{digest}\n"));
        }
        for Omission {
            path,
            reason,
            detail,
            digest,
        } in &self.omissions
        {
            let (path, detail) = (path.replace('\0', "\\0"), detail.replace('\0', "\\0"));
            let digest = digest.map(String::from).unwrap_or_default();
            text.push_str(&format!("{path}\0{}\0{detail}\0{digest}\n", reason.name()));
        }
        Digest::of(text.as_bytes())
    }

    /// Returns the files that differ in `new`, by path: the row before and the row after, at least one of them.
    #[doc(hidden)]
    pub fn changes<'a>(
        &'a self,
        new: &'a Manifest,
    ) -> impl Iterator<Item = (Option<&'a Resource>, Option<&'a Resource>)> {
        let paths: BTreeSet<_> = self
            .files
            .iter()
            .chain(&new.files)
            .map(|file| &file.path)
            .collect();
        let pairs = paths
            .into_iter()
            .map(|path| (self.file(path), new.file(path)));
        pairs.filter(|(before, after)| before != after)
    }
}

#[cfg(test)]
mod tests;
