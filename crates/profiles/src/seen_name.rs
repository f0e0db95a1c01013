//! The files of one name for one agent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::{AgentSkill, AgentView, SkillOutcome, UnseenReason};

/// The files of one name for one agent, in the order in which it prefers them.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct SeenName<'a> {
    /// The files.
    pub files: Vec<&'a AgentSkill>,
}

impl<'a> SeenName<'a> {
    /// Returns the names of a view.
    pub fn all(view: &'a AgentView) -> BTreeMap<&'a str, SeenName<'a>> {
        let mut names: BTreeMap<&str, SeenName<'_>> = BTreeMap::new();
        for skill in &view.skills {
            names.entry(&skill.name).or_default().files.push(skill);
        }
        names
    }

    /// Returns the number of different files that load for certain.
    ///
    /// It is one if the only question is which of several files loads.
    pub fn loaded(&self) -> usize {
        let loaded = self.files.iter().filter(|file| file.outcome.is_loaded());
        let loaded: BTreeSet<_> = loaded.map(|file| &file.real_path).collect();
        match loaded.len() {
            0 => usize::from(self.is_rivalry()),
            loaded => loaded,
        }
    }

    /// Returns whether some file may load.
    pub fn may_load(&self) -> bool {
        self.files.iter().any(|file| file.outcome.may_load())
    }

    /// Returns whether one copy loads for certain, and all copies that may load are one real file.
    pub fn is_one_file(&self) -> bool {
        let mut files = self.contenders().map(|file| &file.real_path);
        let first = files.next();
        self.loaded() == 1 && files.all(|file| Some(file) == first)
    }

    /// Returns the files that may load.
    pub fn contenders(&self) -> impl Iterator<Item = &'a AgentSkill> {
        let files = self.files.iter().copied();
        files.filter(|file| file.outcome.may_load())
    }

    /// Returns whether each file loads unless a different one does.
    fn is_rivalry(&self) -> bool {
        let paths: Vec<&Path> = self.contenders().map(|file| &*file.path).collect();
        let is_rival = |outcome: &SkillOutcome| match outcome {
            SkillOutcome::Omitted {
                reason: UnseenReason::Shadowed { by } | UnseenReason::SameFile { by },
            } => paths.contains(&&**by),
            outcome => outcome.is_loaded(),
        };
        let mut contenders = self.contenders();
        !paths.is_empty()
            && contenders.all(|file| match &file.outcome {
                SkillOutcome::Unknown { one_of } => one_of.iter().all(is_rival),
                outcome => outcome.is_loaded(),
            })
    }
}
