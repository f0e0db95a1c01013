//! The configuration file.

mod home;
mod rules;
mod section;
mod source;
mod surface;

#[cfg(feature = "schema")]
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use repertoire::{ComposeError, Id, Level, SkillRegistry, SurfacePolicy};
use toml_edit::{Document, Item};

pub(crate) use home::Home;
pub(crate) use source::{Declared, Plugins};

use crate::failure::Failure;
use crate::page::Page;
use crate::pool::Pool;
use section::Section;

/// A TOML file. Inside a tier, sources come in the order of the file; relative paths are meant from its folder.
#[derive(Debug)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        title = "What `repertoire --config FILE` reads",
        extend("$id" = "repertoire/configuration"),
        deny_unknown_fields
    )
)]
pub(crate) struct Config {
    #[cfg_attr(feature = "schema", schemars(skip))]
    page: Page,
    #[cfg_attr(feature = "schema", schemars(rename = "source", default))]
    pub(crate) sources: Vec<Declared>,
    #[cfg_attr(feature = "schema", schemars(with = "Option<surface::Surface>"))]
    pub(crate) surface: SurfacePolicy,
    /// Which source wins an id, against every other admitted one.
    #[cfg_attr(feature = "schema", schemars(rename = "prefer", with = "Option<BTreeMap<String, String>>"))]
    pub(crate) preferences: Vec<Preference>,
    #[cfg_attr(feature = "schema", schemars(with = "Option<rules::Rules>"))]
    pub(crate) rules: Level,
}

/// An id that a source shall win.
#[derive(Debug)]
pub(crate) struct Preference {
    pub(crate) id: Id,
    pub(crate) source: String,
    span: Range<usize>,
}

impl Config {
    /// Reads `page`. Relative paths are meant from `base`, `~` from `home`.
    pub(crate) fn read(page: Page, base: &Path, home: &Home, pool: &mut Pool) -> Result<Config, Failure> {
        let document = Document::parse(page.text()).map_err(|error| {
            // What is missing at the end has no bytes of its own.
            page.failure(error.span().unwrap_or(page.text().len()..page.text().len()), error.message())
        })?;
        let (mut sources, mut surface, mut preferences) = (Vec::new(), SurfacePolicy::default(), Vec::new());
        let mut rules = rules::none();
        for (key, item) in document.iter() {
            match key {
                "source" => sources = declared(&page, item, base, home, pool)?,
                "surface" => surface = surface::read(&Section::new(&page, item)?)?,
                "prefer" => preferences = preferred(&Section::new(&page, item)?)?,
                "rules" => rules = rules::read(&Section::new(&page, item)?)?,
                _ => {
                    let span = document.key(key).and_then(toml_edit::Key::span).unwrap_or(0..0);
                    let message =
                        format!("unknown key `{key}`; expected `[[source]]`, `[surface]`, `[prefer]` or `[rules]`");
                    return Err(page.failure(span, message));
                }
            }
        }
        Ok(Config { sources, surface, preferences, rules, page })
    }

    /// Points at what a registry refused to compose.
    pub(crate) fn failure(&self, error: &ComposeError) -> Failure {
        let name_of = |name: &str| self.sources.iter().rfind(|source| source.name() == name).map(Declared::name_span);
        let span = match error {
            ComposeError::DuplicateSource { name } | ComposeError::SourceName { name, .. } => name_of(name),
            ComposeError::UnknownSource { id, source_name, .. } => {
                let mut preferences = self.preferences.iter();
                preferences.find(|row| row.id == *id && row.source == *source_name).map(|row| row.span.clone())
            }
            _ => None,
        };
        let message = match error {
            ComposeError::DuplicateSource { name } if name == SkillRegistry::REGISTERED => {
                format!("the source name `{name}` is taken by skills that are registered in code")
            }
            error => error.to_string(),
        };
        match span {
            Some(span) => self.page.failure(span, message),
            None => Failure::new(message),
        }
    }
}

fn declared(page: &Page, item: &Item, base: &Path, home: &Home, pool: &mut Pool) -> Result<Vec<Declared>, Failure> {
    let sections = Section::each(page, item)?;
    sections.iter().map(|section| Declared::read(section, base, home, pool)).collect()
}

fn preferred(section: &Section<'_>) -> Result<Vec<Preference>, Failure> {
    let rows = section.values.iter().map(|(key, value)| {
        let span = section.span(key);
        let id = Id::new(key).map_err(|error| section.page.failure(span.clone(), error.to_string()))?;
        let Some(source) = value.as_str() else {
            let message = format!("`{key}`: expected the name of a source, found {value}");
            return Err(section.page.failure(span, message));
        };
        Ok(Preference { id, source: source.to_owned(), span })
    });
    rows.collect()
}
