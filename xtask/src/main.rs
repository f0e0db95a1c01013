//! Tasks of this workspace: `cargo xtask --help`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

mod acp;
mod api_client;
#[cfg(test)]
mod architecture;
mod bench;
mod binary;
mod book;
mod browser;
mod cases;
mod ci;
mod command_line;
mod corpus;
mod demo;
mod dist;
mod fields;
mod fuzz;
mod gateway_servers;
mod generate;
mod lint;
mod listening_server;
mod mcp_clients;
mod mcp_load;
#[cfg(test)]
mod modules;
mod oci;
mod packages;
mod plugin;
mod postgres;
#[cfg(test)]
mod public_items;
mod retrieval;
mod skills_tool;
mod soak;
mod step;
#[cfg(test)]
mod style;
mod test;
#[cfg(test)]
mod tidy;
mod venv;
mod workspace;

/// The error of a task, for people.
type Failure = Box<dyn std::error::Error>;

/// Tasks of this workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Call every operation of the gateway through a client that its OpenAPI document generates; installs the generator from PyPI.
    ApiClient,
    /// Run the tests: format, tests of every crate, examples in the documentation.
    Test,
    /// Check lints, documentation, each feature alone, the book and dependencies.
    Lint,
    /// Run what `test` leaves out: `lint`, slow tests, tests of features, `soak`, MCP clients, a generated client, the page in a browser, skills from a registry, the tool `skills`, valgrind, advisories, shared cases and corpus.
    Ci {
        /// The directory that holds `cases` and `corpus` [default: `shared` beside the checkout].
        #[arg(long, value_name = "DIR")]
        shared: Option<PathBuf>,
    },
    /// Measure loading and reading, as ratios to floors and to rivals.
    Bench(bench::Options),
    /// Open the page of the gateway in Chromium; installs axe-core from npm.
    Browser(browser::Options),
    /// Run the cases of a directory.
    Cases {
        /// One directory per case, each with an `expect.txt`.
        dir: PathBuf,
        /// The binary `repertoire` to check; built first if none is named.
        #[arg(long, value_name = "FILE")]
        binary: Option<PathBuf>,
    },
    /// Parse real `SKILL.md` files and compare.
    Corpus {
        /// The directory that holds `EXPECTED.jsonl`.
        dir: PathBuf,
    },
    /// Show the main job from start to finish.
    Demo,
    /// Build what a release carries: program, archive, wheel, npm package, checksums, bill of materials.
    Dist {
        /// Build nothing; install what was built into empty environments, and use it.
        #[arg(long)]
        check: bool,
    },
    /// Build the release library of a plugin, and print its digest.
    DistPlugin {
        /// A folder of `plugins`.
        name: String,
    },
    /// Fuzz the `SKILL.md` parser and formatter.
    Fuzz {
        /// For how long.
        #[arg(default_value_t = 60)]
        seconds: u32,
    },
    /// Write the generated parts of the documentation.
    Gen {
        /// Write nothing; fail if anything would be written.
        #[arg(long)]
        check: bool,
    },
    /// Run the example gateway with MCP servers and clients of other projects; installs them from PyPI and npm.
    GatewayServers(gateway_servers::Options),
    /// Run clients of other projects against the MCP server; installs them from PyPI and npm.
    McpClients,
    /// Load the MCP server with sessions that list and read, and with sessions that wait for notifications.
    McpLoad(mcp_load::Options),
    /// Install skills from a registry and a git daemon, pushed with skopeo and oras; installs oras from PyPI.
    Oci(oci::Options),
    /// Measure how often a search finds the right skill, on public questions and beside other programs.
    Retrieval(retrieval::Options),
    /// Compare folders of agents, locks and times with those of the tool `skills`; installs it from PyPI and npm.
    SkillsTool,
    /// Edit, rename, move, break and delete a tree at random under a live registry, and compare with a fresh scan.
    Soak(soak::Options),
}

fn main() -> ExitCode {
    let ended = match Task::parse() {
        Task::ApiClient => api_client::run(),
        Task::Test => test::run(),
        Task::Lint => lint::run(),
        Task::Ci { shared } => ci::run(shared),
        Task::Bench(options) => bench::run(options),
        Task::Browser(options) => browser::run(&options),
        Task::Cases { dir, binary } => cases::run(&dir, binary),
        Task::Corpus { dir } => corpus::run(&dir),
        Task::Demo => demo::run(),
        Task::Dist { check: true } => dist::check(),
        Task::Dist { check: false } => dist::run(),
        Task::DistPlugin { name } => plugin::dist(&name),
        Task::Fuzz { seconds } => fuzz::run(seconds),
        Task::Gen { check: true } => generate::check(),
        Task::Gen { check: false } => generate::write(),
        Task::GatewayServers(options) => gateway_servers::run(&options),
        Task::McpClients => mcp_clients::run(),
        Task::McpLoad(options) => mcp_load::run(options),
        Task::Oci(options) => oci::run(&options),
        Task::Retrieval(options) => retrieval::run(&options),
        Task::SkillsTool => skills_tool::run(),
        Task::Soak(options) => soak::run(&options),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
