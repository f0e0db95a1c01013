//! Registries over a registry.

use repertoire_core::Item;

use crate::{Builder, Registry};

impl<T: Item> Registry<T> {
    /// The name of the source that holds what is registered in code on an [overlay](Registry::overlay). On an overlay of
    /// an overlay it is `session-2`, and so on.
    pub const SESSION: &str = "session";

    /// Composes a registry over this one: for a session with sources, entries and rules of its own over what all share.
    ///
    /// It shows what this registry shows, and before that, inside each tier, what is composed and registered on it; its
    /// rules are levels behind those of this one. Everything its own rows do not touch is shared, entry by entry. It
    /// follows this registry's changes by itself. What it does is seen by nobody else, and ends with it: closing or dropping
    /// it leaves this registry as it is, which in turn lives until the last overlay is dropped. When this registry is
    /// closed, subscriptions and callbacks of its overlays end.
    ///
    /// The names of sources are unique in both. When this registry later gets a source that the overlay has already, the
    /// overlay's stays and the other is left out of it, with a finding. Whether a copy is identical to one that this registry got
    /// later is known after the next [`refresh`](Registry::refresh) of the overlay.
    ///
    /// ```
    /// use repertoire_core::Skill;
    /// use repertoire_registry::{MemorySource, SkillRegistry};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let named = |name: &str, id: &str| -> Result<_, Box<dyn std::error::Error>> {
    ///     let source = MemorySource::named(name);
    ///     source.register(Skill::new(id.parse()?, name))?;
    ///     Ok(source)
    /// };
    /// let shared = SkillRegistry::builder().user(named("home", "tidy")?).load().await?;
    /// let session = shared.overlay().user(named("project", "tidy")?).load().await?;
    /// session.register(Skill::new("greet".parse()?, "Greets people."))?;
    ///
    /// assert_eq!(session.get("tidy").ok_or("gone")?.origin().source.as_ref(), "project");
    /// assert_eq!(shared.get("tidy").ok_or("gone")?.origin().source.as_ref(), "home");
    /// assert!(session.has("greet") && !shared.has("greet"));
    ///
    /// shared.register(Skill::new("plan".parse()?, "Makes plans."))?;
    /// assert!(session.has("plan"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn overlay(&self) -> Builder<T> {
        Builder::over(self.clone())
    }
}
