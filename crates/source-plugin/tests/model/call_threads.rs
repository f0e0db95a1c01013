//! Callers, a deadline, and the thread that they ask.

use std::time::Duration;

use shuttle::future::block_on;
use shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use shuttle::sync::{Arc, Mutex};
use shuttle::thread;

use crate::call_thread::{CallError, CallThread};
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
fn each_caller_gets_its_reply_or_a_timeout() {
    tried(|| {
        let call_thread = Arc::new(CallThread::new().unwrap());
        let (at_work, done) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(Mutex::new(Vec::new())),
        );
        let callers = [1, 2].map(|number| {
            let (call_thread, at_work, done) = (call_thread.clone(), at_work.clone(), done.clone());
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
                match block_on(call_thread.run_by(alarm, Duration::ZERO, work)) {
                    Ok(reply) => assert_eq!(reply, number),
                    Err(CallError::Overdue) => return 1,
                    Err(CallError::Blocked(_)) => {}
                    Err(CallError::Lost) => panic!("the reply was lost"),
                }
                0
            })
        });
        let late: usize = callers.map(|caller| caller.join().unwrap()).iter().sum();
        // Who was turned away before was not let in; everything else is done by now, or soon.
        let last = loop {
            match block_on(call_thread.run_by(silence, Duration::ZERO, || 3)) {
                Err(CallError::Blocked(_)) => thread::yield_now(),
                answer => break answer,
            }
        };
        assert_eq!(
            last,
            Ok(3),
            "a late call that has ended refuses no other call"
        );
        let done = done.lock().unwrap();
        assert!(late <= done.len(), "reported once for each");
        assert!(!done.is_empty());
    });
}

/// The alarm of one caller says nothing about the job of the next one.
#[test]
fn an_available_reply_is_returned_after_the_deadline() {
    tried(|| {
        let call_thread = CallThread::new().unwrap();
        let next = Arc::new(AtomicUsize::new(0));
        let begins = next.clone();
        let rings = || async {
            while next.load(SeqCst) == 0 {
                shuttle::future::yield_now().await;
            }
        };
        let replies = block_on(async {
            let first = call_thread.run_by(rings, Duration::ZERO, || 1);
            let second =
                call_thread.run_by(silence, Duration::ZERO, move || begins.store(1, SeqCst));
            tokio::join!(first, second)
        });
        assert_eq!(replies, (Ok(1), Ok(())));
    });
}
