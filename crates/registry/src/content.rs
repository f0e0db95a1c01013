//! Bodies and files, from the source that made the claim.

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use repertoire_core::{Body, Item, Manifest, Omission, Resource, ResourcePath, SourceError, SourceErrorKind};

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
            owner.refresh_source(&mount).await;
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

    /// Returns the diagnostics about what lies beside the instructions of every claim of `view` and is not one of its files.
    ///
    /// Names, sizes and rights tell it; no file is read. Of a source that cannot tell there are none.
    pub async fn part_diagnostics(&self, view: &Snapshot<T>) -> Vec<SourceDiagnostic> {
        let claims: Vec<_> = view.entries().iter().flat_map(|entry| entry.claims()).collect();
        let looked = claims.into_iter().map(async |claim| {
            let omissions = self.omissions(claim).await.unwrap_or_default();
            let folder = claim.item.location().and_then(|location| Some(location.rsplit_once(['/', '\\'])?.0));
            let diagnostics = omissions.iter().map(|omission| omission.diagnostic(folder));
            diagnostics.map(|diagnostic| found(&claim.origin.source, diagnostic)).collect::<Vec<_>>()
        });
        stream::iter(looked).buffered(TOGETHER).concat().await
    }

    /// The files behind a claim, sorted by path.
    ///
    /// # Errors
    /// As [`body`](Registry::body).
    pub async fn resources(&self, claim: &Claim<T>) -> Result<Vec<Resource>, SourceError> {
        self.owner_of(claim)?.1.resources(claim.item.id()).await
    }

    /// One file behind a claim. Where no file has that very path, the one is read whose path differs in composed letters alone.
    ///
    /// # Errors
    /// As [`body`](Registry::body).
    pub async fn resource(&self, claim: &Claim<T>, path: &ResourcePath) -> Result<Bytes, SourceError> {
        let (_, mount) = self.owner_of(claim)?;
        match mount.resource(claim.item.id(), path).await {
            Err(error) if error.kind() == SourceErrorKind::NotFound && !path.as_str().is_ascii() => {
                let files = mount.resources(claim.item.id()).await.unwrap_or_default();
                match path.meant_among(files.iter().map(|file| &file.path)).filter(|meant| *meant != path) {
                    Some(meant) => mount.resource(claim.item.id(), meant).await,
                    None => Err(error),
                }
            }
            read => read,
        }
    }

    /// What lies beside the instructions behind a claim and is not among its files.
    ///
    /// # Errors
    /// As [`body`](Registry::body).
    pub async fn omissions(&self, claim: &Claim<T>) -> Result<Vec<Omission>, SourceError> {
        self.owner_of(claim)?.1.omissions(claim.item.id()).await
    }

    /// Everything behind a claim that can have a part in what it runs, read anew: what a decision of trust is bound to.
    ///
    /// # Errors
    /// As [`body`](Registry::body).
    pub async fn manifest(&self, claim: &Claim<T>) -> Result<Manifest, SourceError> {
        self.owner_of(claim)?.1.manifest(claim.item.id()).await
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
