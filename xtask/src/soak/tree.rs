//! A tree of skills that is worked on at random.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fastrand::Rng;

/// A tree of skills that is worked on at random.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    /// Beside the root: from where things are moved in.
    aside: PathBuf,
    random: Rng,
    skills: Vec<Planted>,
    categories: Vec<PathBuf>,
    /// Makes every name and every text different.
    next: u64,
    counts: BTreeMap<Deed, u64>,
}

#[derive(Debug)]
struct Planted {
    folder: PathBuf,
    name: String,
    is_broken: bool,
}

/// An edit of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deed {
    EditDescription,
    EditBody,
    EditScript,
    SaveByRename,
    TruncateThenWrite,
    RewriteTheSame,
    DeleteThenRecreate,
    Break,
    Repair,
    Add,
    AddTree,
    Delete,
    MoveFolder,
    MoveCategory,
    MoveRoot,
}

/// The weight of each deed.
const WEIGHTS: [(Deed, u32); 15] = [
    (Deed::EditDescription, 14),
    (Deed::EditBody, 12),
    (Deed::EditScript, 10),
    (Deed::SaveByRename, 13),
    (Deed::TruncateThenWrite, 8),
    (Deed::RewriteTheSame, 4),
    (Deed::DeleteThenRecreate, 4),
    (Deed::Break, 10),
    (Deed::Repair, 9),
    (Deed::Add, 5),
    (Deed::AddTree, 1),
    (Deed::Delete, 7),
    (Deed::MoveFolder, 11),
    (Deed::MoveCategory, 1),
    (Deed::MoveRoot, 1),
];

/// The limits of the number of skills.
const SKILLS: std::ops::Range<usize> = 60..240;

impl Tree {
    /// A tree inside `folder`.
    pub(crate) fn plant(folder: &Path, seed: u64) -> io::Result<Tree> {
        let mut tree = Tree {
            root: folder.join("skills"),
            aside: folder.join("aside"),
            random: Rng::with_seed(seed),
            skills: Vec::new(),
            categories: Vec::new(),
            next: 0,
            counts: BTreeMap::new(),
        };
        fs::create_dir(&tree.aside)?;
        for category in ["code", "text", "data", "ops"] {
            let category = tree.root.join(category);
            fs::create_dir_all(&category)?;
            tree.categories.push(category);
        }
        while tree.skills.len() < 2 * SKILLS.start {
            tree.add()?;
        }
        Ok(tree)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The files that are broken.
    pub(crate) fn broken(&self) -> BTreeSet<PathBuf> {
        let broken = self.skills.iter().filter(|skill| skill.is_broken);
        broken.map(Planted::file).collect()
    }

    /// Returns the count of each deed.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (Deed, u64)> {
        self.counts.iter().map(|(deed, count)| (*deed, *count))
    }

    /// Returns the number of deeds.
    pub(crate) fn edits(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Does one thing at random.
    pub(crate) fn edit(&mut self) -> io::Result<()> {
        let sum: u32 = WEIGHTS.iter().map(|(_, weight)| weight).sum();
        let mut at = self.random.u32(..sum);
        let chosen = WEIGHTS.iter().find(|(_, weight)| {
            let is_here = at < *weight;
            at = at.saturating_sub(*weight);
            is_here
        });
        let (deed, _) = chosen.expect("the number is below the sum of all weights");
        let deed = match deed {
            Deed::Add | Deed::AddTree if self.skills.len() >= SKILLS.end => Deed::Delete,
            Deed::Delete if self.skills.len() <= SKILLS.start => Deed::Add,
            Deed::Break | Deed::Repair => {
                let is_broken = self.skills[self.random.usize(..self.skills.len())].is_broken;
                if is_broken { Deed::Repair } else { *deed }
            }
            deed => *deed,
        };
        self.perform(deed)
    }

    /// Repairs every broken file.
    pub(crate) fn repair_all(&mut self) -> io::Result<()> {
        for at in 0..self.skills.len() {
            if self.skills[at].is_broken {
                self.write(at, &Text::default())?;
                self.count(Deed::Repair);
            }
        }
        Ok(())
    }

    fn perform(&mut self, deed: Deed) -> io::Result<()> {
        let at = self.random.usize(..self.skills.len());
        match deed {
            Deed::Add => self.add()?,
            Deed::AddTree => self.add_tree()?,
            Deed::Delete => fs::remove_dir_all(self.skills.swap_remove(at).folder)?,
            Deed::EditDescription | Deed::EditBody | Deed::Repair => {
                self.write(at, &Text::default())?
            }
            Deed::EditScript => {
                let text = self.fresh("echo");
                fs::write(self.skills[at].folder.join("scripts/run.sh"), text)?;
            }
            Deed::SaveByRename => self.write(
                at,
                &Text {
                    by_rename: true,
                    ..Text::default()
                },
            )?,
            Deed::TruncateThenWrite => self.write(
                at,
                &Text {
                    in_two: true,
                    ..Text::default()
                },
            )?,
            Deed::RewriteTheSame => {
                let file = self.skills[at].file();
                fs::write(&file, fs::read(&file)?)?;
            }
            Deed::DeleteThenRecreate => {
                fs::remove_file(self.skills[at].file())?;
                self.write(at, &Text::default())?;
            }
            Deed::Break => self.write(
                at,
                &Text {
                    is_broken: true,
                    ..Text::default()
                },
            )?,
            Deed::MoveFolder => {
                let to = self.folder();
                fs::rename(&self.skills[at].folder, &to)?;
                self.skills[at].folder = to;
            }
            Deed::MoveCategory => {
                let at = self.random.usize(..self.categories.len());
                let name = self.fresh("category");
                let to = self.root.join(name);
                let from = std::mem::replace(&mut self.categories[at], to.clone());
                fs::rename(&from, &to)?;
                for skill in &mut self.skills {
                    if let Ok(rest) = skill.folder.strip_prefix(&from) {
                        skill.folder = to.join(rest);
                    }
                }
            }
            Deed::MoveRoot => {
                let away = self.aside.join("root");
                fs::rename(&self.root, &away)?;
                fs::rename(&away, &self.root)?;
            }
        }
        self.count(deed);
        Ok(())
    }

    fn count(&mut self, deed: Deed) {
        *self.counts.entry(deed).or_default() += 1;
    }

    fn add(&mut self) -> io::Result<()> {
        let folder = self.folder();
        self.plant_at(folder)
    }

    fn plant_at(&mut self, folder: PathBuf) -> io::Result<()> {
        fs::create_dir_all(folder.join("scripts"))?;
        fs::write(folder.join("scripts/run.sh"), "echo\n")?;
        let name = self.fresh("skill");
        self.skills.push(Planted {
            folder,
            name,
            is_broken: false,
        });
        self.write(self.skills.len() - 1, &Text::default())
    }

    /// A category of three skills: moved in whole, or made where it stays.
    fn add_tree(&mut self) -> io::Result<()> {
        let name = self.fresh("category");
        let (made, stays) = (self.aside.join(&name), self.root.join(&name));
        let moved = self.random.bool();
        let first = self.skills.len();
        for inner in ["a", "b/c", "b/d/e"] {
            self.plant_at(if moved { &made } else { &stays }.join(inner))?;
        }
        if moved {
            fs::rename(&made, &stays)?;
            for skill in &mut self.skills[first..] {
                let inner = skill
                    .folder
                    .strip_prefix(&made)
                    .expect("planted there")
                    .to_owned();
                skill.folder = stays.join(inner);
            }
        }
        Ok(())
    }

    /// A folder for a skill, in a category or two levels below it.
    fn folder(&mut self) -> PathBuf {
        let category = self.categories[self.random.usize(..self.categories.len())].clone();
        let name = self.fresh("folder");
        category.join(name)
    }

    fn fresh(&mut self, what: &str) -> String {
        self.next += 1;
        format!("{what}-{}", self.next)
    }

    /// Writes the `SKILL.md` of a skill again, with texts that no file had before.
    fn write(&mut self, at: usize, text: &Text) -> io::Result<()> {
        let (description, body) = (self.fresh("About"), self.fresh("Do"));
        let skill = &mut self.skills[at];
        skill.is_broken = text.is_broken;
        let (name, file) = (&skill.name, skill.file());
        let content = match text.is_broken {
            true => format!("---\nname: {name}\n---\n{body}\n"),
            false => format!("---\nname: {name}\ndescription: {description}\n---\n{body}\n"),
        };
        if text.by_rename {
            let draft = skill.folder.join(".SKILL.md.draft");
            fs::write(&draft, content)?;
            fs::rename(draft, file)
        } else if text.in_two {
            let (first, second) = content.split_at(content.len() / 2);
            let mut file = fs::File::create(file)?;
            file.write_all(first.as_bytes())?;
            file.write_all(second.as_bytes())
        } else {
            fs::write(file, content)
        }
    }
}

/// The way in which a file is written.
#[derive(Debug, Default)]
struct Text {
    is_broken: bool,
    by_rename: bool,
    in_two: bool,
}

impl Planted {
    fn file(&self) -> PathBuf {
        self.folder.join("SKILL.md")
    }
}
