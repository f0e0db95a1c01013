//! Who waits for which reply of another process.

use std::collections::BTreeMap;

use crate::sync::{Mutex, MutexGuard, PoisonError, mpsc};

/// Who waits for which reply: each call gets its own, or why there is none.
#[derive(Debug)]
pub(crate) struct Calls<R> {
    state: Mutex<State<R>>,
}

#[derive(Debug)]
struct State<R> {
    last: u32,
    /// By number: bytes of the reply at most, and where it goes.
    open: BTreeMap<u32, (usize, mpsc::Sender<R>)>,
    /// Why no reply comes any more.
    ended: Option<String>,
}

impl<R> Calls<R> {
    pub(crate) fn new() -> Calls<R> {
        Calls { state: Mutex::new(State { last: 0, open: BTreeMap::new(), ended: None }) }
    }

    /// A new call, its number and where its reply comes, unless there are no replies any more.
    pub(crate) fn begin(&self, limit: usize) -> Result<(u32, mpsc::Receiver<R>), String> {
        let mut state = self.state();
        // Under one lock with what ends them all: a call begins before that and is told, or does not begin.
        if let Some(ended) = &state.ended {
            return Err(ended.clone());
        }
        let (replies, reply) = mpsc::channel();
        state.last = state.last.wrapping_add(1);
        let call = state.last;
        state.open.insert(call, (limit, replies));
        Ok((call, reply))
    }

    /// Bytes of the reply to a call at most; none, if nobody waits for it.
    pub(crate) fn limit(&self, call: u32) -> usize {
        self.state().open.get(&call).map_or(0, |(limit, _)| *limit)
    }

    /// Hands a reply to who waits for it.
    pub(crate) fn reply(&self, call: u32, reply: R) {
        let waits = self.state().open.remove(&call);
        if let Some((_, waits)) = waits {
            // Who gave up meanwhile needs no reply.
            let _ = waits.send(reply);
        }
    }

    /// Tells everybody who waits, and whoever asks from now on, that no reply comes any more.
    pub(crate) fn end(&self, why: String) {
        let mut state = self.state();
        state.ended = Some(why);
        state.open.clear();
    }

    /// Why no reply comes any more.
    pub(crate) fn ended(&self) -> Option<String> {
        self.state().ended.clone()
    }

    fn state(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
