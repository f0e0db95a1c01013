//! Approvals of the commands and scripts that skills run.

use std::path::{Path, PathBuf};

use clap::Args;
use repertoire::registry::Candidate;
use repertoire::render::{
    ApprovalFile, Binding, CommandApprovals, Confinement, Dialect, Directive, DirectiveAction,
    DirectiveRunner, Plan, Syntax,
};
use repertoire::skill::text::terminal_line;
use repertoire::skill::{Body, Check, Manifest, Omission, ResourcePath};
use repertoire::{Id, Skill, Trust};

use crate::context::CommandContext;
use crate::failure::Failure;
use crate::options::{Choice, one_of};

/// The option that confines the commands and scripts of skills.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct SandboxOption {
    /// Confine commands and scripts (Linux): no files outside the skill, no network, no new privileges.
    #[arg(
        long = "sandbox",
        value_name = "WHEN",
        num_args = 0..=1,
        require_equals = true,
        default_value = "off",
        default_missing_value = "auto",
        value_parser = one_of(SANDBOXES)
    )]
    confine: Confine,
}

type Confine = fn(DirectiveRunner) -> DirectiveRunner;

const SANDBOXES: &[Choice<Confine>] = &[
    ("off", "Do not confine", |runner| runner),
    (
        "auto",
        "Confine as far as the system can, and report the rules that it cannot enforce",
        |runner| runner.confined(Confinement::default()),
    ),
    ("require", "Run nothing unless fully confined", |runner| {
        runner.confined(Confinement::default().required())
    }),
];

impl SandboxOption {
    pub(crate) fn confine(self, runner: DirectiveRunner) -> DirectiveRunner {
        (self.confine)(runner)
    }
}

/// A skill, its body, and the content that an approval of it is bound to.
#[derive(Debug)]
pub(crate) struct RunnableSkill<'a> {
    pub(crate) id: &'a Id,
    pub(crate) candidate: &'a Candidate<Skill>,
    pub(crate) body: Body,
    /// The dialect that the configuration sets for the source.
    pub(crate) dialect: Option<Dialect>,
    /// The commands and scripts in the body, then the commands of checks. A dialect given by the host can only reduce those of the body.
    pub(crate) directives: Vec<Directive>,
    pub(crate) binding: Binding,
}

impl<'a> RunnableSkill<'a> {
    /// Reads the skill that `name` resolves to and, if it runs anything, every file of it.
    pub(crate) async fn read(
        name: &str,
        context: &'a CommandContext,
    ) -> Result<RunnableSkill<'a>, Failure> {
        let found = context.find(name)?;
        let candidate: &'a Candidate<Skill> = found.candidate;
        let body = context.registry.body(candidate).await?;
        let dialect = context.dialect(&candidate.origin.source);
        let syntax = Syntax::from_skill(&candidate.item, dialect, None);
        let mut directives = Plan::new(&body.text, &syntax).directives().to_vec();
        let checks = candidate.item.verification();
        let commands = checks.iter().filter_map(Check::command);
        directives.extend(commands.map(Directive::command));
        let binding = match directives.as_slice() {
            [] => {
                let binding =
                    Binding::new(candidate.qualified_id(), body.digest, &Manifest::default());
                match skill_folder(candidate) {
                    Some(folder) => binding.in_folder(folder.to_string_lossy()),
                    None => binding,
                }
            }
            _ => context.renderer().binding(candidate, body.digest).await?,
        };
        Ok(RunnableSkill {
            id: &found.entry.id,
            candidate,
            body,
            dialect,
            directives,
            binding,
        })
    }

    pub(crate) fn folder(&self) -> Option<&'a Path> {
        skill_folder(self.candidate)
    }

    /// Returns the files that may run on an approval that does not cover them: files outside of the skill that its commands
    /// name, and files of the skill without a digest.
    pub(crate) fn uncovered(&self) -> Vec<String> {
        let named = self.folder().map_or_else(Vec::new, |folder| {
            uncovered_words(&self.directives, folder, &self.binding)
        });
        let omitted = self
            .binding
            .uncovered
            .iter()
            .map(|omission| omission.path.to_string());
        let mut all: Vec<_> = omitted.filter(|path| !named.contains(path)).collect();
        all.extend(named);
        all
    }

    /// Checks that every file of the skill is within the limits of digests.
    pub(crate) fn refuse_too_large(&self) -> Result<(), Failure> {
        let Some(omission) = self
            .binding
            .uncovered
            .iter()
            .find(|omission| omission.reason.is_limit())
        else {
            return Ok(());
        };
        let path = terminal_line(&omission.path);
        let message = format!(
            "cannot approve `{}`: `{path}` cannot be compared: {}",
            self.id,
            omission.why()
        );
        Err(Failure::new(message).help("make it smaller, or move it out of the skill's folder"))
    }

    pub(crate) fn untrusted_note(&self) -> Option<String> {
        let (trust, source) = (self.candidate.trust, &self.candidate.origin.source);
        (trust != Trust::Trusted).then(|| {
            format!("source `{source}` is {trust}, not trusted, so none of its commands will run")
        })
    }
}

fn skill_folder(candidate: &Candidate<Skill>) -> Option<&Path> {
    Path::new(candidate.item.location.as_deref()?).parent()
}

pub(crate) fn uncovered_note(uncovered: &[String]) -> Option<String> {
    let names: Vec<_> = uncovered
        .iter()
        .map(|name| format!("`{}`", terminal_line(name)))
        .collect();
    (!names.is_empty()).then(|| format!("an approval does not cover {}", names.join(", ")))
}

/// The approvals of a user, and the file that holds them.
#[derive(Debug)]
pub(crate) struct ApprovalStore {
    path: Option<PathBuf>,
    pub(crate) approvals: CommandApprovals,
}

impl ApprovalStore {
    /// Reads the approvals in the file at `path`; without a file there are none.
    pub(crate) fn read(path: Option<PathBuf>) -> Result<ApprovalStore, Failure> {
        let Some(path) = path else {
            return Ok(ApprovalStore {
                path,
                approvals: CommandApprovals::default(),
            });
        };
        match ApprovalFile::read(&path) {
            Ok(ApprovalFile { document, .. }) => Ok(ApprovalStore {
                path: Some(path),
                approvals: document,
            }),
            Err(why) => Err(Failure::new(format!(
                "cannot read `{}`: {why}",
                path.display()
            ))),
        }
    }

    pub(crate) fn write(&self) -> Result<(), Failure> {
        let Some(path) = &self.path else {
            return Err(Failure::new("the folder for approvals is unknown")
                .help("set `HOME` or `XDG_STATE_HOME`"));
        };
        let written = ApprovalFile::new(path, self.approvals.clone()).write();
        written.map_err(|why| Failure::new(format!("cannot write `{}`: {why}", path.display())))
    }
}

/// Returns the words of commands that resolve to an existing file or folder that the binding does not cover.
fn uncovered_words(directives: &[Directive], folder: &Path, binding: &Binding) -> Vec<String> {
    let Ok(folder) = folder.canonicalize() else {
        return Vec::new();
    };
    let mut uncovered: Vec<String> = Vec::new();
    for directive in directives {
        let DirectiveAction::Command { command } = &directive.action else {
            continue;
        };
        for word in command.split(|c: char| c.is_whitespace() || ";&|<>()`\"'={}".contains(c)) {
            let Ok(path) = folder.join(word).canonicalize() else {
                continue;
            };
            let is_covered =
                path == folder || is_system_path(&path) || is_bound(&path, &folder, binding);
            if !word.is_empty() && !is_covered && !uncovered.iter().any(|known| known == word) {
                uncovered.push(word.to_owned());
            }
        }
    }
    uncovered
}

/// Returns whether `path` is a program, a library or a device of the system, which no approval covers.
fn is_system_path(path: &Path) -> bool {
    [
        "/bin",
        "/sbin",
        "/usr",
        "/lib",
        "/opt",
        "/nix/store",
        "/dev",
    ]
    .iter()
    .any(|folder| path.starts_with(folder))
}

fn is_bound(path: &Path, folder: &Path, binding: &Binding) -> bool {
    let Ok(below) = path.strip_prefix(folder) else {
        return false;
    };
    let Some(names) = below
        .iter()
        .map(|name| name.to_str())
        .collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let below = names.join("/");
    let is_omitted = |omission: &Omission| {
        below
            .strip_prefix(&*omission.path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_file = || {
        below
            .parse()
            .is_ok_and(|path: ResourcePath| binding.files.contains_key(&path))
    };
    // The digests of its files cover a folder, and a digest of its own covers SKILL.md.
    !binding.uncovered.iter().any(is_omitted) && (path.is_dir() || below == "SKILL.md" || is_file())
}
