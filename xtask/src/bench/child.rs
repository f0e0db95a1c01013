//! The measurements of child processes, by name.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use repertoire::skill::Source;
use repertoire::{FsSource, SkillRegistry};
use tokio::runtime::Runtime;

use super::sample::{self, Sample};
use super::{arm, bodies, floor, plugin, readers, reload, tree, workflows};
use crate::Failure;

/// A measured load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Load {
    /// Floor: walk, open, read the front matter, close.
    FloorRead,
    /// Floor: walk and ask for the version of each file.
    FloorStat,
    /// Floor: all folders of a nested tree, and the front matter.
    FloorWalk,
    /// Floor: 32 readers, nothing cached.
    FloorCold,
    /// A registry over the tree, loaded; its diagnostics and its order too.
    Warm,
    /// The same, nothing cached.
    Cold,
    /// A second listing with nothing changed.
    Again,
    /// A registry over the tree, loaded in a process after the one that saved its scan.
    Saved,
    /// A registry over a tree of workflow files, loaded.
    Workflows,
}

/// Measures `load` of `tree`, and prints the sample.
pub(super) fn run(load: Load, tree: &Path) -> Result<(), Failure> {
    if matches!(load, Load::FloorCold | Load::Cold) {
        evict(&sample::skills(tree))?;
    }
    let sample = match load {
        Load::FloorRead => counted(tree, floor::read),
        Load::FloorStat => counted(tree, floor::stat),
        Load::FloorWalk => counted(tree, floor::walk),
        Load::FloorCold => counted(tree, floor::read_by_many),
        Load::Warm | Load::Cold => loaded(tree, |source| source),
        Load::Again => again(tree),
        Load::Saved => saved(tree),
        Load::Workflows => workflows::loaded(tree),
    }?;
    print(Ok(sample))
}

/// Prints what was measured.
pub(super) fn print(measured: Result<impl serde::Serialize, Failure>) -> Result<(), Failure> {
    println!("{}", serde_json::to_string(&measured?)?);
    Ok(())
}

/// Prints the cost of a look-up and of a list.
pub(super) fn read(tree: &Path) -> Result<(), Failure> {
    print(readers::measure(&sample::skills(tree)))
}

/// Measures a plugin, and prints it.
pub(super) fn plugin(library: &Path, runner: &Path, count: usize) -> Result<(), Failure> {
    println!(
        "{}",
        serde_json::to_string(&plugin::measure(library, runner, count)?)?
    );
    Ok(())
}

/// Prints what keeping up with one edited file costs.
pub(super) fn reload(tree: &Path) -> Result<(), Failure> {
    println!("{}", serde_json::to_string(&reload::measure(tree)?)?);
    Ok(())
}

/// Prints the cost of starting to watch.
pub(super) fn arm(tree: &Path) -> Result<(), Failure> {
    println!("{}", serde_json::to_string(&arm::measure(tree)?)?);
    Ok(())
}

/// Prints what rendering the bodies costs.
pub(super) fn render(tree: &Path) -> Result<(), Failure> {
    println!("{}", serde_json::to_string(&bodies::measure(tree)?)?);
    Ok(())
}

fn counted(tree: &Path, floor: fn(&Path) -> io::Result<usize>) -> Result<Sample, Failure> {
    let mut count = 0;
    let load = |skills: &Path| {
        count = floor(skills)?;
        Ok(())
    };
    let sample = sample::measure(tree, load, |()| Vec::new())?;
    Ok(Sample {
        loaded: count,
        ..sample
    })
}

fn loaded(tree: &Path, configure: fn(FsSource) -> FsSource) -> Result<Sample, Failure> {
    let runtime = Runtime::new()?;
    let load = |skills: &Path| {
        let source = configure(tree::source(skills)?);
        let registry = runtime.block_on(SkillRegistry::builder().user(source).load())?;
        // Made when first asked for: asked for here, so that they are paid for.
        let snapshot = registry.snapshot();
        std::hint::black_box((snapshot.entries().len(), snapshot.diagnostics().len()));
        Ok(registry)
    };
    sample::measure(tree, load, |registry| {
        let skills = registry.list();
        let written = |entry: &std::sync::Arc<repertoire::registry::Entry<repertoire::Skill>>| {
            (
                entry.item().id.as_str().to_owned(),
                entry.item().description.to_string(),
            )
        };
        skills.iter().map(written).collect()
    })
}

fn saved(tree: &Path) -> Result<Sample, Failure> {
    let skills = sample::skills(tree);
    // Does nothing if an earlier round has saved it.
    Runtime::new()?.block_on(saving(tree::source(&skills)?).list())?;
    loaded(tree, saving)
}

fn saving(source: FsSource) -> FsSource {
    let folder = source.starts().pop().expect("it searches one folder");
    source.saving_scans(folder.with_file_name("scans"), "bench")
}

fn again(tree: &Path) -> Result<Sample, Failure> {
    let runtime = Runtime::new()?;
    let source = tree::source(&sample::skills(tree))?;
    let first = runtime.block_on(source.list())?;
    let sample = sample::measure(
        tree,
        |_| Ok(runtime.block_on(source.list())?),
        |_| Vec::new(),
    )?;
    Ok(Sample {
        loaded: first.len(),
        ..sample
    })
}

/// Drops what the system remembers of the content of every file below `folder`.
fn evict(folder: &Path) -> Result<(), Failure> {
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir()? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                let file = File::open(entry.path())?;
                // What was not written out yet would stay.
                rustix::fs::fdatasync(&file)?;
                rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
            }
        }
    }
    Ok(())
}
