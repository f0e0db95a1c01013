//! `repertoire catalog`.

use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use repertoire::{Budget, CatalogOptions, Fate, Format, Overflow, Report, Tokenizer, Totals};
use serde::Serialize;
use serde_json::Value;

use super::body::write_text;
use crate::Stream;
use crate::answer::{Answer, json};
use crate::finding::counted;
use crate::session::Session;

/// Print the text that tells a model which skills there are; what did not fit goes to standard error.
#[derive(Debug, Args)]
pub(crate) struct Catalog {
    /// Look in these folders alone.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// The markup.
    #[arg(long, value_enum, default_value_t)]
    style: Style,
    /// At most so many tokens.
    #[arg(long, value_name = "N", group = "budget")]
    tokens: Option<usize>,
    /// At most so many characters.
    #[arg(long, value_name = "N", group = "budget")]
    chars: Option<usize>,
    /// A share of a context window of so many tokens.
    #[arg(long, value_name = "N", group = "budget")]
    window: Option<usize>,
    /// How much of the window, in percent.
    #[arg(long, value_name = "PERCENT", requires = "window", default_value = "1", value_parser = per_mille)]
    share: u16,
    /// What gives way when not everything fits.
    #[arg(long, value_enum, default_value_t)]
    overflow: Yielding,
    /// Whose tokens are counted.
    #[arg(long, value_enum, default_value_t)]
    tokenizer: Vocabulary,
    /// Tell where each skill lies, for models that read skills with their file tools.
    #[arg(long)]
    locations: bool,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Style {
    /// `<available_skills>`.
    #[default]
    Xml,
    /// A Markdown list.
    Bullets,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Yielding {
    /// Long descriptions first, names last.
    #[default]
    Shorten,
    /// Descriptions, whole ones at a time.
    NameOnly,
    /// Skills, whole ones at a time.
    LeaveOut,
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
        let budget = match (self.tokens, self.chars, self.window) {
            (Some(tokens), ..) => Budget::Tokens(tokens),
            (_, Some(characters), _) => Budget::Characters(characters),
            (.., Some(window)) => Budget::Share { window, per_mille: self.share },
            (None, None, None) => Budget::Unlimited,
        };
        let options = CatalogOptions::default()
            .budget(budget)
            .format(match self.style {
                Style::Xml => Format::Xml,
                Style::Bullets => Format::Bullets,
            })
            .overflow(match self.overflow {
                Yielding::Shorten => Overflow::Shorten,
                Yielding::NameOnly => Overflow::NameOnly,
                Yielding::LeaveOut => Overflow::LeaveOut,
            })
            .tokenizer(match self.tokenizer {
                Vocabulary::Claude2023 => Tokenizer::CLAUDE_2023,
                Vocabulary::O200k => Tokenizer::O200K,
                Vocabulary::Llama3 => Tokenizer::LLAMA3,
            });
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
        notes.extend(lines.iter().filter(|line| line.fate != Fate::Full).map(ToString::to_string));
        notes.extend(self.pending.clone());
        notes
    }
}
