//! Views of one place for several agents.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use crate::budget;
use crate::duplicates::{self, Contender, Rank};
use crate::files::{FileCache, FileKind, FoundFile};
use crate::fixes;
use crate::judge::{Judge, SkillCandidate};
use crate::place::AgentPlace;
use crate::placed_root::PlacedRoot;
use crate::profile::{AgentProfile, AgentProfiles};
use crate::roots;
use crate::schema::{Below, Duplicates};
use crate::settings::AgentSettings;
use crate::view::{AgentSkill, AgentView, RootScope, UnseenReason};

/// A place, seen with the eyes of several agents. Each folder and each file is read once.
///
/// A survey is a snapshot: what changes on disk after the first view is not noticed.
#[derive(Debug)]
pub struct AgentSurvey<'a> {
    profiles: &'a AgentProfiles,
    place: &'a AgentPlace,
    files: FileCache,
    agents: Vec<SurveyedAgent<'a>>,
    /// The folders of all agents, with the agents that read them.
    readers: BTreeMap<(Arc<Path>, bool), FolderReaders>,
}

#[derive(Debug)]
struct SurveyedAgent<'a> {
    profile: &'a AgentProfile,
    settings: Arc<AgentSettings>,
    roots: Arc<[PlacedRoot]>,
}

#[derive(Debug)]
struct FolderReaders {
    root: PlacedRoot,
    agents: Vec<Arc<str>>,
}

impl AgentProfiles {
    /// Creates a survey of the place, which reads each file once for all views.
    pub fn survey<'a>(&'a self, place: &'a AgentPlace) -> AgentSurvey<'a> {
        AgentSurvey::new(self, place)
    }
}

impl<'a> AgentSurvey<'a> {
    pub(crate) fn new(profiles: &'a AgentProfiles, place: &'a AgentPlace) -> AgentSurvey<'a> {
        let mut files = FileCache::default();
        let mut agents = Vec::new();
        let mut readers: BTreeMap<_, FolderReaders> = BTreeMap::new();
        for profile in profiles.iter() {
            let settings = AgentSettings::read(&profile.file.settings, place, &mut files);
            let roots = roots::placed(&profile.file, place, &settings, &mut files);
            let name: Arc<str> = profile.name().into();
            for root in roots.iter().filter(|root| root.is_read()) {
                let known = readers.entry((root.path.clone(), root.commands));
                let known = known.or_insert_with(|| FolderReaders {
                    root: root.clone(),
                    agents: Vec::new(),
                });
                known.agents.push(name.clone());
            }
            agents.push(SurveyedAgent {
                profile,
                settings: settings.into(),
                roots: roots.into(),
            });
        }
        AgentSurvey {
            profiles,
            place,
            files,
            agents,
            readers,
        }
    }

    /// Returns the view of the agent of this name or alias.
    pub fn view(&mut self, agent: &str) -> Option<AgentView> {
        let profile = self.profiles.get(agent)?;
        let mut agents = self.agents.iter();
        let found = agents.find(|found| found.profile.name() == profile.name())?;
        let settings = found.settings.clone();
        let roots = found.roots.clone();
        let mut rows = self.own(profile, &settings, &roots);
        rows.extend(self.foreign(&roots, &rows));
        let mut known = HashSet::new();
        if rows.iter().any(|row| row.candidate.dependencies.is_mixed()) {
            known.extend(rows.iter().flat_map(SurveyRow::names));
        }
        let skills = rows.into_iter().map(|row| row.into_skill(&roots, &known));
        let mut skills: Vec<_> = skills.collect();
        let budget = budget::apply(&profile.file.budget, self.place, &settings, &mut skills);
        Some(AgentView {
            agent: profile.name().into(),
            title: profile.title().into(),
            skills,
            budget,
            folders: roots
                .iter()
                .filter(|root| root.is_read() && root.off.is_none())
                .map(|root| root.path.clone())
                .collect(),
            unread: settings.unread.clone(),
        })
    }

    /// Returns the folders that were searched so far. They need not exist.
    pub fn searched_folders(&self) -> impl Iterator<Item = &Path> {
        self.files.searched_folders()
    }

    /// Returns the settings and records that were read so far. They need not exist.
    pub fn read_files(&self) -> impl Iterator<Item = &Path> {
        self.files.read_files()
    }

    fn own(
        &mut self,
        profile: &AgentProfile,
        settings: &AgentSettings,
        roots: &[PlacedRoot],
    ) -> Vec<SurveyRow> {
        let judge = Judge {
            profile: &profile.file,
            settings,
        };
        let mut rows: Vec<SurveyRow> = Vec::new();
        let mut by_path: HashMap<Arc<Path>, usize> = HashMap::new();
        for root in roots {
            let found = self.files.scan(&root.path);
            for at in 0..found.len() {
                let file = &found[at];
                let Some(candidate) = judge.candidate(root, file, &mut self.files) else {
                    continue;
                };
                let row = SurveyRow::new(root, found.clone(), at, candidate);
                match by_path.get(&file.path).copied() {
                    // Roots inside each other give one file twice; the one that loads it counts.
                    Some(known) if rows[known].candidate.omitted.is_none() => {}
                    Some(known) => {
                        if row.candidate.omitted.is_none() {
                            rows[known] = row;
                        }
                    }
                    None => {
                        by_path.insert(file.path.clone(), rows.len());
                        rows.push(row);
                    }
                }
            }
        }
        sort_by_preference(&profile.file.duplicates, &mut rows);
        // A skill below the current folder has a name of its own once it is loaded.
        let above = rows.iter_mut().filter(|row| row.below.is_none());
        let mut contenders: Vec<_> = above.map(SurveyRow::contender).collect();
        duplicates::resolve(&profile.file.duplicates, &mut contenders);
        self.qualify(&mut rows);
        rows.sort_by(|a, b| a.candidate.name.cmp(&b.candidate.name));
        rows
    }

    /// Names a skill below the current folder after its folder, where its name is taken.
    fn qualify(&self, rows: &mut [SurveyRow]) {
        let taken: HashSet<_> = rows
            .iter()
            .filter(|row| row.below.is_none())
            .map(|row| row.candidate.name.clone())
            .collect();
        for row in rows.iter_mut() {
            let Some(UnseenReason::NotYet { folder }) = &row.candidate.omitted else {
                continue;
            };
            let folder = folder.strip_prefix(&self.place.folder).unwrap_or(folder);
            if taken.contains(&row.candidate.name) {
                let name = format!("{}:{}", folder.display(), row.candidate.name);
                row.candidate.name = name.replace('\\', "/").into();
            }
        }
    }

    /// Returns the files of folders that only other agents read.
    fn foreign(&mut self, roots: &[PlacedRoot], own: &[SurveyRow]) -> Vec<SurveyRow> {
        let read: HashSet<_> = roots
            .iter()
            .filter(|root| root.is_read())
            .map(|root| (&root.path, root.commands))
            .collect();
        let mut seen: HashSet<Arc<Path>> = own.iter().map(|row| row.rank.path.clone()).collect();
        let mut rows = Vec::new();
        for ((path, commands), readers) in &self.readers {
            if read.contains(&(path, *commands)) {
                continue;
            }
            let found = self.files.scan(path);
            for (at, file) in found.iter().enumerate() {
                let is_loose = file.kind == FileKind::Loose;
                if is_loose != *commands || !seen.insert(file.path.clone()) {
                    continue;
                }
                let mut candidate = SkillCandidate::named(file.folder.clone());
                candidate.omit(match &readers.root.off {
                    Some(reason @ UnseenReason::PluginNotInstalled) => reason.clone(),
                    _ => UnseenReason::FolderNotRead {
                        read_by: readers.agents.clone(),
                    },
                });
                rows.push(SurveyRow::new(&readers.root, found.clone(), at, candidate));
            }
        }
        rows.sort_by(|a, b| {
            let names = a.candidate.name.cmp(&b.candidate.name);
            names.then_with(|| a.rank.path.cmp(&b.rank.path))
        });
        rows
    }
}

/// Sorts the preferred files first.
fn sort_by_preference(rules: &Duplicates, rows: &mut [SurveyRow]) {
    let nearest = rules.nearest_first.known() != Some(&false);
    let project = rows.iter().filter(|row| row.scope == RootScope::Project);
    let first = project.map(|row| row.rank.root).min();
    rows.sort_by_cached_key(|row| {
        let rank = row.rank.clone();
        let level = match nearest {
            true => rank.level,
            false => usize::MAX - rank.level,
        };
        // Where the level counts first, all folders of the project share one rank.
        let shared = first.filter(|_| rules.levels_first && row.scope == RootScope::Project);
        match shared {
            Some(shared) => (shared, level, rank.root, rank.path),
            None => (rank.root, 0, level, rank.path),
        }
    });
}

impl PlacedRoot {
    /// Returns `false` for a folder below the project that the agent never reads.
    fn is_read(&self) -> bool {
        !matches!(self.below, Some((Below::No, _)))
    }
}

/// A file on its way to a row of a view.
struct SurveyRow {
    candidate: SkillCandidate,
    scope: RootScope,
    below: Option<Arc<Path>>,
    rank: Rank,
    files: Arc<[FoundFile]>,
    at: usize,
}

impl SurveyRow {
    fn new(
        root: &PlacedRoot,
        files: Arc<[FoundFile]>,
        at: usize,
        candidate: SkillCandidate,
    ) -> SurveyRow {
        SurveyRow {
            candidate,
            scope: root.scope,
            below: root.below.as_ref().map(|(_, folder)| folder.clone()),
            rank: Rank {
                root: root.rank,
                level: root.level,
                path: files[at].path.clone(),
            },
            files,
            at,
        }
    }

    fn contender(&mut self) -> Contender<'_> {
        Contender {
            rank: self.rank.clone(),
            real: self.files[self.at].real.clone(),
            found: &mut self.candidate,
        }
    }

    /// Returns the names by which front matter may refer to the skill.
    fn names(&self) -> [Arc<str>; 2] {
        [
            self.candidate.name.clone(),
            self.files[self.at].folder.clone(),
        ]
    }

    fn into_skill(self, roots: &[PlacedRoot], known: &HashSet<Arc<str>>) -> AgentSkill {
        let file = &self.files[self.at];
        let outcome = self.candidate.outcome();
        AgentSkill {
            fix: fixes::fix(&outcome, file, self.scope, roots),
            name: self.candidate.name,
            or_named: self.candidate.or_named,
            path: file.path.clone(),
            real_path: file.real.clone(),
            scope: self.scope,
            description: self.candidate.description,
            requires: self.candidate.dependencies.of_skills(known),
            outcome,
            cost: 0,
        }
    }
}
