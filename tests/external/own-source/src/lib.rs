//! Skills that are haikus: a source kind of one's own.

use std::sync::Arc;

use repertoire::{Id, Skill};
use repertoire::registry::{ConfigError, SourceConfig, SourceKind, inventory};
use repertoire::skill::{Body, Digest, ListingEntry, Listing, Revision, Source, SourceError, Stamp, async_trait};

inventory::submit! {
    SourceKind::new("haiku", "a poem to a season", |config| Ok(Arc::new(Haikus::configured(config)?)))
}

/// A poem to a season.
#[derive(Debug)]
pub struct Haikus {
    name: String,
    seasons: Vec<Id>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    seasons: Vec<String>,
}

impl Haikus {
    fn configured(config: &SourceConfig) -> Result<Haikus, ConfigError> {
        let Options { seasons } = config.options()?;
        let season = |(at, name): (usize, String)| {
            Id::new(&name).map_err(|error| ConfigError::in_option(format!("seasons[{at}]"), error.to_string()))
        };
        let seasons = seasons.into_iter().enumerate().map(season).collect::<Result<_, _>>()?;
        Ok(Haikus { name: config.name.clone(), seasons })
    }
}

fn poem(season: &Id) -> String {
    format!("It is {season} now.\nA branch taps at the window.\nWrite down what it says.\n")
}

#[async_trait]
impl Source<Skill> for Haikus {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        let row = |id: &Id| {
            let skill = Skill::new(id.clone(), format!("Writes about {id}."));
            ListingEntry::new(skill, Stamp::of(&poem(id)))
        };
        Ok(Listing::new(Revision(0), self.seasons.iter().map(row), []))
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        if !self.seasons.contains(id) {
            return Err(SourceError::not_found("skill", id));
        }
        let text = poem(id);
        Ok(Body::new(text.as_str(), Digest::of(text.as_bytes()), Stamp::of(&text)))
    }
}
