//! Where the tools read.

use repertoire_core::{Bytes, Resource, ResourcePath, Skill, SourceError, SourceErrorKind, async_trait};
use repertoire_registry::{Claim, SkillRegistry};

use super::instructions::Instructions;
use super::renderer::Renderer;

/// Where the tools read: a registry, a [`Renderer`] over one, or what a host puts between.
#[async_trait]
pub trait Reader: Send + Sync {
    /// The instructions of `claim`, rendered with `arguments`, which are empty where the model gave none.
    ///
    /// # Errors
    /// The source's own, and what the reader refuses to render.
    async fn body(&self, claim: &Claim<Skill>, arguments: &str) -> Result<Instructions, SourceError>;

    /// The files beside them, sorted by path.
    ///
    /// # Errors
    /// The source's own.
    async fn resources(&self, claim: &Claim<Skill>) -> Result<Vec<Resource>, SourceError>;

    /// One of these files.
    ///
    /// # Errors
    /// The source's own.
    async fn resource(&self, claim: &Claim<Skill>, path: &ResourcePath) -> Result<Bytes, SourceError>;
}

/// Renders as a [`Renderer`] does that nobody told anything.
#[async_trait]
impl Reader for SkillRegistry {
    async fn body(&self, claim: &Claim<Skill>, arguments: &str) -> Result<Instructions, SourceError> {
        Renderer::over(self.clone()).body(claim, arguments).await
    }

    async fn resources(&self, claim: &Claim<Skill>) -> Result<Vec<Resource>, SourceError> {
        match SkillRegistry::resources(self, claim).await {
            // A source without files has no file.
            Err(error) if error.kind() == SourceErrorKind::Unsupported => Ok(Vec::new()),
            other => other,
        }
    }

    async fn resource(&self, claim: &Claim<Skill>, path: &ResourcePath) -> Result<Bytes, SourceError> {
        SkillRegistry::resource(self, claim, path).await
    }
}
