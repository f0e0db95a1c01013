//! Callers, a deadline, and the thread that they ask.

use std::time::Duration;

use shuttle::future::block_on;
use shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use shuttle::sync::{Arc, Mutex};
use shuttle::thread;

use crate::desk::{Desk, NoAnswer};
use crate::tried;

/// Rings when the scheduler pleases.
async fn alarm() {
    shuttle::future::yield_now().await;
}

/// Rings never.
fn silence() -> std::future::Pending<()> {
    std::future::pending()
}

#[test]
fn each_caller_gets_its_own_reply_or_is_told_that_it_is_late() {
    tried(|| {
        let desk = Arc::new(Desk::new().unwrap());
        let (at_work, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
        let callers = [1, 2].map(|number| {
            let (desk, at_work, done) = (desk.clone(), at_work.clone(), done.clone());
            thread::spawn(move || {
                let handed = done.clone();
                let work = move || {
                    assert_eq!(at_work.fetch_add(1, SeqCst), 0, "one call at a time");
                    thread::yield_now();
                    at_work.fetch_sub(1, SeqCst);
                    handed.lock().unwrap().push(number);
                    number
                };
                // Whatever is at work when the alarm rings, has been for too long.
                match block_on(desk.run_by(alarm, Duration::ZERO, work)) {
                    Ok(reply) => assert_eq!(reply, number),
                    Err(NoAnswer::Overdue) => return 1,
                    Err(NoAnswer::Blocked(_)) => {}
                    Err(NoAnswer::Gone) => panic!("the reply was lost"),
                }
                0
            })
        });
        let late: usize = callers.map(|caller| caller.join().unwrap()).iter().sum();
        // Who was turned away before was not let in; everything else is done by now, or soon.
        let last = loop {
            match block_on(desk.run_by(silence, Duration::ZERO, || 3)) {
                Err(NoAnswer::Blocked(_)) => thread::yield_now(),
                answer => break answer,
            }
        };
        assert_eq!(last, Ok(3), "what was late turns nobody away once it has ended");
        let done = done.lock().unwrap();
        assert!(late <= done.len(), "told once for each");
        assert!(!done.is_empty());
    });
}

/// The alarm of one caller says nothing about the job of the next one.
#[test]
fn a_reply_that_is_there_is_handed_over_however_late_it_is() {
    tried(|| {
        let desk = Desk::new().unwrap();
        let next = Arc::new(AtomicUsize::new(0));
        let begins = next.clone();
        let rings = || async {
            while next.load(SeqCst) == 0 {
                shuttle::future::yield_now().await;
            }
        };
        let replies = block_on(async {
            let first = desk.run_by(rings, Duration::ZERO, || 1);
            let second = desk.run_by(silence, Duration::ZERO, move || begins.store(1, SeqCst));
            tokio::join!(first, second)
        });
        assert_eq!(replies, (Ok(1), Ok(())));
    });
}
