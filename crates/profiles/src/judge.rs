//! The result for one file, before files of the same name are compared.

use std::sync::Arc;

use crate::dependencies::DeclaredDependencies;
use crate::fact::{Choice, Fact};
use crate::files::{FileCache, FileKind, FoundFile};
use crate::head::{HeadState, SkillHead};
use crate::placed_root::PlacedRoot;
use crate::schema::{
    Below, BrokenYaml, Depth, LongDescription, NameFrom, NameMismatch, NameRule, NoDescription,
    NoFrontMatter, ProfileFile,
};
use crate::settings::AgentSettings;
use crate::view::{ListedAs, SkillOutcome, UnseenReason};

/// The most characters of a description in the standard.
const LONG_DESCRIPTION: usize = 1024;
/// The most characters of a name in the standard.
const LONG_NAME: usize = 64;

/// A skill file with all results that the facts leave open.
#[derive(Debug)]
pub(crate) struct SkillCandidate {
    pub(crate) name: Arc<str>,
    pub(crate) or_named: Vec<Arc<str>>,
    pub(crate) description: Option<Arc<str>>,
    pub(crate) dependencies: Arc<DeclaredDependencies>,
    /// The reason that certainly applies.
    pub(crate) omitted: Option<UnseenReason>,
    /// The reasons that may apply.
    pub(crate) doubts: Vec<UnseenReason>,
    /// The forms in which it may be listed.
    pub(crate) forms: Vec<(ListedAs, Option<UnseenReason>)>,
}

impl SkillCandidate {
    pub(crate) fn named(name: Arc<str>) -> SkillCandidate {
        SkillCandidate {
            name,
            or_named: Vec::new(),
            description: None,
            dependencies: Arc::default(),
            omitted: None,
            doubts: Vec::new(),
            forms: vec![(ListedAs::Full, None)],
        }
    }

    pub(crate) fn omit(&mut self, reason: UnseenReason) {
        self.omitted.get_or_insert(reason);
    }

    pub(crate) fn doubt(&mut self, reason: UnseenReason) {
        if !self.doubts.contains(&reason) {
            self.doubts.push(reason);
        }
    }

    /// Omits the file if every possible value refuses it, and doubts if some do.
    fn weigh<T: Choice>(&mut self, fact: &Fact<T>, refuses: impl Fn(&T) -> Option<UnseenReason>) {
        let possible = fact.possible();
        let refused = possible.iter().filter_map(&refuses).count();
        if refused == 0 {
            return;
        }
        for reason in possible.iter().filter_map(&refuses) {
            match refused == possible.len() {
                true => self.omit(reason),
                false => self.doubt(reason),
            }
        }
    }

    /// Lists the skill in a narrower form.
    pub(crate) fn narrow(&mut self, listed: ListedAs, reason: UnseenReason) {
        self.narrow_to_one_of(&[listed], &reason);
    }

    /// Lists the skill in one of several forms.
    fn narrow_to_one_of(&mut self, listed: &[ListedAs], reason: &UnseenReason) {
        let mut forms = Vec::with_capacity(listed.len());
        for (form, because) in std::mem::take(&mut self.forms) {
            for listed in listed {
                let narrower = narrower(form, *listed);
                let made = match narrower == form {
                    true => (form, because.clone()),
                    false => (narrower, Some(reason.clone())),
                };
                if !forms.contains(&made) {
                    forms.push(made);
                }
            }
        }
        self.forms = forms;
    }

    pub(crate) fn outcome(&self) -> SkillOutcome {
        if let Some(reason) = self.omitted.clone() {
            return SkillOutcome::Omitted { reason };
        }
        let loaded = self.forms.iter().cloned();
        let mut one_of: Vec<_> = loaded
            .map(|(listed, because)| SkillOutcome::Loaded { listed, because })
            .collect();
        let doubts = self.doubts.iter().cloned();
        one_of.extend(doubts.map(|reason| SkillOutcome::Omitted { reason }));
        SkillOutcome::one_of(one_of)
    }
}

fn narrower(form: ListedAs, by: ListedAs) -> ListedAs {
    match (form, by) {
        (_, ListedAs::Unlisted) | (ListedAs::Unlisted, _) => ListedAs::Unlisted,
        (ListedAs::UserOnly, ListedAs::ModelOnly) | (ListedAs::ModelOnly, ListedAs::UserOnly) => {
            ListedAs::Unlisted
        }
        (ListedAs::UserOnly, _) => ListedAs::UserOnly,
        (form, ListedAs::Full) => form,
        (ListedAs::NameOnly, ListedAs::Shortened) => ListedAs::NameOnly,
        (_, by) => by,
    }
}

/// The facts of one agent in one place, ready to judge a file.
pub(crate) struct Judge<'a> {
    pub(crate) profile: &'a ProfileFile,
    pub(crate) settings: &'a AgentSettings,
}

impl Judge<'_> {
    /// Returns the result for a file of a root of this agent, or `None` if the file is of a different kind.
    pub(crate) fn candidate(
        &self,
        root: &PlacedRoot,
        file: &FoundFile,
        files: &mut FileCache,
    ) -> Option<SkillCandidate> {
        let is_loose = file.kind == FileKind::Loose;
        if root.commands && !is_loose {
            return None;
        }
        let mut found = SkillCandidate::named(file.folder.clone());
        match &root.off {
            Some(reason) if root.is_off_unknown => found.doubt(reason.clone()),
            Some(reason) => found.omit(reason.clone()),
            None => {}
        }
        if let Some((below, folder)) = &root.below {
            let reason = UnseenReason::NotYet {
                folder: folder.clone(),
            };
            match below {
                Below::OnDemand => found.omit(reason),
                Below::Conditional => found.narrow(ListedAs::Conditional, reason),
                Below::Unknown => found.doubt(reason),
                Below::No => return None,
            }
        }
        if !root.commands {
            self.reading(root, file, &mut found);
        }
        let head = files.head(file);
        found.dependencies = head.dependencies.clone();
        self.front_matter(&head, &mut found);
        // A loose file has the name of the file.
        if !is_loose {
            self.name(&head, file, &mut found);
        }
        if let Some(prefix) = &root.prefix {
            for name in std::iter::once(&mut found.name).chain(&mut found.or_named) {
                *name = format!("{prefix}:{name}").into();
            }
        }
        self.flags(&head, file, files, &mut found);
        for effect in self.settings.effects(&found.name, &file.path, root.scope) {
            match (effect.listed, effect.is_doubtful) {
                (ListedAs::Unlisted, true) => found.doubt(effect.reason),
                (ListedAs::Unlisted, false) => found.omit(effect.reason),
                (listed, _) => found.narrow(listed, effect.reason),
            }
        }
        Some(found)
    }

    fn reading(&self, root: &PlacedRoot, file: &FoundFile, found: &mut SkillCandidate) {
        let rules = &self.profile.reading;
        if file.kind == FileKind::Loose {
            match root.loose_files {
                Some(true) => {}
                Some(false) => found.omit(UnseenReason::FileName),
                None => found.weigh(&rules.loose_files, |counts| {
                    (!counts).then_some(UnseenReason::FileName)
                }),
            }
            return;
        }
        let too_deep = |depth: &Depth| match depth {
            Depth::Levels(most) if file.depth > *most => {
                Some(UnseenReason::TooDeep { depth: *most })
            }
            _ => None,
        };
        match &root.depth {
            Some(depth) => {
                if let Some(reason) = too_deep(depth) {
                    found.omit(reason);
                }
            }
            None => found.weigh(&rules.depth, too_deep),
        }
        let checks = [
            (file.depth == 0, &rules.root_file, UnseenReason::InRoot),
            (
                file.is_hidden,
                &rules.hidden_folders,
                UnseenReason::HiddenFolder,
            ),
            (
                file.is_inside_skill,
                &rules.inside_skills,
                UnseenReason::InsideSkill,
            ),
            (file.is_folder_link, &rules.folder_links, UnseenReason::Link),
            (file.is_file_link, &rules.file_links, UnseenReason::Link),
        ];
        for (applies, fact, reason) in checks {
            if applies {
                found.weigh(fact, |counts| (!counts).then(|| reason.clone()));
            }
        }
        if file.kind == FileKind::OtherCase {
            found.weigh(&rules.exact_file_name, |exact| {
                exact.then_some(UnseenReason::FileName)
            });
        }
    }

    fn front_matter(&self, head: &SkillHead, found: &mut SkillCandidate) {
        let rules = &self.profile.front_matter;
        let mut is_empty = false;
        match head.state {
            HeadState::Unreadable => found.omit(UnseenReason::Unreadable),
            HeadState::Missing(line) => found.weigh(&rules.missing, |missing| {
                (*missing == NoFrontMatter::Skipped).then_some(UnseenReason::NoFrontMatter { line })
            }),
            HeadState::Broken(line) => {
                is_empty = rules.broken.known() == Some(&BrokenYaml::Empty);
                found.weigh(&rules.broken, |broken| {
                    (*broken == BrokenYaml::Skipped)
                        .then_some(UnseenReason::BrokenFrontMatter { line })
                });
                if is_empty {
                    let reason = UnseenReason::BrokenFrontMatter { line };
                    found.narrow(ListedAs::NameOnly, reason);
                }
            }
            HeadState::Whole => {}
        }
        let written = head.text("description").filter(|_| !is_empty);
        match written {
            Some(text) => {
                found.description = Some(match head.text("when_to_use") {
                    Some(when) if self.understands("when_to_use") => {
                        format!("{text} - {when}").into()
                    }
                    _ => text.into(),
                });
                self.long_description(found);
            }
            None => self.no_description(head, found),
        }
    }

    fn long_description(&self, found: &mut SkillCandidate) {
        let text = found.description.as_deref().unwrap_or_default();
        // Bytes are never fewer than characters, and are known without counting.
        if text.len() <= LONG_DESCRIPTION || text.chars().count() <= LONG_DESCRIPTION {
            return;
        }
        let fact = &self.profile.front_matter.long_description;
        found.weigh(fact, |long| {
            (*long == LongDescription::Skipped).then_some(UnseenReason::LongDescription)
        });
        let forms: Vec<_> = fact
            .possible()
            .iter()
            .filter_map(|long| match long {
                LongDescription::Whole => Some(ListedAs::Full),
                LongDescription::Shortened => Some(ListedAs::Shortened),
                LongDescription::Skipped => None,
            })
            .collect();
        if !forms.is_empty() {
            found.narrow_to_one_of(&forms, &UnseenReason::LongDescription);
        }
    }

    fn no_description(&self, head: &SkillHead, found: &mut SkillCandidate) {
        let fact = &self.profile.front_matter.no_description;
        let reason = || UnseenReason::MissingField {
            name: "description".into(),
        };
        found.weigh(fact, |missing| {
            (*missing == NoDescription::Skipped).then(reason)
        });
        let possible = fact.possible();
        if possible.contains(&NoDescription::Body) {
            found.description.clone_from(&head.first_paragraph);
        }
        let forms: Vec<_> = possible
            .iter()
            .filter_map(|missing| match missing {
                NoDescription::Skipped => None,
                NoDescription::Body => Some(ListedAs::Full),
                NoDescription::NameOnly => Some(ListedAs::NameOnly),
                NoDescription::UserOnly => Some(ListedAs::UserOnly),
            })
            .collect();
        if !forms.is_empty() {
            found.narrow_to_one_of(&forms, &reason());
        }
    }

    fn name(&self, head: &SkillHead, file: &FoundFile, found: &mut SkillCandidate) {
        let rules = &self.profile.naming;
        let folder = &file.folder;
        let written: Option<Arc<str>> = head.text("name").map(Into::into);
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut add = |name: &Arc<str>| {
            if !names.contains(name) {
                names.push(name.clone());
            }
        };
        for from in rules.from.possible() {
            match (from, &written) {
                (NameFrom::Folder, _) | (NameFrom::FieldOrFolder, None) => add(folder),
                (NameFrom::Field | NameFrom::FieldOrFolder, Some(name)) if name != folder => {
                    for mismatch in rules.mismatch.possible() {
                        match mismatch {
                            NameMismatch::Loads => add(name),
                            NameMismatch::FolderName => add(folder),
                            NameMismatch::Skipped => {}
                        }
                    }
                }
                (NameFrom::Field | NameFrom::FieldOrFolder, Some(name)) => add(name),
                (NameFrom::Field, None) => {}
            }
        }
        if written.is_none() {
            found.weigh(&rules.from, |from| {
                (*from == NameFrom::Field).then(|| UnseenReason::MissingField {
                    name: "name".into(),
                })
            });
        }
        if written.as_ref().is_some_and(|name| name != folder) {
            found.weigh(&rules.mismatch, |mismatch| {
                (*mismatch == NameMismatch::Skipped).then_some(UnseenReason::NameMismatch)
            });
        }
        if let Some((first, rest)) = names.split_first() {
            found.name = first.clone();
            found.or_named = rest.to_vec();
        }
        let name = found.name.clone();
        found.weigh(&rules.rule, |rule| {
            breaks(*rule, &name).then_some(UnseenReason::NameRule)
        });
    }

    fn flags(
        &self,
        head: &SkillHead,
        file: &FoundFile,
        files: &mut FileCache,
        found: &mut SkillCandidate,
    ) {
        let flags = [
            ("disable-model-invocation", true, ListedAs::UserOnly),
            ("user-invocable", false, ListedAs::ModelOnly),
            ("disabled", true, ListedAs::Unlisted),
            ("enabled", false, ListedAs::Unlisted),
        ];
        for (name, value, listed) in flags {
            let Some((written, line)) = head.field(name) else {
                continue;
            };
            if written.as_bool() != Some(value) || !self.understands(name) {
                continue;
            }
            let reason = UnseenReason::Flag {
                name: name.into(),
                line: Some(line),
            };
            match listed {
                ListedAs::Unlisted => found.omit(reason),
                listed => found.narrow(listed, reason),
            }
        }
        if let Some((_, line)) = head.field("paths").filter(|_| self.understands("paths")) {
            let reason = UnseenReason::Flag {
                name: "paths".into(),
                line: Some(line),
            };
            found.narrow(ListedAs::Conditional, reason);
        }
        let sidecar = self.profile.flags.sidecar.as_ref().and_then(Fact::known);
        if let Some(path) = sidecar.and_then(|sidecar| Some(file.path.parent()?.join(sidecar)))
            && let Some(line) = files
                .settings(&path)
                .and_then(|sidecar| sidecar.line_of("allow_implicit_invocation: false"))
        {
            let reason = UnseenReason::Flag {
                name: "allow_implicit_invocation".into(),
                line: Some(line),
            };
            found.narrow(ListedAs::UserOnly, reason);
        }
    }

    fn understands(&self, flag: &str) -> bool {
        let understood = self.profile.flags.understood.known();
        understood.is_some_and(|flags| flags.iter().any(|known| known == flag))
    }
}

fn breaks(rule: NameRule, name: &str) -> bool {
    let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    match rule {
        NameRule::Any => false,
        NameRule::Short => name.chars().count() > LONG_NAME,
        NameRule::Kebab => name.len() > LONG_NAME || !name.chars().all(is_kebab),
    }
}
