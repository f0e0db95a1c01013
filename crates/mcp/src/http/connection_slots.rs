//! ConnectionSlots for connections, so that no client holds all of them.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

#[derive(Clone)]
pub(super) struct ConnectionSlots(Arc<Table>);

struct Table {
    most: usize,
    most_of_one: usize,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    turn: u64,
    places: HashMap<u64, Open>,
}

struct Open {
    sender: IpAddr,
    busy: usize,
    is_proven: bool,
    used: u64,
    close: CancellationToken,
}

#[derive(Clone)]
pub(super) struct Place(Arc<Mine>);

struct Mine {
    number: u64,
    places: ConnectionSlots,
    close: CancellationToken,
}

pub(super) struct Busy(Place);

impl ConnectionSlots {
    pub(super) fn new(most: usize, most_of_one: usize) -> ConnectionSlots {
        let most = most.max(1);
        ConnectionSlots(Arc::new(Table { most, most_of_one: most_of_one.clamp(1, most), held: Mutex::default() }))
    }

    pub(super) fn take(&self, sender: IpAddr) -> Option<Place> {
        let mut held = self.held();
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        held.places.values().for_each(|open| *counts.entry(open.sender).or_default() += 1);
        let is_crowd = counts.get(&sender).is_some_and(|count| *count >= self.0.most_of_one);
        if is_crowd || held.places.len() >= self.0.most {
            let idle = held.places.iter().filter(|(_, open)| open.busy == 0 && (!is_crowd || open.sender == sender));
            let number = *idle.min_by_key(|(_, open)| (open.is_proven, Reverse(counts[&open.sender]), open.used))?.0;
            held.places.remove(&number)?.close.cancel();
        }
        held.turn += 1;
        let (number, close) = (held.turn, CancellationToken::new());
        let open = Open { sender, busy: 0, is_proven: false, used: number, close: close.clone() };
        held.places.insert(number, open);
        drop(held);
        Some(Place(Arc::new(Mine { number, places: self.clone(), close })))
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.held.lock()
    }
}

impl Place {
    pub(super) fn closed(&self) -> CancellationToken {
        self.0.close.clone()
    }

    pub(super) fn busy(&self) -> Busy {
        self.change(|open| open.busy += 1);
        Busy(self.clone())
    }

    pub(super) fn proven(&self) {
        self.change(|open| open.is_proven = true);
    }

    fn change(&self, change: impl FnOnce(&mut Open)) {
        let mut held = self.0.places.held();
        held.turn += 1;
        let turn = held.turn;
        if let Some(open) = held.places.get_mut(&self.0.number) {
            open.used = turn;
            change(open);
        }
    }
}

impl Drop for Mine {
    fn drop(&mut self) {
        self.places.held().places.remove(&self.number);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.change(|open| open.busy -= 1);
    }
}

#[cfg(test)]
mod tests;
