//! PendingCalls, a wait for changes, replacement and the end, around one room.

use std::time::Duration;

use repertoire_core::Digest;
use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use shuttle::thread;

use crate::slot::InstanceSlot;
use crate::tried;

/// A plugin library that counts its calls.
#[derive(Debug)]
struct Instance {
    running: AtomicUsize,
    stopped: AtomicBool,
    unmade: Arc<AtomicUsize>,
}

impl Instance {
    fn new(unmade: &Arc<AtomicUsize>) -> Arc<Instance> {
        let (running, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        Arc::new(Instance {
            running,
            stopped,
            unmade: unmade.clone(),
        })
    }

    fn call(&self) {
        self.running.fetch_add(1, SeqCst);
        thread::yield_now();
        self.running.fetch_sub(1, SeqCst);
    }

    /// Returns when the test asks it to, and never by itself.
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

impl Drop for Instance {
    fn drop(&mut self) {
        assert_eq!(
            self.running.load(SeqCst),
            0,
            "unmade while something runs in it"
        );
        self.unmade.fetch_add(1, SeqCst);
    }
}

/// Calls the current instance, or installs a new one, as the plugin's own thread does.
fn ask(
    slot: &InstanceSlot<Instance>,
    made: &AtomicUsize,
    unmade: &Arc<AtomicUsize>,
    content: &[u8],
) {
    let content = Digest::of(content);
    let Ok(old) = slot.current() else { return };
    let backend = match old {
        Some((backend, digest)) if digest == content => backend,
        _ => {
            // Nothing is locked while a library is loaded.
            let backend = Instance::new(unmade);
            made.fetch_add(1, SeqCst);
            if let Some(leaves) = slot.replace(backend.clone(), content) {
                leaves.stop();
            }
            backend
        }
    };
    backend.call();
    slot.with_revision(&backend, |reported| *reported = Some(1));
}

#[test]
fn instances_are_dropped_after_their_last_call() {
    tried(|| {
        let slot = Arc::new(InstanceSlot::<Instance>::new());
        let (made, unmade) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        ask(&slot, &made, &unmade, b"old");
        let waits = |slot: &Arc<InstanceSlot<Instance>>| {
            let slot = slot.clone();
            thread::spawn(move || {
                if let Some(backend) = slot.start_wait(|_| true) {
                    while slot.continue_wait(&backend).is_some() {
                        backend.wait();
                    }
                }
            })
        };
        let asks = {
            let (slot, made, unmade) = (slot.clone(), made.clone(), unmade.clone());
            thread::spawn(move || {
                ask(&slot, &made, &unmade, b"old");
                ask(&slot, &made, &unmade, b"new");
            })
        };
        let waiting = [waits(&slot), waits(&slot)];
        thread::yield_now();
        if let Some(leaves) = slot.close() {
            leaves.stop();
        }
        asks.join().unwrap();
        let [(), ()] = waiting.map(|waits| waits.join().unwrap());
        assert!(slot.current().is_err(), "closed is closed");
        assert!(slot.start_wait(|_| true).is_none());
        assert_eq!(
            unmade.load(SeqCst),
            made.load(SeqCst),
            "who came after the end stays for ever"
        );
    });
}

#[test]
fn an_overdue_wait_is_stopped_once() {
    tried(|| {
        let slot = Arc::new(InstanceSlot::<Instance>::new());
        let unmade = Arc::new(AtomicUsize::new(0));
        slot.replace(Instance::new(&unmade), Digest::of(b"old"));
        let backend = slot.start_wait(|_| true).unwrap();
        let waits = thread::spawn(move || backend.wait());
        let looks = [(); 2].map(|()| {
            let slot = slot.clone();
            thread::spawn(move || match slot.take_overdue_wait(Duration::ZERO) {
                Some(backend) => {
                    backend.stop();
                    1
                }
                None => 0,
            })
        });
        assert_eq!(
            looks
                .map(|looks| looks.join().unwrap())
                .iter()
                .sum::<usize>(),
            1
        );
        waits.join().unwrap();
    });
}
