//! What only a registry of skills has: the surface cascade.

use repertoire_core::{Model, Skill, Surface, SurfaceMode, SurfacePolicy, SurfaceRules};

use crate::{Builder, Entry, LookupError, Registry};

/// A registry of skills.
pub type SkillRegistry = Registry<Skill>;

impl Builder<Skill> {
    /// The mode of every skill that declares none.
    #[must_use]
    pub fn surface_mode(mut self, mode: SurfaceMode) -> Builder<Skill> {
        self.surface.default = Some(mode);
        self
    }

    /// The provider to assume when a call names none.
    #[must_use]
    pub fn provider_hint(mut self, provider: &str) -> Builder<Skill> {
        self.surface.hint = Some(provider.to_owned());
        self
    }

    /// Other provider and model rules than the shipped ones.
    #[must_use]
    pub fn surface_rules(mut self, rules: SurfaceRules) -> Builder<Skill> {
        self.surface.rules = rules;
        self
    }
}

impl Registry<Skill> {
    /// The registry's default mode.
    pub fn surface_mode(&self) -> Option<SurfaceMode> {
        self.composition().surface.default
    }

    /// The registry's provider hint.
    pub fn provider_hint(&self) -> Option<String> {
        self.composition().surface.hint.clone()
    }

    /// The whole cascade: the default, the hint and the rules.
    pub fn surface_policy(&self) -> SurfacePolicy {
        self.composition().surface.clone()
    }

    /// Where the body of `entry` goes for `model`, and who decided.
    pub fn surface(&self, entry: &Entry<Skill>, model: &Model<'_>) -> Surface {
        self.surface_of(entry.item(), model)
    }

    /// Where the body of any skill goes for `model`: for shadows, and for a skill that is not merged.
    pub fn surface_of(&self, skill: &Skill, model: &Model<'_>) -> Surface {
        self.composition().surface.resolve(skill.surface, model)
    }

    /// As [`surface`](Registry::surface), for what a person typed.
    ///
    /// # Errors
    /// [`LookupError`] for a name that leads nowhere, so that a typing slip is never resolved to a stranger.
    pub fn surface_for(&self, name: &str, model: &Model<'_>) -> Result<Surface, LookupError> {
        let snapshot = self.snapshot();
        let found = snapshot.resolve(name)?;
        Ok(self.surface_of(&found.claim.item, model))
    }
}
