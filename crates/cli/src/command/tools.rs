//! `repertoire tools`.

use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use repertoire::{Budget, CatalogOptions, Format, ToolFormat, ToolOptions, ToolPreset, Toolset};
use serde::Serialize;
use serde_json::{Map, Value};

use super::modes::Offered;
use crate::Stream;
use crate::answer::{Answer, json};
use crate::session::Session;

/// Print the tools that a model finds and reads skills with, for the request to a provider.
#[derive(Debug, Args)]
pub(crate) struct Tools {
    /// Look in these folders, in place of the standard ones and the built-in skills.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// Whose requests they are for.
    #[arg(long, value_enum)]
    provider: Provider,
    /// The client whose names and parameters they have.
    #[arg(long, value_parser = preset_names(), default_value = ToolPreset::DEFAULT.name)]
    preset: String,
    /// Put a catalog into the description of the tool that reads skills, if you say so of at most so many tokens.
    #[arg(long, value_name = "TOKENS", num_args = 0..=1, require_equals = true)]
    with_catalog: Option<Option<usize>>,
    #[command(flatten)]
    offered: Offered,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Provider {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's Chat Completions, and what is compatible with it.
    Openai,
    /// OpenAI's Responses.
    OpenaiResponses,
    /// Gemini's `generateContent`.
    Gemini,
}

fn preset_names() -> clap::builder::PossibleValuesParser {
    ToolPreset::ALL.map(|preset| preset.name).into()
}

/// The tools that a model finds and reads skills with.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Declared {
    provider: Provider,
    preset: String,
    /// The field `tools` of a request to the provider; empty where no skill is visible to a model.
    tools: Vec<Map<String, Value>>,
    #[serde(skip)]
    pending: Option<String>,
}

impl Tools {
    pub(crate) fn answer(&self, session: &Session<'_>) -> impl Answer + use<> {
        let preset = ToolPreset::ALL.into_iter().find(|preset| preset.name == self.preset);
        let preset = preset.expect("the argument names a preset").clone();
        let options = ToolOptions::default().preset(preset).modes(self.offered.modes());
        let catalog = CatalogOptions::default().format(Format::Bullets);
        let options = match self.with_catalog {
            Some(Some(tokens)) => options.catalog(catalog.budget(Budget::Tokens(tokens))),
            Some(None) => options.catalog(catalog),
            None => options,
        };
        let format = match self.provider {
            Provider::Anthropic => ToolFormat::Anthropic,
            Provider::Openai => ToolFormat::OpenAiChat,
            Provider::OpenaiResponses => ToolFormat::OpenAiResponses,
            Provider::Gemini => ToolFormat::Gemini,
        };
        let tools = match format.tools(Toolset::of(&session.snapshot, &options).tools()) {
            Value::Array(tools) => tools.into_iter().filter_map(|tool| tool.as_object().cloned()).collect(),
            _ => Vec::new(),
        };
        Declared { provider: self.provider, preset: self.preset.clone(), tools, pending: session.pending() }
    }
}

impl Answer for Declared {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let tools: Value = self.tools.iter().cloned().collect();
        io::Write::write_all(out, format!("{tools:#}\n").as_bytes())
    }

    fn notes(&self) -> Vec<String> {
        let none = self.tools.is_empty().then(|| "no skill is visible to a model: no tools".to_owned());
        none.into_iter().chain(self.pending.clone()).collect()
    }
}
