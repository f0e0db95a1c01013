//! Who is in now: a guest is used by many, replaced by one, and unmade by the last who lets go of it.

use std::time::{Duration, Instant};

use repertoire_core::Digest;

use crate::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where a guest stays until another one moves in, or nobody may any more.
///
/// What is known of a guest comes and goes with it. No lock is held while anything is asked of a guest.
#[derive(Debug)]
pub(crate) struct Room<G: ?Sized> {
    state: Mutex<State<G>>,
}

#[derive(Debug)]
struct State<G: ?Sized> {
    stay: Option<Stay<G>>,
    closed: bool,
}

#[derive(Debug)]
struct Stay<G: ?Sized> {
    guest: Arc<G>,
    /// What the guest was made of.
    digest: Digest,
    /// The guest's own revision, as last told.
    seen: Option<u64>,
    /// Since when the guest waits for a change, if somebody wants to know.
    waits: Option<Instant>,
    /// Whether the guest was told to end such a wait that took too long; it is told once.
    told_to_end: bool,
}

/// Nobody stays here any more.
#[derive(Debug)]
pub(crate) struct Closed;

impl<G: ?Sized> Room<G> {
    pub(crate) fn new() -> Room<G> {
        Room { state: Mutex::new(State { stay: None, closed: false }) }
    }

    /// Who is in, and what it was made of.
    pub(crate) fn guest(&self) -> Result<Option<(Arc<G>, Digest)>, Closed> {
        let state = self.state();
        if state.closed {
            return Err(Closed);
        }
        Ok(state.stay.as_ref().map(|stay| (stay.guest.clone(), stay.digest)))
    }

    /// Lets `guest` in, for the one who leaves; that is `guest` itself, if nobody stays here any more.
    pub(crate) fn move_in(&self, guest: Arc<G>, digest: Digest) -> Option<Arc<G>> {
        let mut state = self.state();
        if state.closed {
            return Some(guest);
        }
        let stay = Stay { guest, digest, seen: None, waits: None, told_to_end: false };
        state.stay.replace(stay).map(|stay| stay.guest)
    }

    /// Lets nobody in any more, and gives who leaves.
    pub(crate) fn close(&self) -> Option<Arc<G>> {
        let mut state = self.state();
        state.closed = true;
        state.stay.take().map(|stay| stay.guest)
    }

    /// Whether `told`, a revision of `guest`, is another one than before.
    pub(crate) fn saw(&self, guest: &Arc<G>, told: u64) -> bool {
        self.of(guest, |stay| stay.seen.replace(told) != Some(told)).unwrap_or(false)
    }

    /// The guest, if nobody waits for its changes yet; from now on somebody does.
    pub(crate) fn begin_wait(&self, changes: impl FnOnce(&G) -> bool) -> Option<Arc<G>> {
        let mut state = self.state();
        let stay = state.stay.as_mut().filter(|stay| stay.waits.is_none() && changes(&stay.guest))?;
        stay.waits = Some(Instant::now());
        Some(stay.guest.clone())
    }

    /// The revision that `guest` is to get past, as long as it stays.
    pub(crate) fn wait_on(&self, guest: &Arc<G>) -> Option<u64> {
        self.of(guest, |stay| {
            stay.waits = Some(Instant::now());
            stay.seen.unwrap_or(0)
        })
    }

    /// Nobody waits for changes of `guest` any more.
    pub(crate) fn end_wait(&self, guest: &Arc<G>) {
        self.of(guest, |stay| stay.waits = None);
    }

    /// The guest, once, if it has been waiting for longer than that.
    pub(crate) fn waits_too_long(&self, longest: Duration) -> Option<Arc<G>> {
        let mut state = self.state();
        let stay = state.stay.as_mut()?;
        let is_overdue = stay.waits.is_some_and(|since| since.elapsed() > longest);
        (is_overdue && !std::mem::replace(&mut stay.told_to_end, true)).then(|| stay.guest.clone())
    }

    /// What `does` says of the stay of `guest`, if that is who is in.
    fn of<O>(&self, guest: &Arc<G>, does: impl FnOnce(&mut Stay<G>) -> O) -> Option<O> {
        let mut state = self.state();
        state.stay.as_mut().filter(|stay| Arc::ptr_eq(&stay.guest, guest)).map(does)
    }

    fn state(&self) -> MutexGuard<'_, State<G>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
