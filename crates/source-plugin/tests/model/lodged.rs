//! Calls, a wait for changes, replacement and the end, around one room.

use std::time::Duration;

use repertoire_core::Digest;
use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use shuttle::thread;

use crate::room::Room;
use crate::tried;

/// What a library would do, counted.
#[derive(Debug)]
struct Guest {
    running: AtomicUsize,
    stopped: AtomicBool,
    unmade: Arc<AtomicUsize>,
}

impl Guest {
    fn new(unmade: &Arc<AtomicUsize>) -> Arc<Guest> {
        let (running, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        Arc::new(Guest { running, stopped, unmade: unmade.clone() })
    }

    fn call(&self) {
        self.running.fetch_add(1, SeqCst);
        thread::yield_now();
        self.running.fetch_sub(1, SeqCst);
    }

    /// Returns when it is told to, and never by itself.
    fn wait(&self) {
        self.running.fetch_add(1, SeqCst);
        while !self.stopped.load(SeqCst) {
            thread::yield_now();
        }
        self.running.fetch_sub(1, SeqCst);
    }

    fn stop(&self) {
        self.stopped.store(true, SeqCst);
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        assert_eq!(self.running.load(SeqCst), 0, "unmade while something runs in it");
        self.unmade.fetch_add(1, SeqCst);
    }
}

/// As the plugin's own thread does: who is in is asked, or somebody else is let in.
fn ask(room: &Room<Guest>, made: &AtomicUsize, unmade: &Arc<AtomicUsize>, content: &[u8]) {
    let content = Digest::of(content);
    let Ok(old) = room.guest() else { return };
    let guest = match old {
        Some((guest, digest)) if digest == content => guest,
        _ => {
            // Nothing is locked while a library is loaded.
            let guest = Guest::new(unmade);
            made.fetch_add(1, SeqCst);
            if let Some(leaves) = room.move_in(guest.clone(), content) {
                leaves.stop();
            }
            guest
        }
    };
    guest.call();
    room.saw(&guest, 1);
}

#[test]
fn nobody_is_unmade_while_something_runs_in_it_and_everybody_in_the_end() {
    tried(|| {
        let room = Arc::new(Room::<Guest>::new());
        let (made, unmade) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        ask(&room, &made, &unmade, b"old");
        let waits = |room: &Arc<Room<Guest>>| {
            let room = room.clone();
            thread::spawn(move || {
                if let Some(guest) = room.begin_wait(|_| true) {
                    while room.wait_on(&guest).is_some() {
                        guest.wait();
                    }
                }
            })
        };
        let asks = {
            let (room, made, unmade) = (room.clone(), made.clone(), unmade.clone());
            thread::spawn(move || {
                ask(&room, &made, &unmade, b"old");
                ask(&room, &made, &unmade, b"new");
            })
        };
        let waiting = [waits(&room), waits(&room)];
        thread::yield_now();
        if let Some(leaves) = room.close() {
            leaves.stop();
        }
        asks.join().unwrap();
        let [(), ()] = waiting.map(|waits| waits.join().unwrap());
        assert!(room.guest().is_err(), "closed is closed");
        assert!(room.begin_wait(|_| true).is_none());
        assert_eq!(unmade.load(SeqCst), made.load(SeqCst), "who came after the end stays for ever");
    });
}

#[test]
fn a_guest_that_waits_too_long_is_told_once() {
    tried(|| {
        let room = Arc::new(Room::<Guest>::new());
        let unmade = Arc::new(AtomicUsize::new(0));
        room.move_in(Guest::new(&unmade), Digest::of(b"old"));
        let guest = room.begin_wait(|_| true).unwrap();
        let waits = thread::spawn(move || guest.wait());
        let looks = [(); 2].map(|()| {
            let room = room.clone();
            thread::spawn(move || match room.waits_too_long(Duration::ZERO) {
                Some(guest) => {
                    guest.stop();
                    1
                }
                None => 0,
            })
        });
        assert_eq!(looks.map(|looks| looks.join().unwrap()).iter().sum::<usize>(), 1);
        waits.join().unwrap();
    });
}
