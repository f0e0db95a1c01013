//! Commands and scripts that a person approved, run on this machine.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use repertoire_core::{Skill, async_trait};
use repertoire_registry::Candidate;
use repertoire_render::{
    Binding, Call, CommandApprovals, Context, Directive, DirectiveOutcome, DirectiveRunner, Refusal,
};

use super::reader::CommandRunner;
use super::reader::folder;

/// A runner of the commands and scripts that a person approved, on this machine. Feature `process`.
///
/// Each goes through [`ApprovalState::permit`](repertoire_render::ApprovalState::permit), and then through the gate.
///
/// Needs a tokio runtime with I/O and time.
///
/// ```
/// use repertoire_engine::tools::ApprovedCommands;
/// use repertoire_render::{CommandApprovals, DirectiveRunner};
///
/// let runner = DirectiveRunner::new(std::env::vars_os());
/// let commands = ApprovedCommands::new(runner, CommandApprovals::default());
/// # let _ = commands;
/// ```
#[derive(Clone)]
pub struct ApprovedCommands {
    runner: DirectiveRunner,
    approvals: CommandApprovals,
    gate: Gate,
}

/// Decides about an approved directive just before it runs.
type Gate = Arc<dyn Fn(&Directive) -> Result<(), Refusal> + Send + Sync>;

impl ApprovedCommands {
    /// Creates a runner of what `approvals` has.
    pub fn new(runner: DirectiveRunner, approvals: CommandApprovals) -> ApprovedCommands {
        ApprovedCommands {
            runner,
            approvals,
            gate: Arc::new(|_| Ok(())),
        }
    }

    /// Adds a last check of each approved directive.
    #[must_use]
    pub fn gate(
        mut self,
        gate: impl Fn(&Directive) -> Result<(), Refusal> + Send + Sync + 'static,
    ) -> ApprovedCommands {
        self.gate = Arc::new(gate);
        self
    }
}

#[async_trait]
impl CommandRunner for ApprovedCommands {
    /// # Cancel safety
    /// Dropped, it ends whatever still runs.
    async fn run(
        &self,
        candidate: &Candidate<Skill>,
        directives: &[Directive],
        context: &Context,
        binding: &Binding,
    ) -> Vec<DirectiveOutcome> {
        let (state, trust) = (self.approvals.state(binding), candidate.trust);
        let call = Call::new(
            folder(&candidate.item).unwrap_or(Path::new("")),
            context,
            binding,
        );
        self.runner
            .run(directives, call, |directive| {
                state.permit(trust).and_then(|()| (self.gate)(directive))
            })
            .await
    }
}

impl fmt::Debug for ApprovedCommands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ApprovedCommands {
            runner, approvals, ..
        } = self;
        f.debug_struct("ApprovedCommands")
            .field("runner", runner)
            .field("approvals", approvals)
            .finish_non_exhaustive()
    }
}
