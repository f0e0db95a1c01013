//! The source of a compiled-in list.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use repertoire_core::{
    Body, Bytes, Id, Listing, ListingEntry, Resource, ResourcePath, Revision, Skill, Source,
    SourceError, SourceErrorKind, async_trait,
};

use crate::{StaticList, StaticSkill, rule};

/// A source of the skills of a [`StaticList`], in its order. It never changes.
///
/// The listing is made once and then shared. The digest of a skill is SHA-256 of its embedded file, or of the body of a skill in code.
#[derive(Debug)]
pub struct StaticSource {
    name: Cow<'static, str>,
    list: StaticList,
    listing: OnceLock<Listing<Skill>>,
    /// By id. It is made when the first skill is read.
    places: OnceLock<HashMap<&'static str, usize>>,
}

impl StaticSource {
    /// Creates a source called `name`.
    ///
    /// # Panics
    /// If the name is blank or has a colon. In a constant that is a compile error.
    #[track_caller]
    pub const fn new(name: &'static str, list: StaticList) -> StaticSource {
        assert!(
            !rule::is_blank(name),
            "the name of a source must not be blank"
        );
        let mut at = 0;
        while at < name.len() {
            assert!(
                name.as_bytes()[at] != b':',
                "the name of a source must not contain a colon"
            );
            at += 1;
        }
        StaticSource {
            name: Cow::Borrowed(name),
            list,
            listing: OnceLock::new(),
            places: OnceLock::new(),
        }
    }

    /// Sets a name that is known at run time only. The registry checks it.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> StaticSource {
        self.name = Cow::Owned(name.into());
        self
    }

    fn listing(&self) -> &Listing<Skill> {
        self.listing.get_or_init(|| {
            Listing::new(Revision(0), self.list.iter().map(StaticSkill::listed), [])
        })
    }

    fn find(&self, id: &Id) -> Result<(&'static StaticSkill, &ListingEntry<Skill>), SourceError> {
        let places = self.places.get_or_init(|| {
            let ids = self.list.iter().map(StaticSkill::id);
            // Of two skills with one id, the first is read.
            ids.enumerate().rev().map(|(at, id)| (id, at)).collect()
        });
        let at = places.get(id.as_str());
        let found =
            at.and_then(|at| Some((self.list.iter().nth(*at)?, self.listing().rows().get(*at)?)));
        found.ok_or_else(|| SourceError::not_found("skill", id))
    }
}

#[async_trait]
impl Source<Skill> for StaticSource {
    fn name(&self) -> &str {
        &self.name
    }

    async fn list(&self) -> Result<Listing<Skill>, SourceError> {
        Ok(self.listing().clone())
    }

    async fn body(&self, id: &Id) -> Result<Body, SourceError> {
        let (skill, row) = self.find(id)?;
        let digest = row.digest.expect("every row is made with a digest");
        Ok(Body::new(skill.text(), digest, row.stamp))
    }

    async fn resources(&self, id: &Id) -> Result<Vec<Resource>, SourceError> {
        Ok(self.find(id)?.0.manifest())
    }

    async fn resource(&self, id: &Id, path: &ResourcePath) -> Result<Bytes, SourceError> {
        self.find(id)?.0.resource(path).ok_or_else(|| {
            SourceError::new(
                SourceErrorKind::NotFound,
                format!("skill `{id}` has no resource `{path}`"),
            )
        })
    }
}
