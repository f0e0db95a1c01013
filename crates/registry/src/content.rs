//! Bodies and files, from the source that made the claim.

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use repertoire_core::{Body, Item, Resource, ResourcePath, SourceError, SourceErrorKind};

use crate::findings::found;
use crate::{Claim, Mount, Registry, Snapshot, SourceDiagnostic};

/// The number of bodies that are read together.
const TOGETHER: usize = 8;

impl<T: Item> Registry<T> {
    /// The instructions behind a claim, winner or shadow, from the source that made it.
    ///
    /// When they turn out newer than the view, the source is looked at again, so that the view follows.
    ///
    /// # Errors
    /// The source's own; [`Unavailable`](SourceErrorKind::Unavailable) when the source is no longer composed, or no longer
    /// under the tier and the trust that the claim tells of.
    pub async fn body(&self, claim: &Claim<T>) -> Result<Body, SourceError> {
        let (owner, mount) = self.owner_of(claim)?;
        let body = mount.body(claim.item.id()).await?;
        if body.stamp != claim.stamp {
            owner.look_again(&mount).await;
        }
        Ok(body)
    }

    /// Reads the body of every claim of `view`, shadows among them, and returns the diagnostics about hidden text in them.
    ///
    /// A listing reads front matter alone, so these are no part of a view. A body that cannot be read has none.
    pub async fn body_diagnostics(&self, view: &Snapshot<T>) -> Vec<SourceDiagnostic> {
        let claims: Vec<_> = view.entries().iter().flat_map(|entry| entry.claims()).collect();
        let read = claims.into_iter().map(async |claim| {
            let body = self.body(claim).await.ok()?;
            let mut diagnostic = body.diagnostic()?;
            diagnostic.path = claim.item.location().map(Into::into);
            Some(found(&claim.origin.source, diagnostic))
        });
        stream::iter(read).buffered(TOGETHER).filter_map(async |found| found).collect().await
    }

    /// The files behind a claim, sorted by path.
    ///
    /// # Errors
    /// As [`body`](Registry::body).
    pub async fn resources(&self, claim: &Claim<T>) -> Result<Vec<Resource>, SourceError> {
        self.owner_of(claim)?.1.resources(claim.item.id()).await
    }

    /// One file behind a claim.
    ///
    /// # Errors
    /// As [`body`](Registry::body).
    pub async fn resource(&self, claim: &Claim<T>, path: &ResourcePath) -> Result<Bytes, SourceError> {
        self.owner_of(claim)?.1.resource(claim.item.id(), path).await
    }

    /// The mount that made a claim, and whose it is.
    pub(crate) fn owner_of(&self, claim: &Claim<T>) -> Result<(&Registry<T>, Mount<T>), SourceError> {
        let composition = self.composition();
        let what = match (composition.mount(&claim.origin.source), self.base()) {
            (Some(mount), _) if mount.has_made(claim) => return Ok((self, mount.clone())),
            (Some(_), _) => "composed in another way by now",
            (None, Some(base)) => return base.owner_of(claim),
            (None, None) => "no longer composed",
        };
        let message = format!("source `{}` is {what}", claim.origin.source);
        Err(SourceError::new(SourceErrorKind::Unavailable, message))
    }
}
