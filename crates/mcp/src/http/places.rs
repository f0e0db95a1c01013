//! Places for connections, so that no client holds all of them.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Places for connections: so many in all, and so many for one address.
///
/// Where there is none left, an idle connection makes place: one that never proved itself before others, then one of the address that
/// has most, then the one that was silent for longest. Where an address has all of its own, it is one of these.
#[derive(Clone)]
pub(super) struct Places(Arc<Table>);

struct Table {
    most: usize,
    most_of_one: usize,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// Counts what happens, for what was used last.
    turn: u64,
    places: HashMap<u64, Open>,
}

struct Open {
    sender: IpAddr,
    /// Requests that are being answered.
    busy: usize,
    is_proven: bool,
    used: u64,
    close: CancellationToken,
}

/// The place of one connection. Clones are one place, which is free when the last is dropped.
#[derive(Clone)]
pub(super) struct Place(Arc<Mine>);

struct Mine {
    number: u64,
    places: Places,
    close: CancellationToken,
}

/// A request that is being answered.
pub(super) struct Busy(Place);

impl Places {
    pub(super) fn new(most: usize, most_of_one: usize) -> Places {
        let most = most.max(1);
        Places(Arc::new(Table { most, most_of_one: most_of_one.clamp(1, most), held: Mutex::default() }))
    }

    /// A place for a connection of `sender`; `None` where all are taken and busy.
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
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Ends when the connection is to make place.
    pub(super) fn closed(&self) -> CancellationToken {
        self.0.close.clone()
    }

    /// Notes that a request is answered, until what it gives back is dropped.
    pub(super) fn busy(&self) -> Busy {
        self.change(|open| open.busy += 1);
        Busy(self.clone())
    }

    /// Notes that its client may ask.
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
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        [127, 0, 0, last].into()
    }

    fn is_closed(place: &Place) -> bool {
        place.closed().is_cancelled()
    }

    #[test]
    fn no_address_takes_the_place_of_others() {
        let places = Places::new(4, 3);
        let mut crowd: Vec<_> = (0..3).map(|_| places.take(address(1)).unwrap()).collect();
        // The fourth is at the cost of the first.
        crowd.push(places.take(address(1)).unwrap());
        assert_eq!(crowd.iter().map(is_closed).collect::<Vec<_>>(), [true, false, false, false]);
        let other = places.take(address(2)).unwrap();
        let another = places.take(address(3)).unwrap();
        assert_eq!(crowd.iter().map(is_closed).collect::<Vec<_>>(), [true, true, false, false]);
        assert!(!is_closed(&other) && !is_closed(&another));
    }

    #[test]
    fn a_proven_or_busy_connection_stays() {
        let places = Places::new(3, 3);
        let [proven, busy, idle] = [0; 3].map(|_| places.take(address(1)).unwrap());
        proven.proven();
        let asked = busy.busy();
        let first = places.take(address(1)).unwrap();
        assert!(is_closed(&idle) && !is_closed(&proven) && !is_closed(&busy));
        let _second = places.take(address(2)).unwrap();
        assert!(is_closed(&first) && !is_closed(&proven));
        let third = places.take(address(1)).unwrap();
        let answering = [&third, &proven].map(Place::busy);
        assert!(is_closed(&_second), "the idle one goes, whosever it is");
        assert!(places.take(address(2)).is_none());
        drop((answering, asked, busy));
        assert!(places.take(address(2)).is_some());
    }

    #[test]
    fn a_place_is_free_when_its_connection_is_gone() {
        let places = Places::new(1, 1);
        let place = places.take(address(1)).unwrap();
        let _busy = place.busy();
        assert!(places.take(address(1)).is_none());
        drop((place, _busy));
        assert!(places.take(address(1)).is_some());
    }
}
