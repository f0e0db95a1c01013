//! Where the tools read.

use repertoire_core::{Bytes, Resource, ResourcePath, Skill, SourceError, SourceErrorKind, async_trait};
use repertoire_registry::{Claim, SkillRegistry};

/// Where the tools read: a registry, or what a host puts between, such as a renderer.
#[async_trait]
pub trait Reader: Send + Sync {
    /// The instructions of `claim`, rendered with `arguments`, which are empty where the model gave none.
    ///
    /// # Errors
    /// The source's own.
    async fn body(&self, claim: &Claim<Skill>, arguments: &str) -> Result<String, SourceError>;

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

/// Bodies as they are written; arguments follow in a line of their own.
#[async_trait]
impl Reader for SkillRegistry {
    async fn body(&self, claim: &Claim<Skill>, arguments: &str) -> Result<String, SourceError> {
        let body = SkillRegistry::body(self, claim).await?;
        Ok(match arguments.trim() {
            "" => body.text.as_ref().to_owned(),
            arguments => format!("{}\n\nARGUMENTS: {arguments}\n", body.text.trim_end()),
        })
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
