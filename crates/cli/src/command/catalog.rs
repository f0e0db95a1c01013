//! `repertoire catalog`.

use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use repertoire::{
    Activation, Budget, CatalogOptions, CatalogPreset, Fate, Format, Id, Overflow, Report, Tokenizer, ToolPreset,
    Totals,
};
use serde::Serialize;
use serde_json::Value;

use super::body::write_text;
use super::modes::Offered;
use crate::Stream;
use crate::answer::{Answer, json};
use crate::finding::counted;
use crate::session::Session;

/// Print the text that tells a model which skills there are; what did not fit goes to standard error.
#[derive(Debug, Args)]
pub(crate) struct Catalog {
    /// Look in these folders, in place of the standard ones and the built-in skills.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// Markup, budget, overflow and locations as this client has them; what else is given goes before it.
    #[arg(long, value_name = "CLIENT", value_parser = preset_names())]
    preset: Option<String>,
    /// The markup [default: xml].
    #[arg(long, value_enum)]
    style: Option<Style>,
    /// At most so many tokens.
    #[arg(long, value_name = "N", group = "budget")]
    tokens: Option<usize>,
    /// At most so many characters.
    #[arg(long, value_name = "N", group = "budget")]
    chars: Option<usize>,
    /// A share of a context window of so many tokens; of an unknown one, 8000 characters.
    #[arg(long, value_name = "N|unknown", group = "budget")]
    window: Option<Window>,
    /// How much of the window, in percent, and never less than 128 tokens [default: 2, or as the client has it].
    #[arg(long, value_name = "PERCENT", requires = "window", value_parser = per_mille)]
    share: Option<u16>,
    /// What gives way when not everything fits [default: shorten].
    #[arg(long, value_enum)]
    overflow: Option<Yielding>,
    /// How often a skill was used, for `--overflow least-used`.
    #[arg(long = "used", value_name = "ID=N", value_parser = uses)]
    uses: Vec<(Id, u64)>,
    /// Whose tokens are counted.
    #[arg(long, value_enum, default_value_t)]
    tokenizer: Vocabulary,
    /// Say first how the model reads a skill: `files` where it has file tools, else the client whose tool it calls.
    #[arg(long, value_name = "HOW", value_parser = activation_names())]
    activation: Option<String>,
    /// Tell where each skill lies; `--activation files` does, too.
    #[arg(long)]
    locations: bool,
    /// What tells the model how to find skills that were left out [default: what the activation says].
    #[arg(long, value_name = "TEXT")]
    hint: Option<String>,
    #[command(flatten)]
    offered: Offered,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Style {
    /// `<available_skills>`, a skill a line.
    Xml,
    /// The same elements, each on a line of its own.
    Indented,
    /// As the reference library of the standard.
    Reference,
    /// A Markdown list.
    Bullets,
    /// The list without marks.
    Lines,
    /// JSON, a skill a line.
    Json,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Yielding {
    /// Long descriptions first, cut where a clause ends; names last.
    Shorten,
    /// The same, cut where a word ends.
    RoundRobin,
    /// Descriptions, whole ones at a time.
    NameOnly,
    /// The same, those first that were used least.
    LeastUsed,
    /// Skills, whole ones at a time.
    LeaveOut,
}

/// A context window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Window(Option<usize>);

impl FromStr for Window {
    type Err = String;

    fn from_str(text: &str) -> Result<Window, String> {
        if text == "unknown" {
            return Ok(Window(None));
        }
        let tokens = text
            .parse()
            .map_err(|_| format!("expected a number or `unknown`, found `{}`", repertoire::text::terminal_line(text)));
        tokens.map(|tokens| Window(Some(tokens)))
    }
}

/// What `--activation` takes for models that read files.
const FILES: &str = "files";

fn activation_names() -> clap::builder::PossibleValuesParser {
    let presets = ToolPreset::ALL.iter().map(|preset| preset.name);
    clap::builder::PossibleValuesParser::new(std::iter::once(FILES).chain(presets))
}

/// What a name of these means.
fn activation(name: &str) -> Activation {
    match ToolPreset::ALL.iter().find(|preset| preset.name == name) {
        Some(preset) => Activation::tools(preset),
        None => Activation::Files,
    }
}

fn preset_names() -> clap::builder::PossibleValuesParser {
    CatalogPreset::ALL.map(|preset| preset.name).into()
}

fn uses(text: &str) -> Result<(Id, u64), String> {
    let (id, uses) = text.rsplit_once('=').ok_or("expected `ID=N`")?;
    let id = Id::new(id).map_err(|error| error.to_string())?;
    Ok((id, uses.parse().map_err(|_| format!("expected a number, found `{}`", repertoire::text::terminal_line(uses)))?))
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Vocabulary {
    /// Anthropic's last published one; the highest estimate, so safe for every model.
    #[default]
    #[value(name = "claude-2023")]
    Claude2023,
    /// OpenAI's since GPT-4o.
    #[value(name = "o200k")]
    O200k,
    /// Llama 3's.
    #[value(name = "llama3")]
    Llama3,
}

/// Reads a percentage to one decimal.
fn per_mille(text: &str) -> Result<u16, String> {
    let percent = text.parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent));
    let percent = percent.ok_or("expected a percentage from 0 to 100, to one decimal")?;
    Ok((percent * 10.0).round() as u16)
}

/// What tells a model which skills there are.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Rendered {
    text: String,
    report: Report,
    totals: Totals,
    #[serde(skip)]
    pending: Option<String>,
}

impl Catalog {
    pub(crate) fn answer(&self, session: &Session<'_>) -> impl Answer + use<> {
        let catalog = repertoire::Catalog::of(&session.snapshot, &self.options());
        let totals = catalog.report.totals();
        Rendered { text: catalog.text, report: catalog.report, totals, pending: session.pending() }
    }

    fn options(&self) -> CatalogOptions {
        let preset = self.preset.as_deref().and_then(CatalogPreset::named);
        let options =
            preset.map(|preset| preset.for_window(self.window.and_then(|Window(tokens)| tokens))).unwrap_or_default();
        let budget = match (self.tokens, self.chars, self.window) {
            (Some(tokens), ..) => Some(Budget::Tokens(tokens)),
            (_, Some(characters), _) => Some(Budget::Characters(characters)),
            (.., Some(Window(window))) => match (window, self.share) {
                (Some(window), Some(per_mille)) => Some(Budget::Share { window, per_mille }),
                // A client has a share of its own.
                _ => preset.is_none().then(|| Budget::for_window(window)),
            },
            (None, None, None) => None,
        };
        let format = self.style.map(|style| match style {
            Style::Xml => Format::Xml,
            Style::Indented => Format::Indented,
            Style::Reference => Format::Reference,
            Style::Bullets => Format::Bullets,
            Style::Lines => Format::Lines,
            Style::Json => Format::Json,
        });
        let overflow = self.overflow.map(|overflow| match overflow {
            Yielding::Shorten => Overflow::Shorten,
            Yielding::RoundRobin => Overflow::RoundRobin,
            Yielding::NameOnly => Overflow::NameOnly,
            Yielding::LeastUsed => Overflow::LeastUsed(Arc::new(self.uses.iter().cloned().collect())),
            Yielding::LeaveOut => Overflow::LeaveOut,
        });
        let options = budget.into_iter().fold(options, CatalogOptions::budget);
        let options = format.into_iter().fold(options, CatalogOptions::format);
        let options = overflow.into_iter().fold(options, CatalogOptions::overflow);
        let options = self.hint.iter().cloned().fold(options, CatalogOptions::hint);
        let options = options.modes(self.offered.modes()).tokenizer(match self.tokenizer {
            Vocabulary::Claude2023 => Tokenizer::CLAUDE_2023,
            Vocabulary::O200k => Tokenizer::O200K,
            Vocabulary::Llama3 => Tokenizer::LLAMA3,
        });
        let options = self.activation.as_deref().map(activation).into_iter().fold(options, CatalogOptions::activation);
        if self.locations { options.with_locations() } else { options }
    }
}

impl Answer for Rendered {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        write_text(&self.text, out)
    }

    fn notes(&self) -> Vec<String> {
        let Report { budget, used, lines, .. } = &self.report;
        let unit = match budget {
            Budget::Unlimited | Budget::Characters(_) => "characters",
            Budget::Tokens(_) | Budget::Share { .. } => "tokens",
        };
        let size = match budget.limit() {
            Some(limit) => format!("{used} of {limit} {unit}"),
            None => format!("{used} {unit}"),
        };
        let Totals { full, shortened, name_only, left_out, .. } = self.totals;
        let fates = [(full, "in full"), (shortened, "shortened"), (name_only, "by name only"), (left_out, "left out")];
        let fates = fates.iter().filter(|(count, _)| *count > 0).map(|(count, fate)| format!("{count} {fate}"));
        let fates: Vec<_> = fates.collect();
        let mut notes = match lines.as_slice() {
            [] => vec!["no skill is visible to a model: no catalog".to_owned()],
            lines => vec![format!("{}, {size}: {}", counted(lines.len(), "skill"), fates.join(", "))],
        };
        notes.extend(lines.iter().filter(|line| line.fate != Fate::Full || line.hidden > 0).map(ToString::to_string));
        notes.extend(self.pending.clone());
        notes
    }
}
