//! `repertoire catalog`.

use std::sync::Arc;

use clap::Args;
use clap::builder::PossibleValuesParser;
use repertoire::catalog::{
    CatalogFormat, CatalogReport, LineOutcome, OutcomeTotals, Overflow, Tokenizer,
};
use repertoire::skill::text::terminal_line;
use repertoire::tools::ToolPreset;
use repertoire::{Budget, CatalogOptions, Id};
use serde::Serialize;

use super::selection::ExposureOptions;
use crate::context::CommandContext;
use crate::diagnostics::{counted, joined};
use crate::failure::Failure;
use crate::options::{Choice, SearchedFolders, one_of};
use crate::output::Output;

/// Print the skill list that a model would see, within a token budget.
///
/// Skills that do not fit are reported on standard error.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire catalog --preset claude\n  repertoire catalog --tokens 500 --overflow name-only"
)]
pub(crate) struct CatalogCommand {
    #[command(flatten)]
    pub(super) searched: SearchedFolders,
    /// Use the markup, budget, overflow and path settings of this agent. Other options override them.
    #[arg(long, value_name = "CLIENT", value_parser = PossibleValuesParser::new(CatalogOptions::clients()))]
    preset: Option<String>,
    /// Markup of the list [default: xml].
    #[arg(long, value_parser = one_of(STYLES))]
    style: Option<CatalogFormat>,
    /// Token budget.
    #[arg(long, value_name = "N", group = "budget")]
    tokens: Option<usize>,
    /// Character budget.
    #[arg(long, value_name = "N", group = "budget")]
    chars: Option<usize>,
    /// Context window in tokens; the budget is --share of it. For `unknown`, the budget is 8000 characters.
    #[arg(long, value_name = "N|unknown", group = "budget", value_parser = window)]
    window: Option<Window>,
    /// Percentage of the window that is the budget, at least 128 tokens [default: that of the preset, or 2].
    #[arg(long, value_name = "PERCENT", requires = "window", value_parser = per_mille)]
    share: Option<u16>,
    /// Method of fitting a list into the budget [default: shorten].
    #[arg(long, value_parser = one_of(OVERFLOWS))]
    overflow: Option<fn() -> Overflow>,
    /// Keep the descriptions that contain the most words of example prompts. Example prompts are in the configuration file
    /// and beside skills.
    #[arg(long, value_name = "MEASURE", value_parser = ["recall"], conflicts_with = "overflow", requires = "budget")]
    budget_by: Option<String>,
    /// Usage count of a skill, for --overflow least-used (repeatable).
    #[arg(long = "used", value_name = "ID=N", value_parser = usage)]
    uses: Vec<(Id, u64)>,
    /// Tokenizer that estimates the size of the list.
    #[arg(long, default_value = TOKENIZERS[0].0, value_parser = one_of(TOKENIZERS))]
    tokenizer: Tokenizer,
    /// Begin with instructions for reading a skill: from its path (`files`), or with the read tool of this agent.
    #[arg(long, value_name = "HOW", value_parser = activation_names())]
    activation: Option<String>,
    /// Include the path of each skill (implied by --activation files).
    #[arg(long)]
    locations: bool,
    /// Sentence for the model about the skills that did not fit [default: depends on --activation].
    #[arg(long, value_name = "TEXT")]
    hint: Option<String>,
    #[command(flatten)]
    exposure: ExposureOptions,
}

const STYLES: &[Choice<CatalogFormat>] = &[
    (
        "xml",
        "`<available_skills>`, one skill per line",
        CatalogFormat::Xml,
    ),
    (
        "indented",
        "`<available_skills>`, one element per line",
        CatalogFormat::Indented,
    ),
    (
        "reference",
        "The markup of the reference library of the Agent Skills standard",
        CatalogFormat::Reference,
    ),
    ("bullets", "A Markdown list", CatalogFormat::Bullets),
    (
        "lines",
        "Plain lines, without bullets",
        CatalogFormat::Lines,
    ),
    ("json", "JSON, one skill per line", CatalogFormat::Json),
];

const OVERFLOWS: &[Choice<fn() -> Overflow>] = &[
    (
        "shorten",
        "Shorten long descriptions at a clause boundary; drop names last",
        || Overflow::Shorten,
    ),
    (
        "round-robin",
        "Shorten long descriptions at a word boundary; drop names last",
        || Overflow::RoundRobin,
    ),
    ("name-only", "Drop whole descriptions", || {
        Overflow::NameOnly
    }),
    (
        "least-used",
        "Drop whole descriptions, of the least used skills first",
        || Overflow::LeastUsed(Arc::default()),
    ),
    ("leave-out", "Drop whole skills", || Overflow::Omit),
];

const TOKENIZERS: &[Choice<Tokenizer>] = &[
    (
        "claude-2023",
        "The last tokenizer that Anthropic published; its estimates are the highest, safe for every model",
        Tokenizer::CLAUDE_2023,
    ),
    ("o200k", "OpenAI, since GPT-4o", Tokenizer::O200K),
    ("llama3", "Llama 3", Tokenizer::LLAMA3),
];

/// The size of a context window in tokens; `None` if unknown.
pub(super) type Window = Option<usize>;

/// The value of `--activation` for models that read files.
const FILES: &str = "files";

fn activation_names() -> PossibleValuesParser {
    PossibleValuesParser::new(
        std::iter::once(FILES).chain(ToolPreset::ALL.iter().map(|preset| preset.name())),
    )
}

pub(super) fn window(text: &str) -> Result<Window, String> {
    if text == "unknown" {
        return Ok(None);
    }
    let tokens = text.parse().map(Some);
    tokens.map_err(|_| {
        format!(
            "expected a number or `unknown`, found `{}`",
            terminal_line(text)
        )
    })
}

fn usage(text: &str) -> Result<(Id, u64), String> {
    let (id, uses) = text.rsplit_once('=').ok_or("expected `ID=N`")?;
    let id = Id::new(id).map_err(|error| error.to_string())?;
    Ok((
        id,
        uses.parse()
            .map_err(|_| format!("expected a number, found `{}`", terminal_line(uses)))?,
    ))
}

fn per_mille(text: &str) -> Result<u16, String> {
    let percent = text
        .parse::<f64>()
        .ok()
        .filter(|percent| (0.0..=100.0).contains(percent));
    let percent = percent.ok_or("expected a percentage from 0 to 100, with at most one decimal")?;
    Ok((percent * 10.0).round() as u16)
}

/// The skill list of a model.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CatalogOutput {
    text: String,
    report: CatalogReport,
    totals: OutcomeTotals,
}

impl CatalogCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let mut options = self.options();
        if self.budget_by.is_some() {
            let (examples, _) = context.search_settings()?;
            let prompts = context.known_prompts(examples).await;
            options = options.by_recall(&context.snapshot, &prompts);
        }
        let repertoire::Catalog { text, report, .. } =
            repertoire::Catalog::new(&context.snapshot, &options);
        let catalog = CatalogOutput {
            text,
            totals: report.totals(),
            report,
        };
        if out.write_json(&catalog) {
            return Ok(());
        }
        out.text(&catalog.text);
        let lines = catalog.report.lines();
        out.note(match lines.len() {
            0 => "no skill is visible to a model: the catalog is empty".to_owned(),
            count => format!("{} in {}", counted(count, "skill"), catalog.size()),
        });
        let changed = lines
            .iter()
            .filter(|line| line.outcome != LineOutcome::Full || line.hidden > 0);
        out.notes(changed.map(ToString::to_string));
        out.notes(context.pending());
        Ok(())
    }

    fn options(&self) -> CatalogOptions {
        let preset = self
            .preset
            .as_deref()
            .and_then(|name| CatalogOptions::of_client(name, self.window.flatten()));
        let has_preset = preset.is_some();
        let mut options = preset.unwrap_or_default();
        if let Some(budget) = self.budget(has_preset) {
            options = options.budget(budget);
        }
        if let Some(style) = self.style {
            options = options.format(style);
        }
        if let Some(overflow) = self.overflow {
            options = options.overflow(match overflow() {
                Overflow::LeastUsed(_) => {
                    Overflow::LeastUsed(Arc::new(self.uses.iter().cloned().collect()))
                }
                other => other,
            });
        }
        if let Some(hint) = &self.hint {
            options = options.hint(hint.clone());
        }
        if let Some(name) = &self.activation {
            let preset = ToolPreset::ALL.iter().find(|preset| preset.name() == name);
            options = match preset {
                Some(preset) => options.read_by_tool(preset),
                None => options.read_by_file(),
            };
        }
        if self.locations {
            options = options.locations();
        }
        options
            .modes(self.exposure.modes())
            .tokenizer(self.tokenizer.clone())
    }

    fn budget(&self, has_preset: bool) -> Option<Budget> {
        match (self.tokens, self.chars, self.window, self.share) {
            (Some(tokens), ..) => Some(Budget::Tokens(tokens)),
            (_, Some(characters), ..) => Some(Budget::Characters(characters)),
            (.., Some(Some(window)), Some(per_mille)) => Some(Budget::Share { window, per_mille }),
            // A preset has its own share.
            (.., Some(window), _) => (!has_preset).then(|| Budget::for_window(window)),
            (.., None, _) => None,
        }
    }
}

impl CatalogOutput {
    fn size(&self) -> String {
        let CatalogReport { budget, used, .. } = &self.report;
        let unit = match budget {
            Budget::Unlimited | Budget::Characters(_) => "characters",
            _ => "tokens",
        };
        let limit = budget
            .limit()
            .map_or_else(String::new, |limit| format!(" of {limit}"));
        let OutcomeTotals {
            full,
            shortened,
            name_only,
            left_out,
            ..
        } = self.totals;
        let counts = [
            (full, "in full"),
            (shortened, "shortened"),
            (name_only, "by name only"),
            (left_out, "omitted"),
        ];
        let counts = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"));
        format!("{used}{limit} {unit}: {}", joined(counts))
    }
}
