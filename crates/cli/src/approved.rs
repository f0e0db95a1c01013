//! What skills would run, and what the user let run of it.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use repertoire::render::{Approval, Approvals, Binding, Dialect, Directive, Plan, Rights, Switch, Syntax};
use repertoire::{Body, Claim, Skill, Trust};

use crate::failure::Failure;
use crate::replace::Spot;
use crate::session::Session;

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
    /// Reads the skill that `name` means to a person, and lists what lies beside it.
    pub(crate) async fn of(name: &str, session: &'a Session<'_>) -> Result<Asked<'a>, Failure> {
        let found = session.find(name)?;
        let claim: &'a Claim<Skill> = found.claim;
        let body = session.registry.body(claim).await.map_err(|error| Failure::of(&error))?;
        let dialect = session.dialect(&claim.origin.source);
        let directives = Plan::new(&body.text, &Syntax::of(&claim.item, dialect, None)).directives().to_vec();
        let files = match directives.as_slice() {
            [] => Vec::new(),
            _ => session.registry.resources(claim).await.map_err(|error| Failure::of(&error))?,
        };
        let binding = Binding::of(claim.qualified_id(), body.digest, &directives, &files);
        Ok(Asked { id: &found.entry.id, claim, body, dialect, directives, binding })
    }

    /// The folder of the skill, where it lies in one.
    pub(crate) fn folder(&self) -> Option<&'a Path> {
        Path::new(self.claim.item.location.as_deref()?).parent()
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
        fs::create_dir_all(folder)
            .and_then(|()| Spot::in_folder(folder, path.file_name().expect("the file has a name")))
            .and_then(|spot| spot.put_private(format!("{text}\n").as_bytes()))
            .map_err(|error| Failure::io(format!("cannot write `{}`", path.display()), &error))
    }
}

fn read(path: &Path) -> Result<Approvals, Failure> {
    let name = path.display();
    let failure = |error: &io::Error| Failure::io(format!("cannot read `{name}`"), error);
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Approvals::default()),
        Err(error) => return Err(failure(&error)),
    };
    if is_open_to_others(&file).map_err(|error| failure(&error))? {
        let message = format!("`{name}` can be written by others, who could approve for you");
        return Err(Failure::new(message).help("look through it, then `chmod 600` it"));
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|error| failure(&error))?;
    serde_json::from_str(&text).map_err(|error| Failure::new(format!("cannot read `{name}`: {error}")))
}

#[cfg(unix)]
fn is_open_to_others(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let metadata = file.metadata()?;
    Ok(metadata.mode() & 0o022 != 0 || metadata.uid() != rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_open_to_others(_: &File) -> io::Result<bool> {
    Ok(false)
}
