//! What runs the commands and scripts of bodies.

use std::fmt::Debug;
use std::path::Path;

use repertoire_core::{Skill, async_trait};
use repertoire_registry::Claim;
use repertoire_render::{Binding, Context, Directive, Outcome};

/// What runs the commands and scripts of bodies, as far as a host lets it: `ApprovedCommands` of the feature `process`, or a
/// sandbox of the host's own.
///
/// # Contract
/// - Whoever implements it decides what may run, by [`Rights::permit`](repertoire_render::Rights::permit).
/// - One outcome for each directive, in their order. Those that are missing were refused.
#[async_trait]
pub trait Commands: Debug + Send + Sync {
    /// What becomes of everything that a body asks for.
    async fn run(&self, asked: Asked<'_>) -> Vec<Outcome>;
}

/// What a body asks to be run, and for whom.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Asked<'a> {
    /// Whose body it is.
    pub claim: &'a Claim<Skill>,
    /// Its commands and scripts; at least one.
    pub directives: &'a [Directive],
    /// What the body is rendered with.
    pub context: &'a Context,
    /// What an approval of them is bound to.
    pub binding: &'a Binding,
    /// The folder of the skill, where it lies in one.
    pub folder: Option<&'a Path>,
}
