//! The tools over a registry, as it is now.

use std::sync::Arc;

use arc_swap::ArcSwap;
use repertoire_registry::SkillRegistry;
use serde_json::Value;

use super::answer::{Answer, AnswerCode, Failure};
use super::options::ToolOptions;
use super::reader::Reader;
use super::toolset::{Toolset, quoted};
use crate::LiveIndex;

/// The tools over a registry: each [`current`](LiveTools::current) set is over the snapshot of its moment. Cheap to clone; clones are one.
///
/// Ask for the current set before each model call, and answer its calls with [`call`](LiveTools::call).
#[derive(Debug, Clone)]
pub struct LiveTools(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    index: LiveIndex,
    options: ToolOptions,
    /// The set that was handed out last.
    offered: ArcSwap<Toolset>,
}

impl LiveTools {
    /// The tools over `registry`.
    pub fn over(registry: SkillRegistry, options: ToolOptions) -> LiveTools {
        LiveTools::of(LiveIndex::of(registry), options)
    }

    /// The tools over the registry of an index that somebody else uses too.
    pub fn of(index: LiveIndex, options: ToolOptions) -> LiveTools {
        let offered = ArcSwap::from_pointee(Toolset::over(index.current(), &options));
        LiveTools(Arc::new(Shared { index, options, offered }))
    }

    /// The tools to offer now. The same set, to the byte, until the registry changes.
    pub fn current(&self) -> Toolset {
        let offered = Toolset::clone(&self.0.offered.load());
        let current = self.fresh(&offered);
        self.0.offered.store(Arc::new(current.clone()));
        current
    }

    /// Answers a call of the tools that were offered last, by what the registry has now; as [`Toolset::call`].
    ///
    /// A skill that was offered and is no more is answered as [`Stale`](AnswerCode::Stale).
    ///
    /// # Cancel safety
    /// May be dropped at any await.
    pub async fn call(&self, tool: &str, arguments: &Value) -> Option<Answer> {
        self.call_with(tool, arguments, self.0.index.registry()).await
    }

    /// As [`call`](LiveTools::call), reading through `reader`: a renderer, say.
    ///
    /// # Cancel safety
    /// May be dropped at any await.
    pub async fn call_with(&self, tool: &str, arguments: &Value, reader: &dyn Reader) -> Option<Answer> {
        let offered = Toolset::clone(&self.0.offered.load());
        let answer = self.fresh(&offered).call(tool, arguments, reader).await?;
        let gone = || {
            let name = arguments.get(self.0.options.preset.read.id.as_ref())?.as_str()?;
            offered.offered(name)?;
            Some(format!("The skill {} is not there any more. Go on without it.", quoted(name)))
        };
        Some(match answer.code {
            AnswerCode::Unknown if let Some(text) = gone() => Answer::of(Err(Failure::new(AnswerCode::Stale, text))),
            // What is hidden now is answered as what is gone.
            AnswerCode::Refused if let Some(text) = gone() => Answer { text, ..answer },
            _ => answer,
        })
    }

    /// `offered`, unless the registry has changed since.
    fn fresh(&self, offered: &Toolset) -> Toolset {
        let index = self.0.index.current();
        if index.snapshot().generation() == offered.snapshot().generation() {
            return offered.clone();
        }
        Toolset::over(index, &self.0.options)
    }
}
