//! The tools that find and read skills, as rig has tools.

use repertoire::skill::Digest;
use repertoire::tools::{ToolOutput, ToolStatus};
use rig_core::tool::{ContextValue, Tool, ToolContext, ToolErrorKind, ToolExecutionError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Skills;

/// A skill whose instructions the model got: what the result of the call has for the host, and not for the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillRead {
    /// Its full name, `source:skill`.
    pub skill: String,
    /// Of the instructions as they were read.
    pub digest: String,
}

impl ContextValue for SkillRead {
    const KEY: &'static str = "repertoire.skill-read";
}

/// The reason why a call was not answered, for the model.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct NotAnswered {
    text: String,
    code: ToolStatus,
}

impl NotAnswered {
    /// Returns the kind of the error for rig.
    fn kind(&self) -> ToolErrorKind {
        match self.code {
            ToolStatus::BadArguments => ToolErrorKind::InvalidArgs,
            ToolStatus::Refused => ToolErrorKind::PermissionDenied,
            ToolStatus::Unknown | ToolStatus::Stale | ToolStatus::NoResource => {
                ToolErrorKind::NotFound
            }
            _ => ToolErrorKind::Other,
        }
    }
}

impl Skills {
    async fn call(
        &self,
        tool: &str,
        arguments: &Value,
        context: &mut ToolContext,
    ) -> Result<String, NotAnswered> {
        let answer = self
            .tools
            .call(tool, arguments)
            .await
            .expect("the tools here are named as the registry's are");
        let ToolOutput {
            text,
            is_error,
            code,
            read,
            ..
        } = answer;
        if is_error {
            return Err(NotAnswered { text, code });
        }
        if let Some(read) = read {
            let digest = Digest::of(read.instructions.text.as_bytes()).to_string();
            let read = SkillRead {
                skill: read.candidate.qualified_id().to_string(),
                digest,
            };
            context.insert_result(read).expect("texts are JSON");
        }
        Ok(text)
    }

    /// The tool as it is offered now; `None` where no skill is visible, so that there is nothing to call.
    fn offered<T>(
        &self,
        tool: &str,
        what: impl FnOnce(&repertoire::skill::ToolSpec) -> T,
    ) -> Option<T> {
        self.tools
            .current()
            .tools()
            .iter()
            .find(|spec| spec.name.as_ref() == tool)
            .map(what)
    }
}

macro_rules! tools {
    ($($(#[$about:meta])* $tool:ident = $name:literal;)*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone)]
        pub struct $tool(pub(crate) Skills);

        impl Tool for $tool {
            const NAME: &'static str = $name;
            // As the model wrote them: what does not fit is answered in words that help it.
            type Args = Value;
            type Output = String;
            type Error = NotAnswered;

            fn description(&self) -> String {
                self.0.offered($name, |spec| spec.description.to_string()).unwrap_or_else(|| "There are no skills.".into())
            }

            fn parameters(&self) -> Value {
                let nothing = || serde_json::json!({"type": "object", "properties": {}});
                self.0.offered($name, |spec| spec.input_schema.clone()).unwrap_or_else(nothing)
            }

            fn map_error(&self, error: NotAnswered) -> ToolExecutionError {
                ToolExecutionError::new(error.kind(), error.text.clone()).with_model_feedback(error.text)
            }

            async fn call(&self, context: &mut ToolContext, arguments: Value) -> Result<String, NotAnswered> {
                self.0.call($name, &arguments, context).await
            }
        }
    )*};
}

tools! {
    /// Gives the instructions of a skill.
    ReadSkill = "read_skill";
    /// Gives a file beside them.
    ReadSkillResource = "read_skill_resource";
    /// Searches skills.
    SearchSkills = "search_skills";
    /// Lists skills.
    ListSkills = "list_skills";
}
