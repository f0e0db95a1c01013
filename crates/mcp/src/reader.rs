//! What reads bodies, unless a host brings its own.

use std::path::Path;

use repertoire::render::{Arguments, Context, Plan, Syntax};
use repertoire::{
    Bytes, Claim, Reader, Resource, ResourcePath, Skill, SkillRegistry, SourceError, SourceErrorKind, async_trait,
};

/// Renders bodies: arguments in their places, and a note in the place of every command.
#[derive(Debug)]
pub(crate) struct Rendering(pub(crate) SkillRegistry);

#[async_trait]
impl Reader for Rendering {
    async fn body(&self, claim: &Claim<Skill>, arguments: &str) -> Result<String, SourceError> {
        let body = self.0.body(claim).await?;
        let plan = Plan::new(&body.text, &Syntax::of(&claim.item, None, None));
        let context = Context::new().arguments(Arguments::new(arguments));
        let folder = claim.item.location.as_deref().and_then(|location| Path::new(location).parent());
        let context = match folder {
            Some(folder) => context.skill_dir(folder.to_string_lossy()),
            None => context,
        };
        match plan.render(&context, []) {
            Ok(rendered) => Ok(rendered.text.into_owned()),
            Err(error) => {
                let message = format!("cannot render `{}`", claim.qualified_id());
                Err(SourceError::new(SourceErrorKind::Invalid, message).caused_by(error))
            }
        }
    }

    async fn resources(&self, claim: &Claim<Skill>) -> Result<Vec<Resource>, SourceError> {
        Reader::resources(&self.0, claim).await
    }

    async fn resource(&self, claim: &Claim<Skill>, path: &ResourcePath) -> Result<Bytes, SourceError> {
        Reader::resource(&self.0, claim, path).await
    }
}
