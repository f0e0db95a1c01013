//! Slots for connections, with a limit for each address.
//!
//! Without a free slot an idle connection is closed, the first in this order: never authorized, of the address with the most
//! connections, idle for longest.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

#[derive(Clone)]
pub(super) struct ConnectionSlots(Arc<SlotLimits>);

struct SlotLimits {
    max: usize,
    max_of_one: usize,
    table: Mutex<SlotTable>,
}

#[derive(Default)]
struct SlotTable {
    turn: u64,
    slots: HashMap<u64, OpenConnection>,
}

struct OpenConnection {
    sender: IpAddr,
    busy: usize,
    is_authorized: bool,
    used: u64,
    close: CancellationToken,
}

#[derive(Clone)]
pub(super) struct ConnectionSlot(Arc<SlotGuard>);

struct SlotGuard {
    number: u64,
    slots: ConnectionSlots,
    close: CancellationToken,
}

pub(super) struct BusyGuard(ConnectionSlot);

impl ConnectionSlots {
    pub(super) fn new(max: usize, max_of_one: usize) -> ConnectionSlots {
        let max = max.max(1);
        ConnectionSlots(Arc::new(SlotLimits {
            max,
            max_of_one: max_of_one.clamp(1, max),
            table: Mutex::default(),
        }))
    }

    pub(super) fn acquire(&self, sender: IpAddr) -> Option<ConnectionSlot> {
        let mut table = self.table();
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        table
            .slots
            .values()
            .for_each(|open| *counts.entry(open.sender).or_default() += 1);
        let is_crowd = counts
            .get(&sender)
            .is_some_and(|count| *count >= self.0.max_of_one);
        if is_crowd || table.slots.len() >= self.0.max {
            let idle = table
                .slots
                .iter()
                .filter(|(_, open)| open.busy == 0 && (!is_crowd || open.sender == sender));
            let number = *idle
                .min_by_key(|(_, open)| {
                    (open.is_authorized, Reverse(counts[&open.sender]), open.used)
                })?
                .0;
            table.slots.remove(&number)?.close.cancel();
        }
        table.turn += 1;
        let (number, close) = (table.turn, CancellationToken::new());
        let open = OpenConnection {
            sender,
            busy: 0,
            is_authorized: false,
            used: number,
            close: close.clone(),
        };
        table.slots.insert(number, open);
        drop(table);
        Some(ConnectionSlot(Arc::new(SlotGuard {
            number,
            slots: self.clone(),
            close,
        })))
    }

    fn table(&self) -> MutexGuard<'_, SlotTable> {
        self.0.table.lock()
    }
}

impl ConnectionSlot {
    pub(super) fn closed(&self) -> CancellationToken {
        self.0.close.clone()
    }

    pub(super) fn busy(&self) -> BusyGuard {
        self.change(|open| open.busy += 1);
        BusyGuard(self.clone())
    }

    pub(super) fn set_authorized(&self) {
        self.change(|open| open.is_authorized = true);
    }

    fn change(&self, change: impl FnOnce(&mut OpenConnection)) {
        let mut table = self.0.slots.table();
        table.turn += 1;
        let turn = table.turn;
        if let Some(open) = table.slots.get_mut(&self.0.number) {
            open.used = turn;
            change(open);
        }
    }
}

impl Drop for SlotGuard {
    fn drop(&mut self) {
        self.slots.table().slots.remove(&self.number);
    }
}

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.0.change(|open| open.busy -= 1);
    }
}

#[cfg(test)]
mod tests;
