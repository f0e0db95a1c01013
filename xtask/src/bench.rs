//! `cargo xtask bench`: what loading and reading cost, as ratios to floors and to rivals.

mod agents;
mod arm;
mod bodies;
mod catalog;
mod chart;
mod child;
mod engine;
mod figure;
mod floor;
mod growth;
mod installs;
mod known;
mod listing;
mod loads;
mod page;
mod part;
mod plugin;
mod random;
mod readers;
mod reload;
mod rival;
mod rounds;
#[allow(unreachable_pub, reason = "public where a library shares the file")]
mod sample;
mod search;
mod searches;
mod serve;
mod status;
mod summary;
mod template;
mod text_search;
mod tree;
mod trigger;
mod vocabulary;
mod workflows;
mod written;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, ValueEnum};

use self::arm::Arming;
use self::bodies::Bodies;
use self::child::Load;
pub(crate) use self::figure::{Figure, Goal};
pub(crate) use self::page::{Served as ServedPart, pages, write_retrieval, write_served};
use self::part::Part;
use self::readers::Readings;
use self::rounds::Rounds;
pub(crate) use self::sample::{cpu, resident};
pub(crate) use self::serve::{PipedClient, Tongue};
pub(crate) use self::summary::EARLIER_SEARCH;
use self::tree::{Origin, Shape};
use crate::binary::Profile;
use crate::{Failure, step, workspace};

/// The options of the bench.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The number of measurements of each load.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Take the skills from the `SKILL.md` files of this corpus.
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Skip the rivals, which take minutes to build.
    #[arg(long)]
    no_rivals: bool,
    /// Measure growth too: loads, reloads, searches and pages of 1,000, 10,000, 100,000 and 1,000,000 skills, up to N.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "100000")]
    huge: Option<usize>,
    /// 200 skills, one round, no rivals, whatever program this is: to see that everything runs.
    #[arg(long)]
    quick: bool,
    /// The output format; JSON prints one figure a line.
    #[arg(long, default_value = "text")]
    format: Format,
    /// Write `docs/benchmarks.md` too; where searches, serving or installations alone are measured, their part of it.
    #[arg(long, conflicts_with_all = ["corpus", "no_rivals", "quick"])]
    write: bool,
    /// Measure this alone.
    #[arg(long, value_enum)]
    only: Option<Subject>,
    #[command(subcommand)]
    part: Option<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Subject {
    /// Loading, reading and reloading of skills.
    Sources,
    /// Catalogs and tools.
    Engine,
    /// Searches.
    Search,
    /// Serving them over MCP.
    Serving,
    /// The screen of `status` for eight agents.
    Status,
    /// Allocations in a store of agents.
    Agents,
    /// Installing, verifying and listing a collection of a registry.
    Install,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Measures everything and prints it.
pub(crate) fn run(options: Options) -> Result<(), Failure> {
    if let Some(part) = &options.part {
        return part.run();
    }
    let is_written = |only| matches!(only, Subject::Search | Subject::Serving | Subject::Install);
    if options.write && !options.only.is_none_or(is_written) {
        let message =
            "of the parts of the page, searches, servers and installations are written alone";
        return Err(message.into());
    }
    let mut bench = Bench::new(&options)?;
    let wanted = |subject| options.only.is_none_or(|only| only == subject);
    if wanted(Subject::Sources) {
        bench.loads()?;
        bench.workflows()?;
        bench.nested()?;
        bench.readers()?;
        bench.plugins()?;
        bench.bodies()?;
        bench.arming()?;
        bench.reloads()?;
    }
    if wanted(Subject::Search) {
        searches::figures(&mut bench)?;
    }
    if wanted(Subject::Engine) {
        engine::figures(&mut bench)?;
    }
    if wanted(Subject::Status) {
        status::figures(&mut bench)?;
    }
    if wanted(Subject::Agents) {
        agents::figures(&mut bench)?;
    }
    if wanted(Subject::Install) {
        installs::figures(&mut bench)?;
    }
    if wanted(Subject::Serving) {
        serve::figures(&mut bench)?;
    }
    for figure in &bench.figures {
        match options.format {
            Format::Text => println!("{figure}"),
            Format::Json => println!("{}", serde_json::to_string(figure)?),
        }
    }
    bench
        .remarks
        .iter()
        .for_each(|remark| eprintln!("not measured: {remark}"));
    if options.write {
        bench.write()?;
    }
    Ok(())
}

/// A run.
struct Bench<'a> {
    options: &'a Options,
    /// The program that measures: this one, built for speed.
    program: PathBuf,
    /// The folder of the trees. It is on a disk, because a file system in memory has no cold files.
    folder: tempfile::TempDir,
    rivals: Vec<(&'static str, PathBuf)>,
    figures: Vec<Figure>,
    /// The measurements that failed, with the reason.
    remarks: Vec<String>,
}

impl<'a> Bench<'a> {
    fn new(options: &'a Options) -> Result<Bench<'a>, Failure> {
        let target = workspace::target()?;
        let program = if options.quick {
            std::env::current_exe()?
        } else {
            step::command("build", "cargo build --quiet --release -p xtask")?;
            target.join("release/xtask")
        };
        std::fs::create_dir_all(&target)?;
        let folder = tempfile::Builder::new()
            .prefix("bench-")
            .tempdir_in(&target)?;
        growth::check_space(folder.path(), options.huge.unwrap_or_default())?;
        let mut bench = Bench {
            options,
            program,
            folder,
            rivals: Vec::new(),
            figures: Vec::new(),
            remarks: Vec::new(),
        };
        if !options.quick
            && !options.no_rivals
            && options.only.is_none_or(|only| only == Subject::Sources)
        {
            for name in rival::RIVALS {
                eprintln!("building {name}");
                match rival::build(&format!("rival-{name}")) {
                    Ok(program) => bench.rivals.push((name, program)),
                    Err(failure) => bench.remarks.push(failure.to_string()),
                }
            }
        }
        Ok(bench)
    }

    /// Look-ups and lists during refreshes.
    fn readers(&mut self) -> Result<(), Failure> {
        let count = if self.options.quick { 200 } else { 10_000 };
        let tree = self.folder.path().join(format!("Flat-{count}"));
        let mut command = self.itself();
        let readings: Readings = rounds::parsed(command.arg("read").arg(&tree))?;
        let figure =
            |name: &str, seconds: f64| Figure::new(format!("{name}/{count}"), seconds * 1e9, "ns");
        self.figures.extend([
            figure("look-up", readings.get)
                .against(readings.floor_get * 1e9, "map")
                .goal(Goal::RatioAtMost(1.5)),
            figure("list", readings.list).against(readings.floor_list * 1e9, "a copy of the list"),
        ]);
        if self.options.quick {
            return Ok(());
        }
        match rival::build("bench-allocations").map(Command::new) {
            Ok(mut program) => {
                let count: f64 = rounds::parsed(&mut program)?;
                let figure = Figure::new("look-up/allocations/20000", count, "allocations");
                self.figures.push(figure.goal(Goal::AtMost(0.0)));
            }
            Err(failure) => self.remarks.push(failure.to_string()),
        }
        Ok(())
    }

    /// A plugin in this process and in one of its own.
    fn plugins(&mut self) -> Result<(), Failure> {
        let (count, profile) = if self.options.quick {
            (200, Profile::Debug)
        } else {
            (10_000, Profile::Release)
        };
        let (library, runner) = (
            crate::plugin::library("hello", profile)?,
            crate::plugin::runner(profile)?,
        );
        let mut command = self.itself();
        let ways = rounds::parsed(
            command
                .arg("plugin")
                .arg(library)
                .arg(runner)
                .arg(count.to_string()),
        )?;
        self.figures.extend(plugin::figures(&ways, count));
        Ok(())
    }

    /// Watches for every folder of a flat tree.
    fn arming(&mut self) -> Result<(), Failure> {
        let count = if self.options.quick { 200 } else { 10_000 };
        let tree = self.folder.path().join(format!("Flat-{count}"));
        let run = |_| rounds::parsed(self.itself().arg("arm").arg(&tree));
        let runs = (0..self.rounds())
            .map(run)
            .collect::<Result<Vec<Arming>, Failure>>()?;
        let [arm, bare] = [|run: &Arming| run.arm, |run: &Arming| run.bare]
            .map(|part| milliseconds(median(runs.iter().map(part))));
        let figure = Figure::new(format!("arm/cpu/{count}"), arm, "ms");
        self.figures
            .push(figure.against(bare, "inotify").goal(Goal::RatioAtMost(1.5)));
        Ok(())
    }

    /// Rendered bodies.
    fn bodies(&mut self) -> Result<(), Failure> {
        let count = if self.options.quick { 200 } else { 10_000 };
        let tree = self.folder.path().join(format!("Flat-{count}"));
        let mut command = self.itself();
        let bodies: Bodies = rounds::parsed(command.arg("render").arg(&tree))?;
        let figure = |name: &str, seconds: f64| {
            Figure::new(format!("render/{name}/{count}"), seconds * 1e3, "ms")
        };
        self.figures.extend([
            figure("plain", bodies.plain).against(bodies.copy * 1e3, "a copy"),
            figure("placeholders", bodies.placeholders)
                .against(bodies.parser * 1e3, "the parser")
                .goal(Goal::RatioAtMost(1.5)),
            figure("eightfold", bodies.long)
                .against(bodies.short * 8e3, "8 x an eighth")
                .goal(Goal::RatioAtMost(1.5)),
        ]);
        Ok(())
    }

    /// Writes the page, or the part of it that was measured.
    fn write(&self) -> Result<(), Failure> {
        let of_servers =
            |figure: &&Figure| figure.name.starts_with("serve/") || figure.name.contains("/serve/");
        let (servers, others): (Vec<Figure>, Vec<Figure>) = self
            .figures
            .iter()
            .cloned()
            .partition(|figure| of_servers(&figure));
        match self.options.only {
            Some(Subject::Serving) => {
                return write_served(ServedPart::Servers, &servers, &self.remarks);
            }
            Some(Subject::Search) => return page::write_rows("search/", &others),
            Some(Subject::Install) => return page::write_rows("install/", &others),
            _ => {}
        }
        page::write(&others, &self.remarks)?;
        write_served(ServedPart::Servers, &servers, &[])
    }

    /// Returns `sizes`, and those of growth.
    fn sizes(&self, sizes: &[usize]) -> BTreeSet<usize> {
        let most = self.options.huge.unwrap_or_default();
        let growing = growth::SIZES.into_iter().filter(|size| *size <= most);
        sizes.iter().copied().chain(growing).collect()
    }

    /// Returns the tree of this shape, which is written once.
    fn tree(&self, shape: Shape, count: usize) -> Result<PathBuf, Failure> {
        let tree = self.folder.path().join(format!("{shape:?}-{count}"));
        if tree.is_dir() {
            return Ok(tree);
        }
        eprintln!("laying down {count} skills, {shape:?}");
        let origin = self
            .options
            .corpus
            .clone()
            .map_or(Origin::Templates, Origin::Corpus);
        tree::lay(&tree, shape, count, &origin)?;
        Ok(tree)
    }

    /// This program as a child.
    fn itself(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("bench");
        command
    }

    fn load(&self, load: Load, tree: &Path) -> Command {
        let mut command = self.itself();
        let name = load
            .to_possible_value()
            .expect("no load is hidden from the command line");
        command.arg("load").arg(name.get_name()).arg(tree);
        command
    }

    /// Returns the number of measurements of each load.
    fn rounds(&self) -> usize {
        if self.options.quick {
            1
        } else {
            self.options.rounds
        }
    }

    fn measure(&self, rounds: &mut Rounds, count: usize) -> Result<(), Failure> {
        eprintln!("measuring {count} rounds");
        rounds.run(count)
    }
}

fn milliseconds(seconds: f64) -> f64 {
    seconds * 1e3
}

/// The value below which this part of the sorted values is, or zero without any.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = sorted.len().saturating_sub(1) as f64 * part;
    sorted.get(place as usize).copied().unwrap_or_default()
}

/// The one in the middle; of two in the middle the greater.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
