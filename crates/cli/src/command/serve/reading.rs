//! What reads bodies for clients.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use repertoire::{
    Bytes, Claim, Instructions, Reader, Renderer, Resource, ResourcePath, Skill, SkillRegistry, SourceError,
    async_trait,
};

use super::commands::CommandsOf;
use crate::Environment;
use crate::command::render::SandboxArgs;
use crate::compose::Plan;
use crate::failure::Failure;

/// What reads bodies for clients, by what was read last: the dialects of the configuration, and the approvals.
#[derive(Debug)]
pub(super) struct Reading {
    registry: SkillRegistry,
    /// Whose commands are run.
    sources: BTreeSet<String>,
    /// What is around them.
    sandbox: SandboxArgs,
    now: RwLock<Arc<Renderer>>,
}

impl Reading {
    /// Reads what `registry` has, composed of `plan`. Each of `sources` must be one of it, so that a slip does not go unnoticed.
    pub(super) fn new(
        plan: &Plan,
        registry: SkillRegistry,
        sources: &[String],
        sandbox: SandboxArgs,
        environment: &Environment<'_>,
    ) -> Result<Reading, Failure> {
        let mounts = registry.mounts();
        // What is registered in code is nothing that a person composed.
        let known: BTreeSet<&str> = mounts
            .iter()
            .map(|mount| mount.origin().source.as_ref())
            .filter(|name| *name != SkillRegistry::REGISTERED)
            .collect();
        if let Some(source) = sources.iter().find(|source| !known.contains(source.as_str())) {
            let failure = Failure::new(format!("no source `{}` to run commands of", source.escape_debug()));
            let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
            return Err(failure.help(match known.as_slice() {
                [] => "there are no sources".to_owned(),
                [one] => format!("the source is {one}"),
                several => format!("the sources are {}", several.join(", ")),
            }));
        }
        let sources = sources.iter().cloned().collect();
        let now = renderer(plan, &registry, &sources, sandbox, environment)?;
        Ok(Reading { registry, sources, sandbox, now: RwLock::new(now) })
    }

    /// Composes `plan` in place of what the registry was composed of. Who is told of it reads by it already; if it cannot be
    /// composed, everything stays as it was.
    pub(super) async fn recompose(&self, plan: &Plan, environment: &Environment<'_>) -> Result<(), Failure> {
        let before = self.turn(renderer(plan, &self.registry, &self.sources, self.sandbox, environment)?);
        let composed = plan.recompose(&self.registry).await;
        if composed.is_err() {
            self.turn(before);
        }
        composed
    }

    fn now(&self) -> Arc<Renderer> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn turn(&self, now: Arc<Renderer>) -> Arc<Renderer> {
        std::mem::replace(&mut self.now.write().unwrap_or_else(PoisonError::into_inner), now)
    }
}

fn renderer(
    plan: &Plan,
    registry: &SkillRegistry,
    sources: &BTreeSet<String>,
    sandbox: SandboxArgs,
    environment: &Environment<'_>,
) -> Result<Arc<Renderer>, Failure> {
    let renderer = plan.renderer(registry);
    Ok(Arc::new(if sources.is_empty() {
        renderer
    } else {
        renderer.commands(Arc::new(CommandsOf::read(sources, sandbox, environment)?))
    }))
}

#[async_trait]
impl Reader for Reading {
    async fn body(&self, claim: &Claim<Skill>, arguments: &str) -> Result<Instructions, SourceError> {
        self.now().body(claim, arguments).await
    }

    async fn resources(&self, claim: &Claim<Skill>) -> Result<Vec<Resource>, SourceError> {
        self.now().resources(claim).await
    }

    async fn resource(&self, claim: &Claim<Skill>, path: &ResourcePath) -> Result<Bytes, SourceError> {
        self.now().resource(claim, path).await
    }
}
