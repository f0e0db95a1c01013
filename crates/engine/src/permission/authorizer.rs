//! Who decides.

use std::error::Error;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::access::{Access, Capability};
use super::ruling::{Effect, Ruling};

/// Decides what may be done: a [`PermissionPolicy`](super::PermissionPolicy), or a host's own rules.
///
/// # Contract
/// * It answers from what it has, without waiting: it is asked for every skill before a catalog is written. One that has to ask
///   elsewhere asks beforehand, and gives an error for what it did not hear in time.
/// * It is asked once for a skill as long as that stays as it is, by all clones of the [`Modes`](crate::Modes) that hold it; for a
///   tool, at each offer and each call.
/// * An error or a panic denies.
pub trait Authorizer: Debug + Send + Sync + 'static {
    /// Whether it has anything to say about this kind of access. Of what it does not govern it is not asked.
    fn governs(&self, capability: Capability) -> bool;

    /// Decides about one access.
    ///
    /// # Errors
    /// Whatever keeps it from deciding; then the access is denied.
    fn check(&self, access: &Access<'_>) -> Result<Ruling, Box<dyn Error + Send + Sync>>;
}

/// The strictest ruling of those who govern this access, of equal ones the first; `None` where nobody does.
pub(crate) fn ruling(authorizers: &[Arc<dyn Authorizer>], access: &Access<'_>) -> Option<Ruling> {
    authorizers.iter().filter_map(|authorizer| ruling_of(authorizer.as_ref(), access)).reduce(Ruling::and)
}

fn ruling_of(authorizer: &dyn Authorizer, access: &Access<'_>) -> Option<Ruling> {
    let asked =
        catch_unwind(AssertUnwindSafe(|| authorizer.governs(access.capability()).then(|| authorizer.check(access))));
    let failed = |why: String| Ruling::new(Effect::Deny, "authorizer.failed", why);
    match asked {
        Ok(None) => None,
        Ok(Some(Ok(ruling))) => Some(ruling),
        Ok(Some(Err(error))) => Some(failed(format!("could not decide about `{access}`: {error}"))),
        Err(_) => Some(failed(format!("panicked over `{access}`"))),
    }
}

/// Whether one of `authorizers` has anything to say about this kind of access; one that panics has.
pub(crate) fn governs(authorizers: &[Arc<dyn Authorizer>], capability: Capability) -> bool {
    let asked = |authorizer: &Arc<dyn Authorizer>| catch_unwind(AssertUnwindSafe(|| authorizer.governs(capability)));
    authorizers.iter().any(|authorizer| asked(authorizer).unwrap_or(true))
}
