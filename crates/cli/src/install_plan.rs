//! The changes that installing, updating and removing make, and their preview.

use std::collections::BTreeMap;

use clap::Args;
use repertoire::Id;
use repertoire::skill::text::{command_argument, terminal_line};
use repertoire::skill::{Diagnostic, Digest, Manifest, ResourcePath, Severity};
use repertoire_install::{
    FileChange, FileChangeKind, FolderChange, InstalledSkill, ProjectChange, ProjectFolder,
    SourceSkill,
};
use serde::Serialize;

use crate::Environment;
use crate::accepted_content::AcceptedContent;
use crate::diagnostics::{counted, joined};
use crate::failure::Failure;
use crate::installation::Installation;
use crate::lock::RepertoireLock;
use crate::other_lock::OtherLock;
use crate::output::{Output, word};

/// The options of commands that change installed skills.
#[derive(Debug, Args)]
pub(crate) struct ChangeOptions {
    /// Do not ask before writing.
    #[arg(long)]
    yes: bool,
    /// Show the changes and write nothing.
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Replace skills with local changes; the replaced folder is kept in `.repertoire/backup`.
    #[arg(long)]
    force: bool,
    /// Also write the installed skills to the lock file of a different tool.
    #[arg(long = "also-lock", value_enum, value_name = "FILE")]
    other_locks: Vec<OtherLock>,
}

/// The changes of installed skills.
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "InstallOutput")
)]
pub(crate) struct InstallPlan {
    /// Whether the changes were made.
    applied: bool,
    skills: Vec<PlannedSkill>,
    /// The references that have no such skill any more.
    gone: Vec<String>,
    /// The skills whose present content is too young for the policy.
    held_back: Vec<String>,
    #[serde(skip)]
    before: Vec<(Option<Digest>, Option<Digest>)>,
}

/// The change of the folder of one skill.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PlannedSkill {
    action: PlannedAction,
    id: Id,
    /// The folder, relative to the lock.
    path: ResourcePath,
    /// The reference, with the revision as it was typed.
    reference: String,
    /// The commit of a repository, or the digest of an archive.
    revision: Option<String>,
    /// The number of files after the change.
    files: usize,
    /// The programs and scripts among them.
    programs: Vec<ResourcePath>,
    license: Option<String>,
    /// The files that changed in the project or at the source.
    changes: Vec<PlannedFile>,
    /// The files of the source that are never part of a skill.
    left_out: Vec<ResourcePath>,
    /// The problems that `check` finds in `SKILL.md`.
    diagnostics: Vec<Diagnostic>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum PlannedAction {
    Add,
    Update,
    Remove,
    Unchanged,
    /// A skill with local changes is replaced, because of `--force`.
    Replace,
    /// Local changes prevent the change.
    Blocked,
}

/// A file that changed since it was installed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PlannedFile {
    path: String,
    /// The change in the project.
    ours: Option<FileChangeKind>,
    /// The change at the source.
    theirs: Option<FileChangeKind>,
}

impl InstallPlan {
    pub(crate) fn new() -> InstallPlan {
        InstallPlan {
            applied: false,
            skills: Vec::new(),
            gone: Vec::new(),
            held_back: Vec::new(),
            before: Vec::new(),
        }
    }

    pub(crate) fn add_gone(&mut self, row: &InstalledSkill) {
        self.gone.push(format!(
            "`{}` is not in `{}` any more",
            row.id, row.reference
        ));
    }

    /// Leaves a skill as it is, as the policy refuses its present content.
    pub(crate) fn hold_back(&mut self, row: &InstalledSkill, why: &Failure) {
        self.held_back
            .push(format!("`{}` stays as it is: {}", row.id, why.message()));
    }

    /// Plans the content of a row of the lock; `fetched` describes it if it comes from its source.
    pub(crate) fn place(
        &mut self,
        installation: &Installation,
        options: &ChangeOptions,
        row: &InstalledSkill,
        fetched: Option<&SourceSkill>,
    ) -> Result<(), Failure> {
        let new = row.checked_manifest().map_err(Failure::of_install)?;
        installation.policy.check(row)?;
        let mut planned = self.plan(installation, options, row, Some(&new))?;
        if let Some(fetched) = fetched {
            planned.describe(fetched);
        }
        self.skills.push(planned);
        Ok(())
    }

    /// Plans the removal of an installed skill.
    pub(crate) fn remove(
        &mut self,
        installation: &Installation,
        options: &ChangeOptions,
        row: &InstalledSkill,
    ) -> Result<(), Failure> {
        let planned = self.plan(installation, options, row, None)?;
        self.skills.push(planned);
        Ok(())
    }

    fn plan(
        &mut self,
        installation: &Installation,
        options: &ChangeOptions,
        row: &InstalledSkill,
        new: Option<&Manifest>,
    ) -> Result<PlannedSkill, Failure> {
        let at = &installation.at;
        let state = ProjectFolder::state(&at.base, &row.path).map_err(Failure::of_install)?;
        let locked = at.lock.skills.get(&row.path).map(|entry| &entry.manifest);
        let installed = at.lock.installed.get(&row.path);
        let installed = installed.map(InstalledSkill::checked_manifest).transpose();
        let installed = installed.map_err(Failure::of_install)?;
        let none = Manifest::default();
        let is_untouched = installed
            .as_ref()
            .is_some_and(|manifest| state.is(manifest));
        let action = match (&state.manifest, new) {
            (None, None) => PlannedAction::Remove,
            (None, Some(_)) => PlannedAction::Add,
            (Some(_), Some(new)) if state.is(new) => PlannedAction::Unchanged,
            (Some(_), Some(_)) if is_untouched => PlannedAction::Update,
            (Some(_), None) if is_untouched => PlannedAction::Remove,
            _ if options.force => PlannedAction::Replace,
            _ => PlannedAction::Blocked,
        };
        let base = installed.as_ref().or(locked).unwrap_or(&none);
        let changes = state.three_way(base, new.unwrap_or(base));
        let before = state.manifest.as_ref().map(Manifest::digest);
        self.before.push((before, new.map(Manifest::digest)));
        Ok(PlannedSkill {
            action,
            id: row.id.clone(),
            path: row.path.clone(),
            reference: row.reference.to_string(),
            revision: row.commit.clone().or(row.archive.map(String::from)),
            files: new.map_or(0, |manifest| manifest.files().len()),
            programs: Vec::new(),
            license: None,
            changes: changes.into_iter().map(PlannedFile::of).collect(),
            left_out: Vec::new(),
            diagnostics: Vec::new(),
        })
    }

    fn has(&self, action: PlannedAction) -> bool {
        self.skills.iter().any(|skill| skill.action == action)
    }

    /// Returns whether a folder would change.
    pub(crate) fn changes_folders(&self) -> bool {
        let mut actions = self.skills.iter().map(|skill| skill.action);
        actions.any(|action| action != PlannedAction::Unchanged)
    }

    /// Prints the plan without making it.
    pub(crate) fn print(&self, out: &mut Output) {
        out.notes(self.gone.iter().chain(&self.held_back).cloned());
        if !out.write_json(self) {
            for line in self.lines() {
                out.line(line);
            }
        }
    }

    /// Shows the plan, asks, makes it and prints it. The lock afterwards has exactly the installed skills of `lock`.
    pub(crate) fn run(
        mut self,
        installation: &Installation,
        options: &ChangeOptions,
        lock: &RepertoireLock,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let is_blocked = self.has(PlannedAction::Blocked);
        if is_blocked || options.dry_run {
            out.found_problems(is_blocked);
            out.notes(is_blocked.then(|| {
                "nothing was changed, as local changes would be lost; pass `--force` to replace them"
                    .to_owned()
            }));
            self.print(out);
            return Ok(());
        }
        let mut change = self.change(lock);
        for other in &options.other_locks {
            let other = other.text(installation, lock)?;
            out.notes(other.notes);
            change.locks.insert(other.name.to_owned(), other.text);
        }
        if !options.yes && self.changes_folders() {
            self.ask(environment)?;
        }
        let base = &installation.at.base;
        let mut locks = change.locks.iter();
        let is_locked = locks.all(|(name, text)| {
            std::fs::read_to_string(base.join(name)).is_ok_and(|old| old == *text)
        });
        if change.folders.is_empty() && (is_locked || self.skills.is_empty()) {
            self.print(out);
            return Ok(());
        }
        installation
            .store
            .remember(&base.join(RepertoireLock::NAME))
            .map_err(Failure::of_install)?;
        let made = installation.project.apply(&installation.store, &change);
        made.map_err(Failure::of_install)?;
        self.applied = true;
        out.notes(self.new_content_note(installation, lock, environment)?);
        self.print(out);
        Ok(())
    }

    /// Returns a note about the content that is restricted now.
    fn new_content_note(
        &self,
        installation: &Installation,
        lock: &RepertoireLock,
        environment: &Environment<'_>,
    ) -> Result<Option<String>, Failure> {
        if !installation.policy.restricts_new() {
            return Ok(None);
        }
        let accepted = AcceptedContent::read(environment)?;
        let rows = self
            .skills
            .iter()
            .filter_map(|skill| lock.installed.get(&skill.path));
        let new = rows.filter(|row| !accepted.has(&row.manifest));
        let names: Vec<_> = new.map(|row| command_argument(row.id.as_str())).collect();
        Ok((!names.is_empty()).then(|| {
            let names = names.join(" ");
            format!("new content is restricted until you run `repertoire accept {names}`")
        }))
    }

    fn ask(&self, environment: &mut Environment<'_>) -> Result<(), Failure> {
        for line in self.lines() {
            environment.write_stderr(&format!("{}\n", terminal_line(&line)));
        }
        let unanswered = Failure::new("nothing was changed, as there is no terminal to ask on")
            .help("pass `--yes` to make the changes, or `--dry-run` to see them");
        environment.confirm("Make these changes?", "nothing was changed", unanswered)
    }

    fn change(&self, lock: &RepertoireLock) -> ProjectChange {
        let planned = self.skills.iter().zip(&self.before);
        let planned = planned.filter(|(skill, _)| skill.action != PlannedAction::Unchanged);
        let folders: Vec<_> = planned
            .map(|(skill, (before, after))| FolderChange {
                path: skill.path.clone(),
                before: *before,
                after: *after,
                keeps_backup: skill.action == PlannedAction::Replace,
            })
            .collect();
        let changed: Vec<_> = folders.iter().map(|folder| folder.path.clone()).collect();
        ProjectChange {
            folders,
            locks: [(RepertoireLock::NAME.to_owned(), lock.to_text(&changed))].into(),
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<_> = self.skills.iter().flat_map(PlannedSkill::lines).collect();
        lines.push(match (self.skills.len(), self.applied) {
            (0, _) => "no skills".to_owned(),
            (count, true) => format!("{}: done", counted(count, "skill")),
            (count, false) => format!("{}: {}", counted(count, "skill"), self.summary()),
        });
        lines
    }

    fn summary(&self) -> String {
        let mut counts = BTreeMap::new();
        for skill in &self.skills {
            *counts.entry(word(&skill.action)).or_insert(0) += 1;
        }
        let counts = counts.iter().map(|(action, count)| match action.as_str() {
            "blocked" | "unchanged" => format!("{count} {action}"),
            action => format!("{count} to {action}"),
        });
        joined(counts)
    }
}

impl PlannedFile {
    fn of(change: FileChange) -> PlannedFile {
        PlannedFile {
            path: change.path,
            ours: change.ours,
            theirs: change.theirs,
        }
    }
}

impl PlannedSkill {
    /// Adds what a reader should know before the skill is installed.
    fn describe(&mut self, fetched: &SourceSkill) {
        self.programs = fetched.programs().into_iter().cloned().collect();
        self.license = fetched.skill.text("license").map(str::to_owned);
        self.left_out = fetched.left_out.clone();
        self.diagnostics = fetched.diagnostics.clone();
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{:<9} {}  {}  ({}{})",
            word(&self.action),
            self.id,
            self.path,
            self.reference,
            self.short_revision(),
        )];
        let mut facts = Vec::new();
        if self.files > 0 {
            facts.push(counted(self.files, "file"));
        }
        facts.extend(
            self.license
                .iter()
                .map(|license| format!("license {license}")),
        );
        if !self.programs.is_empty() {
            let programs = self.programs.iter().map(ResourcePath::as_str);
            facts.push(format!("programs {}", joined(programs)));
        }
        if !self.left_out.is_empty() {
            let left_out = self.left_out.iter().map(ResourcePath::as_str);
            facts.push(format!("left out {}", joined(left_out)));
        }
        if !facts.is_empty() && self.action != PlannedAction::Unchanged {
            lines.push(format!("          {}", facts.join("; ")));
        }
        if ![PlannedAction::Add, PlannedAction::Unchanged].contains(&self.action) {
            lines.extend(self.changes.iter().map(PlannedFile::line));
        }
        let problems = self.diagnostics.iter();
        let problems = problems.filter(|diagnostic| diagnostic.severity != Severity::Info);
        lines.extend(problems.map(|diagnostic| format!("          {diagnostic}")));
        lines
    }

    fn short_revision(&self) -> String {
        match &self.revision {
            None => String::new(),
            Some(revision) => format!(" at {}", short_revision(revision)),
        }
    }
}

/// Returns the first digits of a commit or a digest.
pub(crate) fn short_revision(revision: &str) -> &str {
    let digits = revision.trim_start_matches("sha256:");
    &digits[..digits.len().min(12)]
}

impl PlannedFile {
    fn line(&self) -> String {
        let ours = self.ours.map(|kind| format!("{} here", word(&kind)));
        let theirs = self
            .theirs
            .map(|kind| format!("{} at the source", word(&kind)));
        let both: Vec<_> = ours.into_iter().chain(theirs).collect();
        format!("          {}: {}", self.path, both.join(", "))
    }
}
