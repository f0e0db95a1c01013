//! Loads of trees of workflow files, compared with those of skills.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use repertoire::registry::Registry;
use repertoire::source::fs::{FileSource, FsOptions};
use repertoire_gateway::WorkflowFile;
use tokio::runtime::Runtime;

use super::child::Load;
use super::rounds::Rounds;
use super::sample::{self, Expected, Sample};
use super::tree::{self, Shape};
use super::{Bench, Figure, Goal, milliseconds};
use crate::Failure;

/// The kinds of workflow files: the ending, and the text of each file.
const KINDS: [(&str, &str); 2] = [
    ("ts", "export default { steps: [\"build\", \"test\"] };\n"),
    (
        "yaml",
        "description: Builds a version and tests it.\nsteps:\n  - id: build\n    step: Build the version.\n    tool: mcp__ci__build\n    params: { jobs: 2 }\n  - step: Look at the log.\n  - step: Report what failed, the worst first.\n",
    ),
];

impl Bench<'_> {
    /// Loads of as many workflow files as skills: scripts, which are not read, and plans, which are parsed.
    pub(super) fn workflows(&mut self) -> Result<(), Failure> {
        let count = if self.options.quick { 200 } else { 10_000 };
        let skills = self
            .folder
            .path()
            .join(format!("{:?}-{count}", Shape::Flat));
        let mut rounds = Rounds::default();
        let of_skills = rounds.add(self.load(Load::Warm, &skills));
        let mut turns = Vec::new();
        for (ending, text) in KINDS {
            let folder = self.folder.path().join(format!("workflows-{ending}"));
            lay(&folder, (ending, text), count)?;
            turns.push((ending, rounds.add(self.load(Load::Workflows, &folder))));
        }
        self.measure(&mut rounds, self.rounds())?;
        let of_skills = rounds.median(of_skills);
        for (ending, turn) in turns {
            let load = rounds.median(turn);
            let right = Figure::new(
                format!("workflows/{ending}/right/{count}"),
                load.right as f64,
                "files",
            );
            self.figures.push(right.goal(Goal::AtLeast(count as f64)));
            for (part, value, skills) in [
                ("cpu", load.cpu, of_skills.cpu),
                ("wall", load.wall, of_skills.wall),
            ] {
                let name = format!("workflows/{ending}/{part}/{count}");
                let figure = Figure::new(name, milliseconds(value), "ms");
                let figure = figure.against(milliseconds(skills), "skills");
                self.figures.push(figure.goal(Goal::RatioAtMost(1.2)));
            }
        }
        Ok(())
    }
}

/// Writes `count` files in folders of their own, as skills have, and the list of what should be found.
fn lay(tree: &Path, (ending, text): (&str, &str), count: usize) -> Result<(), Failure> {
    let folder = sample::skills(tree);
    fs::create_dir_all(&folder)?;
    let mut list = BufWriter::new(File::create(sample::expected(tree))?);
    let description = text
        .lines()
        .find_map(|line| line.strip_prefix("description: "));
    for number in 0..count {
        let name = format!("job-{number}/job-{number}.workflow.{ending}");
        let path = folder.join(&name);
        fs::create_dir_all(path.parent().expect("a workflow lies in a folder"))?;
        tree::write(&path, text.as_bytes())?;
        let description = description.unwrap_or_default().to_owned();
        let expected = Expected { name, description };
        writeln!(list, "{}", serde_json::to_string(&expected)?)?;
    }
    Ok(list.flush()?)
}

/// Measures the load of a registry of workflow files.
pub(super) fn loaded(tree: &Path) -> Result<Sample, Failure> {
    let runtime = Runtime::new()?;
    let load = |folder: &Path| {
        let mut options = FsOptions::default();
        options.patterns = vec!["**/*.workflow.{ts,yaml}".to_owned()];
        let source = FileSource::<WorkflowFile>::from_options("tree", folder, options)?;
        let registry = runtime.block_on(Registry::builder().user(source).load())?;
        // As for skills: made when first asked for.
        let snapshot = registry.snapshot();
        std::hint::black_box((snapshot.entries().len(), snapshot.diagnostics().len()));
        Ok(registry)
    };
    sample::measure(tree, load, |registry| {
        let workflows = registry.list();
        let rows = workflows.iter().map(|entry| {
            let description = entry.item().description.as_deref();
            (
                entry.id.to_string(),
                description.unwrap_or_default().to_owned(),
            )
        });
        rows.collect()
    })
}
