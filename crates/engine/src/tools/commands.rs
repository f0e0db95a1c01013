//! Runners of the commands and scripts of bodies.

use std::fmt::Debug;
use std::path::Path;

use repertoire_core::{Skill, async_trait};
use repertoire_registry::Candidate;
use repertoire_render::{Binding, Context, Directive, DirectiveOutcome};

/// A runner of the commands and scripts of bodies: `ApprovedCommands` of the feature `process`, or a sandbox of the host's own.
///
/// # Contract
/// - The implementation decides what may run, by [`ApprovalState::permit`](repertoire_render::ApprovalState::permit).
/// - One outcome for each directive, in their order. Those that are missing were refused.
#[async_trait]
pub trait CommandRunner: Debug + Send + Sync {
    /// Runs what a body requests, and returns one outcome for each directive.
    async fn run(&self, asked: CommandRequest<'_>) -> Vec<DirectiveOutcome>;
}

/// A request to run the commands of a body.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CommandRequest<'a> {
    /// The candidate of the body.
    pub candidate: &'a Candidate<Skill>,
    /// Its commands and scripts; at least one.
    pub directives: &'a [Directive],
    /// The context of rendering.
    pub context: &'a Context,
    /// The binding of an approval.
    pub binding: &'a Binding,
    /// The folder of the skill, where it lies in one.
    pub folder: Option<&'a Path>,
}
