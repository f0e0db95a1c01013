//! What skills would run, and what the user let run of it.

use std::path::{Path, PathBuf};

use repertoire::render::{Action, Approval, Approvals, Binding, Dialect, Directive, Plan, Rights, Switch, Syntax};
use repertoire::{Body, Claim, Manifest, Omission, ResourcePath, Skill, Trust, make_own_folder, read_own_file};

use crate::failure::Failure;
use crate::replace::Spot;
use crate::session::Session;
use crate::shown::shown;

/// A skill, its body, and what an approval of it would be bound to.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) id: &'a repertoire::Id,
    pub(crate) claim: &'a Claim<Skill>,
    pub(crate) body: Body,
    /// What its source says about its bodies.
    pub(crate) dialect: Option<Dialect>,
    /// What it would run. A dialect of the host may make that less, and never more.
    pub(crate) directives: Vec<Directive>,
    pub(crate) binding: Binding,
}

impl<'a> Asked<'a> {
    /// Reads the skill that `name` means to a person, and everything that lies beside it where it runs anything.
    pub(crate) async fn of(name: &str, session: &'a Session<'_>) -> Result<Asked<'a>, Failure> {
        let found = session.find(name)?;
        let claim: &'a Claim<Skill> = found.claim;
        let body = session.registry.body(claim).await.map_err(|error| Failure::of(&error))?;
        let dialect = session.dialect(&claim.origin.source);
        let directives = Plan::new(&body.text, &Syntax::of(&claim.item, dialect, None)).directives().to_vec();
        let binding = match directives.as_slice() {
            [] => {
                let binding = Binding::of(claim.qualified_id(), body.digest, &Manifest::default());
                let folder = claim.item.location.as_deref().and_then(|location| Path::new(location).parent());
                folder.map(Path::to_string_lossy).into_iter().fold(binding, Binding::in_folder)
            }
            _ => session.renderer().binding(claim, body.digest).await.map_err(|error| Failure::of(&error))?,
        };
        Ok(Asked { id: &found.entry.id, claim, body, dialect, directives, binding })
    }

    /// The folder of the skill, where it lies in one.
    pub(crate) fn folder(&self) -> Option<&'a Path> {
        Path::new(self.claim.item.location.as_deref()?).parent()
    }

    /// What may run on an approval that does not cover it: what the skill's commands name outside of it, and what of the skill
    /// no digest covers.
    pub(crate) fn uncovered(&self) -> Vec<String> {
        let named = self.folder().map_or_else(Vec::new, |folder| uncovered(&self.directives, folder, &self.binding));
        let left_out = self.binding.uncovered.iter().map(|omission| omission.path.to_string());
        let mut all: Vec<_> = left_out.filter(|path| !named.contains(path)).collect();
        all.extend(named);
        all
    }

    /// Refuses what has too much in it to be told from other content.
    pub(crate) fn refuse_too_large(&self) -> Result<(), Failure> {
        let Some(met) = self.binding.uncovered.iter().find(|omission| omission.reason.is_limit()) else {
            return Ok(());
        };
        let message =
            format!("`{}` cannot be approved: `{}` cannot be compared: {}", self.id, shown(&met.path), met.why());
        Err(Failure::new(message).help("make it smaller, or keep it outside of the skill's folder"))
    }

    pub(crate) fn rights(&self, switch: Switch, approval: Approval) -> Rights {
        Rights { switch, trust: self.claim.trust, approval }
    }

    /// What people should know who expect that an approval is enough.
    pub(crate) fn distrust(&self) -> Option<String> {
        let trust = self.claim.trust;
        (trust != Trust::Trusted)
            .then(|| format!("its source `{}` is {trust}: nothing of it runs", self.claim.origin.source))
    }
}

/// Whatever the user let run, in a file that nobody else writes.
#[derive(Debug)]
pub(crate) struct Approved {
    path: Option<PathBuf>,
    pub(crate) approvals: Approvals,
}

impl Approved {
    /// What was approved so far; nothing where there is no file.
    pub(crate) fn read(session: &Session<'_>) -> Result<Approved, Failure> {
        Approved::at(session.approvals())
    }

    /// What was approved so far in the file at `path`.
    pub(crate) fn at(path: Option<PathBuf>) -> Result<Approved, Failure> {
        let approvals = match &path {
            Some(path) => read(path)?,
            None => Approvals::default(),
        };
        Ok(Approved { path, approvals })
    }

    /// Keeps what is approved now.
    pub(crate) fn write(&self) -> Result<(), Failure> {
        let Some(path) = &self.path else {
            return Err(Failure::new("there is no folder to keep approvals in").help("set `HOME` or `XDG_STATE_HOME`"));
        };
        let text =
            serde_json::to_string_pretty(&self.approvals).expect("approvals have text keys and no fallible parts");
        let folder = path.parent().expect("the file is in a folder of ours");
        make_own_folder(folder).map_err(|why| Failure::new(format!("cannot write `{}`: {why}", path.display())))?;
        Spot::in_folder(folder, path.file_name().expect("the file has a name"))
            .and_then(|spot| spot.put_private(format!("{text}\n").as_bytes()))
            .map_err(|error| Failure::io(format!("cannot write `{}`", path.display()), &error))
    }
}

fn read(path: &Path) -> Result<Approvals, Failure> {
    let failure = |why: String| Failure::new(format!("cannot read `{}`: {why}", path.display()));
    let Some(bytes) = read_own_file(path).map_err(failure)? else { return Ok(Approvals::default()) };
    serde_json::from_slice(&bytes).map_err(|error| failure(error.to_string()))
}

/// Whether a path leads to a program or a device of the machine, which no approval covers.
fn is_of_machine(path: &Path) -> bool {
    const FOLDERS: [&str; 7] = ["/bin", "/sbin", "/usr", "/lib", "/opt", "/nix/store", "/dev"];
    FOLDERS.iter().any(|folder| path.starts_with(folder))
}

/// The words of the commands that lead to something on this disk that the binding does not cover.
fn uncovered(directives: &[Directive], folder: &Path, binding: &Binding) -> Vec<String> {
    let Ok(real) = folder.canonicalize() else { return Vec::new() };
    let is_covered = |path: &Path| {
        let Ok(inside) = path.strip_prefix(&real) else { return false };
        let names: Option<Vec<&str>> = inside.iter().map(|name| name.to_str()).collect();
        let Some(names) = names else { return false };
        let below = names.join("/");
        let is_in = |omission: &Omission| {
            below.strip_prefix(&*omission.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let is_file = || below.parse().is_ok_and(|path: ResourcePath| binding.files.contains_key(&path));
        // A folder is covered by its files, and the instructions by their digest.
        !binding.uncovered.iter().any(is_in) && (path.is_dir() || below == "SKILL.md" || is_file())
    };
    let mut words: Vec<String> = Vec::new();
    for directive in directives {
        let Action::Command { command } = &directive.action else { continue };
        let is_end = |c: char| c.is_whitespace() || ";&|<>()`\"'={}".contains(c);
        for word in command.split(is_end).filter(|word| !word.is_empty()) {
            let leads_to = folder.join(word).canonicalize();
            let leads_out = leads_to.is_ok_and(|path| path != real && !is_of_machine(&path) && !is_covered(&path));
            if leads_out && !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        }
    }
    words
}
