//! Tool calls of a model in a session.

use std::sync::Arc;

use repertoire_core::{Digest, Model, SurfaceMode};
use serde_json::Value;

use super::Session;
use super::activation::{ActivatedBy, ActivationRecord, DeliveredBody, DeliveredPart, LoadedBody};
use crate::tools::{SkillRead, SkillReader, ToolOutput, quoted};

impl Session {
    /// Answers a call of one of the [tools](Session::tools), as [`Toolset::call`](crate::tools::Toolset::call).
    ///
    /// A skill that the call reads is active from the next evaluation on. The text of the answer is different if the body is
    /// delivered elsewhere, or is in the conversation already.
    ///
    /// # Cancel safety
    /// May be dropped at any await.
    pub async fn call(
        &mut self,
        tool: &str,
        arguments: &Value,
        reader: &dyn SkillReader,
        model: &Model,
    ) -> Option<ToolOutput> {
        let answer = self
            .tools
            .call_in_turn(tool, arguments, reader, &self.suggested)
            .await?;
        Some(self.record_tool_output(answer, model))
    }

    /// | place of the body | text |
    /// |---|---|
    /// | the system prompt only, or the body is blank | a confirmation |
    /// | the result, and this body is not in the conversation | `answer` |
    /// | the result, and this body is in the conversation, also of an expired activation | a sentence that says so |
    fn record_tool_output(&mut self, answer: ToolOutput, model: &Model) -> ToolOutput {
        let Some(SkillRead {
            entry,
            candidate,
            instructions,
            arguments,
            files,
        }) = answer.read.clone()
        else {
            return answer;
        };
        let name = quoted(entry.id.as_str());
        let rendered = LoadedBody::new(candidate.clone(), instructions.text.into(), files);
        let (digest, is_blank) = (rendered.digest, rendered.is_blank());
        let qualified = candidate.qualified_id();
        let surface = self.options.surfaces.resolve(candidate.item.surface, model);
        let is_result = surface.mode != SurfaceMode::SystemPrompt && !is_blank;
        let held = self
            .activations
            .iter_mut()
            .find(|held| held.qualified == qualified);
        let is_new = held.is_none();
        if let Some(held) = held.filter(|held| held.is_with_model(digest, &arguments, is_result)) {
            let text = confirmation(
                &name,
                "active already, and its instructions are what they were. Follow them.",
            );
            let name = held.qualified.clone();
            self.touch(name.as_str());
            return ToolOutput { text, ..answer };
        }
        let audience = self.tools.options().audience;
        let (calls, tokens) = (self.calls.saturating_add(1), self.grown_by(&answer.text));
        let held = self.take(
            &candidate,
            &arguments,
            audience,
            ActivatedBy::Tool,
            Some(Arc::new(rendered)),
        );
        held.surface = Some(surface);
        let state = if is_blank {
            "active. It has no instructions."
        } else if !is_result {
            "active: its instructions are with you from now on. Follow them."
        } else if is_new && held.is_delivered(digest) {
            "active again, and its instructions are what they were. Follow them."
        } else {
            held.delivered = Some(DeliveredBody {
                digest,
                part: DeliveredPart::All,
                calls,
                tokens,
            });
            return answer;
        };
        let text = confirmation(&name, state);
        ToolOutput { text, ..answer }
    }

    pub(super) fn grown_by(&self, text: &str) -> u64 {
        self.tokens
            .saturating_add(self.options.tokenizer.estimate(text) as u64)
    }
}

fn confirmation(name: &str, state: &str) -> String {
    format!("The skill {name} is {state}\n")
}

impl ActivationRecord {
    fn is_with_model(&self, digest: Digest, arguments: &str, is_result: bool) -> bool {
        let is_same = self.digest == Some(digest) && *self.arguments == *arguments;
        // Where nothing was placed yet, nothing stands.
        let stands = self.surface.as_ref().is_some_and(|surface| {
            !is_result || self.by != ActivatedBy::Tool && surface.mode != SurfaceMode::ToolOnly
        });
        is_same && (self.is_delivered(digest) || stands)
    }

    fn is_delivered(&self, digest: Digest) -> bool {
        self.delivered.as_ref().is_some_and(|delivered| {
            delivered.part == DeliveredPart::All && delivered.digest == digest
        })
    }
}
