//! Reads skills for clients and runs the commands that the operator allows.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;
use repertoire::registry::{Candidate, RuleSet};
use repertoire::render::{
    Binding, CommandApprovals, Context, Directive, DirectiveOutcome, DirectiveRunner,
};
use repertoire::skill::{Bytes, Resource, ResourcePath, SourceError, async_trait};
use repertoire::tools::{ApprovedCommands, CommandRunner, Instructions, SkillReader};
use repertoire::{Renderer, Skill, SkillRegistry};

use crate::Environment;
use crate::command_approval::{ApprovalStore, SandboxOption};
use crate::compose::SourceComposition;
use crate::diagnostics::quoted;
use crate::failure::Failure;
use crate::followed_policy::FollowedPolicy;

/// A reader of skills with the dialects and plugin folders of the last successful reload.
#[derive(Debug)]
pub(super) struct ReloadableReader {
    registry: SkillRegistry,
    /// The sources whose commands may run.
    sources: BTreeSet<String>,
    sandbox: SandboxOption,
    current: RwLock<Arc<Renderer>>,
    /// The rules of the last successful reload.
    rules: RwLock<Vec<RuleSet>>,
}

impl ReloadableReader {
    /// Creates a reader that runs commands of `sources`.
    ///
    /// Fails if the registry does not have one of them, or if the approvals cannot be read.
    pub(super) fn new(
        composition: &SourceComposition,
        registry: SkillRegistry,
        sources: &[String],
        sandbox: SandboxOption,
        environment: &Environment<'_>,
    ) -> Result<ReloadableReader, Failure> {
        let mounts = registry.mounts();
        let known: BTreeSet<&str> = mounts
            .iter()
            .map(|mount| mount.origin().source.as_ref())
            .filter(|name| *name != SkillRegistry::REGISTERED)
            .collect();
        if let Some(source) = sources
            .iter()
            .find(|source| !known.contains(source.as_str()))
        {
            let failure = Failure::new(format!("unknown source `{}`", source.escape_debug()));
            let available = if known.is_empty() {
                "none".to_owned()
            } else {
                quoted(known)
            };
            return Err(failure.help(format!("available sources: {available}")));
        }
        let sources = sources.iter().cloned().collect();
        let current = renderer(composition, &registry, &sources, sandbox, environment)?;
        Ok(ReloadableReader {
            registry,
            sources,
            sandbox,
            current: RwLock::new(current),
            rules: RwLock::new(composition.rules.clone()),
        })
    }

    /// Replaces the composition of the registry.
    ///
    /// The new settings apply before clients are notified. On a failure the old ones apply again.
    pub(super) async fn recompose(
        &self,
        composition: &SourceComposition,
        environment: &Environment<'_>,
    ) -> Result<(), Failure> {
        let before = self.replace(renderer(
            composition,
            &self.registry,
            &self.sources,
            self.sandbox,
            environment,
        )?);
        let composed = composition.recompose(&self.registry).await;
        match composed {
            Ok(()) => self.rules.write().clone_from(&composition.rules),
            Err(_) => drop(self.replace(before)),
        }
        composed
    }

    /// Denies and restricts content, besides what the last reload denies.
    pub(super) fn apply(&self, policy: &FollowedPolicy) {
        let rules = self.rules.read().clone();
        self.registry.set_rules(&policy.before(rules));
    }

    fn current(&self) -> Arc<Renderer> {
        Arc::clone(&self.current.read())
    }

    fn replace(&self, renderer: Arc<Renderer>) -> Arc<Renderer> {
        std::mem::replace(&mut self.current.write(), renderer)
    }
}

fn renderer(
    composition: &SourceComposition,
    registry: &SkillRegistry,
    sources: &BTreeSet<String>,
    sandbox: SandboxOption,
    environment: &Environment<'_>,
) -> Result<Arc<Renderer>, Failure> {
    let mut renderer = composition.renderer(registry);
    if !sources.is_empty() {
        let approvals = environment.approvals();
        // A broken file fails the start or the reload. Each run reads the file again.
        ApprovalStore::read(approvals.clone())?;
        let runner =
            DirectiveRunner::new(environment.variables.clone()).helper(environment.helper.clone());
        let runner = sandbox.confine(runner);
        renderer = renderer.commands(Arc::new(ApprovedCommandsOf {
            sources: sources.clone(),
            runner,
            approvals,
        }));
    }
    Ok(Arc::new(renderer))
}

#[async_trait]
impl SkillReader for ReloadableReader {
    async fn body(
        &self,
        candidate: &Candidate<Skill>,
        arguments: &str,
    ) -> Result<Instructions, SourceError> {
        self.current().body(candidate, arguments).await
    }

    async fn resources(&self, candidate: &Candidate<Skill>) -> Result<Vec<Resource>, SourceError> {
        self.current().resources(candidate).await
    }

    async fn resource(
        &self,
        candidate: &Candidate<Skill>,
        path: &ResourcePath,
    ) -> Result<Bytes, SourceError> {
        self.current().resource(candidate, path).await
    }
}

/// A runner of approved commands, for skills of the sources that the operator named.
#[derive(Debug)]
struct ApprovedCommandsOf {
    sources: BTreeSet<String>,
    runner: DirectiveRunner,
    /// The file of approvals, which is read for each run, so that revoked commands do not run.
    approvals: Option<PathBuf>,
}

#[async_trait]
impl CommandRunner for ApprovedCommandsOf {
    async fn run(
        &self,
        candidate: &Candidate<Skill>,
        directives: &[Directive],
        context: &Context,
        binding: &Binding,
    ) -> Vec<DirectiveOutcome> {
        if !self.sources.contains(candidate.origin.source.as_ref()) {
            return Vec::new();
        }
        let approvals = match ApprovalStore::read(self.approvals.clone()) {
            Ok(store) => store.approvals,
            Err(failure) => {
                tracing::warn!(
                    why = failure.message(),
                    "no command runs: the approvals cannot be read"
                );
                CommandApprovals::default()
            }
        };
        ApprovedCommands::new(self.runner.clone(), approvals)
            .run(candidate, directives, context, binding)
            .await
    }
}
