//! `repertoire tools`.

use clap::Args;
use clap::builder::PossibleValuesParser;
use repertoire::catalog::CatalogFormat;
use repertoire::tools::{ToolFormat, ToolPreset, Toolset};
use repertoire::{Budget, CatalogOptions, ToolOptions};
use serde::Serialize;
use serde_json::{Map, Value};

use super::selection::ExposureOptions;
use crate::context::CommandContext;
use crate::options::{Choice, SearchedFolders, one_of};
use crate::output::Output;

/// Print tool definitions for finding and reading skills, in a provider's API format.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire tools --provider anthropic --with-catalog=500")]
pub(crate) struct ToolsCommand {
    #[command(flatten)]
    pub(super) searched: SearchedFolders,
    /// Target API.
    #[arg(long, value_parser = one_of(PROVIDERS))]
    provider: NamedFormat,
    /// Use the tool names and parameters of this agent.
    #[arg(long, value_parser = PossibleValuesParser::from(ToolPreset::ALL.map(|preset| preset.name())), default_value = ToolPreset::DEFAULT.name())]
    preset: String,
    /// Embed the catalog in the read tool's description, limited to TOKENS if given.
    #[arg(long, value_name = "TOKENS", num_args = 0..=1, require_equals = true)]
    with_catalog: Option<Option<usize>>,
    #[command(flatten)]
    exposure: ExposureOptions,
}

/// A format and its name on the command line.
type NamedFormat = (&'static str, ToolFormat);

const PROVIDERS: &[Choice<NamedFormat>] = &[
    (
        "anthropic",
        "Anthropic Messages",
        ("anthropic", ToolFormat::Anthropic),
    ),
    (
        "openai",
        "OpenAI Chat Completions and compatible APIs",
        ("openai", ToolFormat::OpenAiChat),
    ),
    (
        "openai-responses",
        "OpenAI Responses",
        ("openai-responses", ToolFormat::OpenAiResponses),
    ),
    (
        "gemini",
        "Gemini `generateContent`",
        ("gemini", ToolFormat::Gemini),
    ),
];

/// The tool definitions for finding and reading skills.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ToolsOutput<'a> {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["anthropic", "openai", "openai-responses", "gemini"])))]
    provider: &'static str,
    preset: &'a str,
    /// The field `tools` of a request to the provider; empty if no skill is visible to a model.
    tools: Vec<Map<String, Value>>,
}

impl ToolsCommand {
    pub(super) fn run(&self, context: &CommandContext, out: &mut Output) {
        let preset = ToolPreset::ALL
            .into_iter()
            .find(|preset| preset.name() == self.preset);
        let preset = preset.expect("clap accepted the name").clone();
        let mut options = ToolOptions::default()
            .preset(preset)
            .modes(self.exposure.modes());
        if let Some(limit) = self.with_catalog {
            let catalog = CatalogOptions::default().format(CatalogFormat::Bullets);
            options = options.catalog(match limit {
                Some(tokens) => catalog.budget(Budget::Tokens(tokens)),
                None => catalog,
            });
        }
        let (provider, format) = self.provider;
        let tools = match format.tools(Toolset::new(&context.snapshot, &options).tools()) {
            Value::Array(tools) => tools
                .into_iter()
                .filter_map(|tool| tool.as_object().cloned())
                .collect(),
            _ => Vec::new(),
        };
        let declared = ToolsOutput {
            provider,
            preset: &self.preset,
            tools,
        };
        if out.write_json(&declared) {
            return;
        }
        let tools: Value = declared.tools.iter().cloned().collect();
        out.bytes(format!("{tools:#}\n"));
        out.notes(
            declared
                .tools
                .is_empty()
                .then(|| "no skill is visible to a model, so there are no tools".to_owned()),
        );
        out.notes(context.pending());
    }
}
