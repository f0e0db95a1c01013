//! A gateway: four registries of one shape that describe everything a host can run, supervise or call.
//!
//! ```
//! use repertoire::config::HostSettings;
//! use repertoire_gateway::Gateway;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let project = tempfile::tempdir()?;
//! # std::fs::create_dir(project.path().join("workflows"))?;
//! # std::fs::write(project.path().join("workflows/build.workflow.ts"), "export default {}\n")?;
//! # std::fs::write(project.path().join("repertoire.toml"), "[[registries.agents]]\nid = \"coder\"\ncommand = \"coder\"\n")?;
//! let gateway = Gateway::open("repertoire.toml", HostSettings::new(project.path()))?;
//! let registries = gateway.start(&tokio::runtime::Handle::current()).await?;
//! assert!(registries.workflows.get("workflows/build.workflow.ts").is_some());
//! assert!(registries.agents.get("coder").is_some());
//!
//! // After the file was edited:
//! let reloaded = gateway.reload(None).await?;
//! assert!(reloaded.agents.is_none());
//! gateway.stop().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Registries
//! | registry | filled from | followed |
//! |---|---|---|
//! | `skills` | the sources of the file, and the folders of `[registries.skills]` | yes |
//! | `workflows` | the files that `[registries.workflows]` selects | yes |
//! | `agents` | `[[registries.agents]]` | at a reload |
//! | `mcp-servers` | `[[registries.mcp-servers]]`, and files of clients | at a reload |
//!
//! Each is a [`Registry`](repertoire::registry::Registry): `list`, `get`, `on_change`, `refresh` and `close` mean the same for all.
//! An item that is [registered](repertoire::registry::Registry::register) in code wins over one that was found, and survives reloads.
//!
//! # MCP servers
//! A supervisor starts the servers of the registry `mcp-servers`, on demand or at once, and ends them with the gateway. A reload restarts
//! only those whose definition changed. [`Gateway::tool_provider`] lists their tools and calls them.
//!
//! # Life
//! A [`Gateway`] is created, running, paused or stopped ([`GatewayState`]). The registries exist between start and stop. A start
//! publishes all four or fails as a whole, and so does a [reload](Gateway::reload).
//!
//! # Runs
//! A [`RunPlan`] has the steps and checks of a workflow or a skill, and a [`WorkflowRun`] runs it. Its state outlives the process.
//!
//! # Contributing
//! `composition.rs` makes the four compositions from a configuration. `reload_queue.rs` coalesces reloads. `workflow_plan.rs` reads
//! workflow files that are data. `run_journal.rs` stores runs. `api.rs` has the routes of the feature `http`, and `token_store.rs`
//! its access tokens.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "http")]
mod agents;
#[cfg(feature = "http")]
mod api;
mod clock;
mod composition;
mod error;
mod gateway;
#[cfg(feature = "http")]
mod http_state;
#[cfg(feature = "http")]
mod mcp_resources;
#[cfg(feature = "http")]
mod metrics;
mod regex_check;
mod registries;
mod reload_queue;
mod run_error;
mod run_journal;
mod run_plan;
#[cfg(feature = "http")]
mod starting_server;
mod step_state;
mod supervision;
#[cfg(feature = "http")]
mod token_store;
mod workflow_file;
mod workflow_plan;
mod workflow_run;

// For `repertoire-cli` only: it may change in any version.
#[doc(hidden)]
pub use composition::project_skills;
pub use error::{GatewayError, GatewayState};
pub use gateway::Gateway;
pub use registries::{
    ChangeCounts, GatewayStatus, NotReadySkill, Registries, RegistryCounts, Reloaded,
};
pub use run_error::RunError;
pub use run_plan::{PlannedStep, RunPlan, StepAction};
pub use step_state::{RunStatus, StepState};
#[cfg(feature = "http")]
pub use token_store::{NamedToken, TokenScope, TokenStore};
pub use workflow_file::WorkflowFile;
pub use workflow_plan::WorkflowFormat;
pub use workflow_run::WorkflowRun;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
