//! A tree of skills of which every byte is known.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;

/// Skills in a folder, each with its instructions alone.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    root: PathBuf,
    count: usize,
    /// The number of edits of the first skill.
    edits: usize,
}

impl Tree {
    pub(super) fn lay(folder: &Path, count: usize) -> Result<Tree, Failure> {
        let tree = Tree {
            root: folder.join("skills"),
            count,
            edits: 0,
        };
        for number in 0..count {
            let folder = tree.root.join(name(number));
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("SKILL.md"), text(number, 0))?;
        }
        Ok(tree)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The text of the skill called `name`.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let number = name.strip_prefix("skill-")?.parse().ok()?;
        Some(text(number, if number == 0 { self.edits } else { 0 }))
    }

    /// Gives the first skill a new description, by renaming a file.
    pub(super) fn edit(&mut self) -> Result<(), Failure> {
        self.edits += 1;
        let folder = self.root.join(name(0));
        fs::write(folder.join(".new"), text(0, self.edits))?;
        Ok(fs::rename(folder.join(".new"), folder.join("SKILL.md"))?)
    }
}

fn name(number: usize) -> String {
    format!("skill-{number:05}")
}

fn text(number: usize, edits: usize) -> String {
    let name = name(number);
    let front = format!(
        "---\nname: {name}\ndescription: Sorts heap {number} by what is written on it, in edition {edits}. Use when heaps are sorted.\n---\n"
    );
    let lines = (0..24).map(|line| {
        format!(
            "{line}. Take sheet {} of heap {number}, and lay it down.\n",
            line * number
        )
    });
    front + &lines.collect::<String>()
}
