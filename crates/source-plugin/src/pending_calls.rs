//! Calls of a plugin process that wait for their replies.

use std::collections::BTreeMap;

use crate::sync::{Mutex, mpsc};

/// A table of calls that wait for a reply, by call number.
#[derive(Debug)]
pub(crate) struct PendingCalls<R> {
    state: Mutex<CallTable<R>>,
}

#[derive(Debug)]
struct CallTable<R> {
    last: u32,
    /// The most bytes of the reply, and the channel of the caller.
    open: BTreeMap<u32, (usize, mpsc::Sender<R>)>,
    /// The reason why no reply will arrive any more.
    ended: Option<String>,
}

impl<R> PendingCalls<R> {
    pub(crate) fn new() -> PendingCalls<R> {
        PendingCalls {
            state: Mutex::new(CallTable {
                last: 0,
                open: BTreeMap::new(),
                ended: None,
            }),
        }
    }

    /// Returns the number of a new call and the channel of its reply, or the reason why there are no replies any more.
    pub(crate) fn begin(&self, limit: usize) -> Result<(u32, mpsc::Receiver<R>), String> {
        let mut state = self.state.lock();
        // One lock for this and `end`: a call is either in the table and ended with it, or refused.
        if let Some(ended) = &state.ended {
            return Err(ended.clone());
        }
        let (sender, reply) = mpsc::channel();
        state.last = state.last.wrapping_add(1);
        let call = state.last;
        state.open.insert(call, (limit, sender));
        Ok((call, reply))
    }

    /// Returns the most bytes of the reply to `call`, 0 if no caller waits for it.
    pub(crate) fn limit(&self, call: u32) -> usize {
        self.state
            .lock()
            .open
            .get(&call)
            .map_or(0, |(limit, _)| *limit)
    }

    pub(crate) fn reply(&self, call: u32, reply: R) {
        let open = self.state.lock().open.remove(&call);
        if let Some((_, sender)) = open {
            // The caller may have given up.
            let _ = sender.send(reply);
        }
    }

    /// Ends all calls, and refuses new ones with the same reason.
    pub(crate) fn end(&self, reason: String) {
        let mut state = self.state.lock();
        state.ended = Some(reason);
        state.open.clear();
    }

    pub(crate) fn ended(&self) -> Option<String> {
        self.state.lock().ended.clone()
    }
}
