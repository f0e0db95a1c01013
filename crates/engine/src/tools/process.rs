//! Commands and scripts that a person approved, run on this machine.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use repertoire_core::async_trait;
use repertoire_render::{Approvals, Call, Directive, Outcome, Rights, Runner, Switch, Verdict};

use super::commands::{CommandRequest, CommandRunner};

/// Runs, on this machine, the commands and scripts that a person approved. Feature `process`.
///
/// Each goes through [`Rights::permit`]: its source must be trusted, exactly this content approved, and the gate must agree.
///
/// Needs a tokio runtime with I/O and time.
#[derive(Clone)]
pub struct ApprovedCommands {
    runner: Runner,
    approvals: Approvals,
    gate: Arc<dyn Fn(&Directive) -> Verdict + Send + Sync>,
}

impl ApprovedCommands {
    /// Creates a runner of what `approvals` has.
    pub fn new(runner: Runner, approvals: Approvals) -> ApprovedCommands {
        ApprovedCommands { runner, approvals, gate: Arc::new(|_| Verdict::Allow) }
    }

    /// The same, and `gate` is asked last for each of them.
    #[must_use]
    pub fn gate(mut self, gate: impl Fn(&Directive) -> Verdict + Send + Sync + 'static) -> ApprovedCommands {
        self.gate = Arc::new(gate);
        self
    }
}

#[async_trait]
impl CommandRunner for ApprovedCommands {
    /// # Cancel safety
    /// Dropped, it ends whatever still runs.
    async fn run(&self, asked: CommandRequest<'_>) -> Vec<Outcome> {
        let approval = self.approvals.approval(asked.binding);
        let rights = Rights { switch: Switch::On, trust: asked.candidate.trust, approval };
        let call = Call::new(asked.folder.unwrap_or(Path::new("")), asked.context, asked.binding);
        self.runner.run(asked.directives, call, |directive| rights.permit(directive, |one| (self.gate)(one))).await
    }
}

impl fmt::Debug for ApprovedCommands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ApprovedCommands { runner, approvals, .. } = self;
        f.debug_struct("ApprovedCommands").field("runner", runner).field("approvals", approvals).finish_non_exhaustive()
    }
}
